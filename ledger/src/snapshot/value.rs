//! Plain data out of a pickle: a graph by numbers, shared parts stored once.

/// Keys of a dictionary that is looked into. Those of a snapshot have a dozen; one dictionary of a million keys that
/// is named a million times would take forever.
const MAX_KEYS: usize = 4096;

/// Number of a value in [`Data`].
pub(super) type Id = u32;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Box<str>),
    /// Byte strings are accepted and not looked at.
    Bytes,
    /// Lists, tuples and sets.
    List(Vec<Id>),
    Dict(Vec<(Id, Id)>),
}

/// All values of a document.
#[derive(Debug, Default)]
pub(super) struct Data {
    pub values: Vec<Value>,
    pub root: Id,
}

impl Data {
    pub fn get(&self, id: Id) -> &Value {
        self.values.get(id as usize).unwrap_or(&Value::None)
    }

    /// The last value under a text key of a dictionary, as Python keeps it.
    pub fn field(&self, dict: Id, key: &str) -> Option<Id> {
        let Value::Dict(pairs) = self.get(dict) else { return None };
        if pairs.len() > MAX_KEYS {
            return None;
        }
        pairs
            .iter()
            .rev()
            .find(|(name, _)| matches!(self.get(*name), Value::Text(text) if &**text == key))
            .map(|pair| pair.1)
    }

    pub fn list(&self, id: Id) -> Option<&[Id]> {
        match self.get(id) {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn whole(&self, id: Id) -> Option<u64> {
        match self.get(id) {
            Value::Int(number) => u64::try_from(*number).ok(),
            Value::Bool(flag) => Some(u64::from(*flag)),
            _ => None,
        }
    }

    /// A stream: an address, which C++ may write as a negative number.
    pub fn stream(&self, id: Id) -> Option<u64> {
        match self.get(id) {
            Value::Int(number) => i64::try_from(*number).map(i64::cast_unsigned).or(u64::try_from(*number)).ok(),
            _ => None,
        }
    }

    pub fn text(&self, id: Id) -> Option<&str> {
        match self.get(id) {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}
