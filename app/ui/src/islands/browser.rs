//! What only a browser can do. On the server these are never called: handlers do not run there.

/// A file that a reader chose: its name, and its bytes or, where it has more than the limit or cannot be read, its size.
#[cfg(feature = "allocator")]
pub struct FileRead {
    pub name: String,
    pub content: Result<Vec<u8>, u64>,
}

#[cfg(feature = "hydrate")]
mod hydrated;
#[cfg(all(feature = "hydrate", any(feature = "core", feature = "runs", feature = "drill")))]
mod talk;
#[cfg(feature = "hydrate")]
pub use hydrated::*;
#[cfg(all(feature = "hydrate", any(feature = "core", feature = "runs", feature = "drill")))]
pub use talk::*;

#[cfg(not(feature = "hydrate"))]
mod server {
    use leptos::ev;

    use super::FileRead;

    pub fn dropped_text(_: &ev::DragEvent, _: impl Fn(String) + 'static) {}
    pub fn chosen_bytes(_: &ev::Event, _: f64, _: impl Fn(FileRead) + 'static) {}
    pub fn dropped_bytes(_: &ev::DragEvent, _: f64, _: impl Fn(FileRead) + 'static) {}
    pub fn chosen_text(_: &ev::Event, _: impl Fn(String) + 'static) {}
    pub fn replace_query(_: &str) {}
    pub fn copy(_: String) {}
    pub fn tables(_: &ev::MouseEvent) -> Vec<Vec<Vec<String>>> {
        Vec::new()
    }
    pub fn link_here(_: &str) -> String {
        String::new()
    }
    pub fn is_field<T>(_: &T) -> bool {
        false
    }
    pub fn post<F: FnOnce(Result<String, (u16, String)>) + 'static>(_: String, _: String, _: F) {}
    pub fn now_ms() -> f64 {
        0.0
    }
    pub fn listen(_: &str, _: impl Fn(&str, &str) + 'static) {}
    pub fn get<F: FnOnce(Result<String, u16>) + 'static>(_: String, _: F) {}
    pub fn query_value(_: &str) -> Option<String> {
        None
    }
    pub fn set_query_value(_: &str, _: &str) {}
}
#[cfg(not(feature = "hydrate"))]
pub use server::*;
