//! The JSON of a trace as a stream: an object with `traceEvents`, or the bare list of events.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category as Fault;

use super::collect::{Collected, Full};
use super::event::{Event, IntoEvent, OneScalar, Scalar, Text};
use super::guard::{Breach, Guard, Watch};
use super::{DeviceName, TraceError};

/// Keys of the outermost object that are quoted when there are no events.
const MAX_KEYS: usize = 20;
/// Devices that are named.
const MAX_NAMED: usize = 64;

/// What was read.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) collected: Collected,
    pub(super) devices: Vec<DeviceName>,
}

/// Where the parser is, and why it was stopped.
struct Trail<'a> {
    watch: &'a Watch,
    out: RefCell<Gathered>,
    keys: RefCell<Vec<String>>,
    has_events: Cell<bool>,
    stop: RefCell<Option<TraceError>>,
}

impl Trail<'_> {
    fn stop<E: Error>(&self, why: TraceError) -> E {
        self.stop.replace(Some(why));
        E::custom("stopped")
    }
}

/// Reads the whole JSON.
pub(super) fn parse(source: impl Read, watch: &Watch) -> Result<Gathered, TraceError> {
    let trail = Trail {
        watch,
        out: RefCell::default(),
        keys: RefCell::default(),
        has_events: Cell::new(false),
        stop: RefCell::default(),
    };
    let mut deserializer = serde_json::Deserializer::from_reader(Guard::new(source, watch));
    let read = deserializer.deserialize_any(Outer { trail: &trail }).and_then(|()| deserializer.end());
    let stopped = trail.stop.take();
    if let Err(error) = read {
        return Err(stopped.unwrap_or_else(|| explain(&error, watch)));
    }
    if !trail.has_events.get() {
        return Err(TraceError::NoEvents { keys: trail.keys.take() });
    }
    Ok(trail.out.take())
}

/// The parser's error as ours.
pub(super) fn explain(error: &serde_json::Error, watch: &Watch) -> TraceError {
    let offset = watch.offset.get();
    let full = error.to_string();
    let detail = full.rsplit_once(" at line ").map_or(full.as_str(), |(detail, _)| detail).to_owned();
    match (watch.breach.get(), error.classify()) {
        (Some(Breach::TooDeep), _) => TraceError::TooDeep { offset },
        (Some(Breach::LongText), _) => TraceError::LongText { offset },
        (Some(Breach::TooLarge), _) => TraceError::TooLarge { offset },
        (Some(Breach::Bomb), _) => TraceError::Bomb { offset },
        (Some(Breach::Source), _) => TraceError::Read { offset, detail },
        (None, Fault::Eof) => TraceError::Truncated { offset },
        (None, Fault::Io) => TraceError::Gzip { offset, detail },
        (None, Fault::Syntax | Fault::Data) => TraceError::Syntax { offset, detail, recent: watch.recent() },
    }
}

struct Outer<'a> {
    trail: &'a Trail<'a>,
}

impl<'de> Visitor<'de> for Outer<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with traceEvents, or a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        self.trail.has_events.set(true);
        Events { trail: self.trail }.visit_seq(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "traceEvents" if self.trail.has_events.replace(true) => {
                    let offset = self.trail.watch.offset.get();
                    return Err(self.trail.stop(TraceError::SecondEvents { offset }));
                }
                "traceEvents" => map.next_value_seed(Events { trail: self.trail })?,
                "deviceProperties" => map.next_value_seed(Devices { trail: self.trail })?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            let mut keys = self.trail.keys.borrow_mut();
            if keys.len() < MAX_KEYS {
                keys.push(key.chars().take(60).collect());
            }
        }
        Ok(())
    }
}

struct Events<'a> {
    trail: &'a Trail<'a>,
}

impl<'de> DeserializeSeed<'de> for Events<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut event = Event::default();
        let mut out = self.trail.out.borrow_mut();
        loop {
            event.clear();
            if seq.next_element_seed(IntoEvent(&mut event))?.is_none() {
                return Ok(());
            }
            let offset = self.trail.watch.offset.get();
            if let Err(Full { what, limit }) = out.collected.take(&event, offset) {
                return Err(self.trail.stop(TraceError::TooMany { offset, what, limit }));
            }
        }
    }
}

/// `deviceProperties`: the first of them; whatever does not look like one is read past.
struct Devices<'a> {
    trail: &'a Trail<'a>,
}

impl<'de> DeserializeSeed<'de> for Devices<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Devices<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of devices")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut named = Named::default();
        while seq.next_element_seed(IntoNamed(&mut named))?.is_some() {
            let devices = &mut self.trail.out.borrow_mut().devices;
            if let Some(id) = named.id.whole().filter(|_| devices.len() < MAX_NAMED) {
                let name = std::mem::take(&mut named.name);
                devices.push(DeviceName { id, name, total_bytes: named.total.whole() });
            }
            named = Named::default();
        }
        Ok(())
    }
}

/// The fields of a device that are used.
#[derive(Default)]
struct Named {
    id: Scalar,
    name: String,
    total: Scalar,
}

struct IntoNamed<'a>(&'a mut Named);

impl<'de> DeserializeSeed<'de> for IntoNamed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for IntoNamed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a device")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => self.0.id = map.next_value_seed(OneScalar)?,
                "name" => map.next_value_seed(Text(&mut self.0.name))?,
                "totalGlobalMem" => self.0.total = map.next_value_seed(OneScalar)?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}
