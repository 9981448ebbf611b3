//! Open event streams, counted per reader: each asks the store again and again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::UserId;

/// Tabs that one reader may have listening at a time.
pub const MOST: usize = 6;

#[derive(Debug, Default)]
pub struct Streams(Mutex<HashMap<UserId, usize>>);

/// A place among the streams of a reader, given back when it is dropped.
pub struct Place {
    streams: Arc<Streams>,
    user: UserId,
}

impl Streams {
    /// A place for one more stream, if this reader has one left.
    pub fn take(self: &Arc<Self>, user: UserId) -> Option<Place> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(user).or_default();
        if *count >= MOST {
            return None;
        }
        *count += 1;
        Some(Place { streams: self.clone(), user })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_few_and_come_back() {
        let (streams, ann, bob) = (Arc::new(Streams::default()), UserId::new(), UserId::new());
        let places: Vec<_> = (0..MOST).map(|_| streams.take(ann).expect("a place")).collect();
        assert!(streams.take(ann).is_none() && streams.take(bob).is_some());
        drop(places);
        assert!(streams.take(ann).is_some());
        assert!(streams.0.lock().expect("a lock").is_empty());
    }
}
