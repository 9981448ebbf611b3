//! A cable between runner and server that can be pulled.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

pub struct Cable {
    /// Where the runner finds the server.
    pub origin: String,
    state: Arc<State>,
}

struct State {
    server: SocketAddr,
    pulled: AtomicBool,
    refused: AtomicUsize,
    /// Both ends of what is open.
    open: Mutex<Vec<TcpStream>>,
}

impl Cable {
    /// # Panics
    /// When there is no port.
    pub fn to(origin: &str) -> Self {
        let server = origin.trim_start_matches("http://").parse().unwrap_or_else(|error| panic!("{origin}: {error}"));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("{error}"));
        let own = listener.local_addr().unwrap_or_else(|error| panic!("{error}"));
        let state = State { server, pulled: false.into(), refused: 0.into(), open: Mutex::default() };
        let state = Arc::new(state);
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.pulled.load(Ordering::SeqCst) {
                    shared.refused.fetch_add(1, Ordering::SeqCst);
                } else if let Err(error) = shared.join(stream) {
                    eprintln!("the cable: {error}");
                }
            }
        });
        Self { origin: format!("http://{own}"), state }
    }

    /// Whatever is under way ends, and nothing new begins.
    pub fn pull(&self) {
        self.state.pulled.store(true, Ordering::SeqCst);
        for stream in self.state.open.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub fn put_back(&self) {
        self.state.pulled.store(false, Ordering::SeqCst);
    }

    /// Connections refused so far.
    pub fn refused(&self) -> usize {
        self.state.refused.load(Ordering::SeqCst)
    }
}

impl State {
    fn join(&self, runner: TcpStream) -> io::Result<()> {
        let server = TcpStream::connect(self.server)?;
        self.open.lock().unwrap_or_else(PoisonError::into_inner).extend([runner.try_clone()?, server.try_clone()?]);
        for (mut from, mut to) in [(runner.try_clone()?, server.try_clone()?), (server, runner)] {
            thread::spawn(move || {
                let _ = io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Write);
            });
        }
        Ok(())
    }
}
