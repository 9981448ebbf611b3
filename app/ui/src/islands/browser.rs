//! What only a browser can do. On the server these are never called: handlers do not run there.

#[cfg(feature = "hydrate")]
mod hydrated;
#[cfg(all(feature = "hydrate", any(feature = "core", feature = "stories")))]
mod talk;
#[cfg(feature = "hydrate")]
pub use hydrated::*;
#[cfg(all(feature = "hydrate", any(feature = "core", feature = "stories")))]
pub use talk::*;

#[cfg(not(feature = "hydrate"))]
mod server {
    use leptos::ev;

    pub fn dropped_text(_: &ev::DragEvent, _: impl Fn(String) + 'static) {}
    pub fn chosen_text(_: &ev::Event, _: impl Fn(String) + 'static) {}
    pub fn replace_query(_: &str) {}
    pub fn copy(_: String) {}
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
    pub fn listen(_: &str, _: impl Fn(String) + 'static) {}
}
#[cfg(not(feature = "hydrate"))]
pub use server::*;
