//! What our own children can still do: the runs of labs with a GPU driver in them, and the compiler.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::net::{TcpStream, UdpSocket};
use std::path::Path;
use std::process::Command;

use gpu_runner::backend::BackendName;
use gpu_runner::child::resources::Library;
use gpu_runner::child::sandbox::{self, Profile};

use crate::bench::{Secret, run};

/// On a thread that ends with it: the sandbox holds for one thread and what it starts.
fn shut_in<T: Send>(profile: &Profile, what: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let inside = scope.spawn(|| {
            sandbox::enter(profile).unwrap();
            what()
        });
        inside.join().unwrap()
    })
}

fn denied<T>(what: &str, result: io::Result<T>) {
    let kind = result.map(|_| ()).map_err(|error| error.kind());
    assert_eq!(kind, Err(ErrorKind::PermissionDenied), "{what}");
}

/// What no child may do, whatever its work.
fn is_confined(own: &Path, secret: &Secret) {
    denied("another job's file", File::open(&secret.path));
    denied("its folder", fs::read_dir(secret.path.parent().unwrap()));
    denied("the machine's users", File::open("/etc/passwd"));
    denied("another process", File::open("/proc/1/environ"));
    denied("a file elsewhere", fs::write(secret.path.with_file_name("new"), "x"));
    denied("the old file gone", fs::remove_file(&secret.path));
    denied("a link in its own folder", std::os::unix::fs::symlink("/etc/passwd", own.join("link")));
    denied("a call", TcpStream::connect("127.0.0.1:9"));
    denied("a port", UdpSocket::bind("127.0.0.1:0"));
    denied("a session of its own", rustix::process::setsid().map_err(io::Error::from));
    fs::write(own.join("report.json"), "{}").unwrap();
}

#[test]
fn a_run_of_a_lab_reaches_its_own_folder_and_no_other() {
    for backend in BackendName::ALL {
        let (own, secret) = (tempfile::tempdir().unwrap(), Secret::new());
        shut_in(&sandbox::lab(backend, own.path()), || {
            is_confined(own.path(), &secret);
            denied("a program", Command::new("/bin/true").status());
        });
        assert_eq!(fs::read_dir(own.path()).unwrap().count(), 1);
        assert!(secret.path.exists());
    }
}

#[test]
fn the_compiler_writes_where_it_does_not_read_its_headers() {
    let (job, secret) = (tempfile::tempdir().unwrap(), Secret::new());
    let (source, out) = (job.path().join("source"), job.path().join("out"));
    fs::create_dir(&source).unwrap();
    fs::create_dir(&out).unwrap();
    shut_in(&sandbox::compile(&source, &out), || {
        is_confined(&out, &secret);
        denied("beside its headers", fs::write(source.join("libcuda.so.1"), "x"));
        denied("in the job's folder", fs::write(job.path().join("x"), "x"));
    });
}

#[test]
fn the_compiler_for_cards_reads_its_headers_and_nothing_else() {
    let (own, secret) = (tempfile::tempdir().unwrap(), Secret::new());
    let headers = own.path().join("include");
    fs::create_dir(&headers).unwrap();
    fs::write(headers.join("cuda_fp16.h"), "").unwrap();
    let library = Library { file: own.path().join("libnvrtc.so.12"), headers: vec![headers.clone()] };
    fs::write(&library.file, "").unwrap();
    shut_in(&sandbox::resources(&library), || {
        File::open(headers.join("cuda_fp16.h")).unwrap();
        for path in [secret.path.as_path(), &library.file, Path::new("/etc/passwd"), Path::new("/proc/self/environ")] {
            denied(&path.display().to_string(), File::open(path));
        }
        denied("a header of its own", fs::write(headers.join("x.h"), ""));
        denied("beside the library", fs::write(own.path().join("libcuda.so.1"), ""));
        denied("a program", Command::new("/bin/true").status());
        denied("a call", TcpStream::connect("127.0.0.1:9"));
        denied("a session of its own", rustix::process::setsid().map_err(io::Error::from));
    });
}

#[test]
fn a_lab_with_a_driver_in_its_process_runs_shut_in() {
    // Mesa's driver, where there is no card: a whole GPU driver with its compiler, loaded inside.
    let outcome = run(None, &["--backend", "wgpu"]);
    assert_eq!(outcome.code, Some(0), "this test needs mesa-vulkan-drivers and libvulkan1: {}", outcome.stderr);
    assert_eq!(outcome.report.unwrap().device.unwrap().backend, evidence::Backend::Wgpu);
}
