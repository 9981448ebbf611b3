//! One event of a Chrome trace, read field by field into the same place again and again: nothing is kept of the rest.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Longer names are cut: a template of C++ says who it is long before.
const MAX_NAME: usize = 512;
/// Microseconds beyond this have no nanoseconds in 64 bits.
const MAX_US: f64 = 9e15;

/// A number as JSON has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Whole(i64),
    Float(f64),
}

impl Number {
    /// Microseconds as nanoseconds, rounded.
    pub(super) fn nanoseconds(self) -> Option<i64> {
        match self {
            Number::Whole(us) => us.checked_mul(1000),
            Number::Float(us) => (us.abs() <= MAX_US).then(|| (us * 1000.0).round() as i64),
        }
    }

    /// A size or an index.
    pub(super) fn whole(self) -> Option<u64> {
        match self {
            Number::Whole(number) => u64::try_from(number).ok(),
            Number::Float(number) => ((0.0..9e15).contains(&number) && number.fract() == 0.0).then_some(number as u64),
        }
    }
}

/// A value where a number should be.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) enum Scalar {
    #[default]
    Absent,
    Number(Number),
    /// A text, by its hash: lanes may have names.
    Text(u64),
    Other,
}

impl Scalar {
    pub(super) fn number(self) -> Option<Number> {
        match self {
            Scalar::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn whole(self) -> Option<u64> {
        self.number().and_then(Number::whole)
    }

    /// What it is, for a message.
    pub(super) fn found(self) -> String {
        match self {
            Scalar::Absent => "nothing".to_owned(),
            Scalar::Number(Number::Whole(number)) => number.to_string(),
            Scalar::Number(Number::Float(number)) => number.to_string(),
            Scalar::Text(_) => "a string".to_owned(),
            Scalar::Other => "something that is no number".to_owned(),
        }
    }

    /// A process or thread, whether a number or a name.
    pub(super) fn lane(self) -> u64 {
        match self {
            Scalar::Number(Number::Whole(number)) => number as u64,
            Scalar::Number(Number::Float(number)) => number.to_bits(),
            Scalar::Text(hash) => hash,
            Scalar::Absent | Scalar::Other => 0,
        }
    }
}

/// The fields of an event that are used. A key that comes twice counts as its last.
#[derive(Debug, Default)]
pub(super) struct Event {
    /// Whether it was an object at all.
    pub(super) is_object: bool,
    /// The first letter of `ph`.
    pub(super) phase: u8,
    pub(super) category: String,
    pub(super) name: String,
    pub(super) pid: Scalar,
    pub(super) tid: Scalar,
    pub(super) ts: Scalar,
    pub(super) dur: Scalar,
    pub(super) device: Scalar,
    pub(super) bytes: Scalar,
    pub(super) device_type: Scalar,
    pub(super) device_id: Scalar,
    pub(super) allocated: Scalar,
    pub(super) reserved: Scalar,
}

impl Event {
    pub(super) fn clear(&mut self) {
        let (mut category, mut name) = (std::mem::take(&mut self.category), std::mem::take(&mut self.name));
        category.clear();
        name.clear();
        *self = Self { category, name, ..Self::default() };
    }
}

pub(super) struct IntoEvent<'a>(pub(super) &'a mut Event);

impl<'de> DeserializeSeed<'de> for IntoEvent<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(Fields { event: self.0, of_args: false })
    }
}

/// The fields of an event, or of its `args`.
struct Fields<'a> {
    event: &'a mut Event,
    of_args: bool,
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Every kind of value that is none of ours is read past.
macro_rules! ignored {
    ($($method:ident: $type:ty),*) => {$(
        fn $method<E>(self, _: $type) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    )*};
}

fn drained<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    ignored!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        drained(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let event = self.event;
        event.is_object |= !self.of_args;
        while let Some(key) = map.next_key_seed(Key { of_args: self.of_args })? {
            match key {
                Field::Phase => event.phase = map.next_value_seed(FirstLetter)?,
                Field::Category => map.next_value_seed(Text(&mut event.category))?,
                Field::Name => map.next_value_seed(Text(&mut event.name))?,
                Field::Pid => event.pid = map.next_value_seed(OneScalar)?,
                Field::Tid => event.tid = map.next_value_seed(OneScalar)?,
                Field::Ts => event.ts = map.next_value_seed(OneScalar)?,
                Field::Dur => event.dur = map.next_value_seed(OneScalar)?,
                Field::Args => map.next_value_seed(Fields { event, of_args: true })?,
                Field::Device => event.device = map.next_value_seed(OneScalar)?,
                Field::Bytes => event.bytes = map.next_value_seed(OneScalar)?,
                Field::DeviceType => event.device_type = map.next_value_seed(OneScalar)?,
                Field::DeviceId => event.device_id = map.next_value_seed(OneScalar)?,
                Field::Allocated => event.allocated = map.next_value_seed(OneScalar)?,
                Field::Reserved => event.reserved = map.next_value_seed(OneScalar)?,
                Field::Unknown => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

enum Field {
    Phase,
    Category,
    Name,
    Pid,
    Tid,
    Ts,
    Dur,
    Args,
    Device,
    Bytes,
    DeviceType,
    DeviceId,
    Allocated,
    Reserved,
    Unknown,
}

struct Key {
    of_args: bool,
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Field;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Field, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Field;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Field, E> {
        Ok(match (self.of_args, key) {
            (false, "ph") => Field::Phase,
            (false, "cat") => Field::Category,
            (false, "name") => Field::Name,
            (false, "pid") => Field::Pid,
            (false, "tid") => Field::Tid,
            (false, "ts") => Field::Ts,
            (false, "dur") => Field::Dur,
            (false, "args") => Field::Args,
            (true, "device") => Field::Device,
            (true, "bytes") => Field::Bytes,
            (true, "Device Type") => Field::DeviceType,
            (true, "Device Id") => Field::DeviceId,
            (true, "Total Allocated") => Field::Allocated,
            (true, "Total Reserved") => Field::Reserved,
            _ => Field::Unknown,
        })
    }
}

struct FirstLetter;

impl<'de> DeserializeSeed<'de> for FirstLetter {
    type Value = u8;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u8, D::Error> {
        let mut text = String::new();
        Text(&mut text).deserialize(deserializer)?;
        Ok(text.bytes().next().unwrap_or(0))
    }
}

/// A text into a place that is used again; anything else leaves it empty.
pub(super) struct Text<'a>(pub(super) &'a mut String);

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.clear();
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    ignored!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.push_str(&text[..text.floor_char_boundary(MAX_NAME)]);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        drained(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

pub(super) struct OneScalar;

impl<'de> DeserializeSeed<'de> for OneScalar {
    type Value = Scalar;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Scalar, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OneScalar {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Absent)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Number(Number::Whole(number)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        let whole = i64::try_from(number).map_or(Number::Float(number as f64), Number::Whole);
        Ok(Scalar::Number(whole))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(Number::Float(number)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        // Exporters for other viewers write numbers as texts.
        if let Ok(number) = text.parse::<i64>() {
            return Ok(Scalar::Number(Number::Whole(number)));
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Ok(Scalar::Text(hasher.finish() | 1 << 63))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Scalar, A::Error> {
        drained(seq)?;
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}
