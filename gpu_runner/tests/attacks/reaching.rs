//! Attempts to reach files and the network.

use std::io::ErrorKind;
use std::net::TcpListener;

use crate::bench::{Secret, attack, refused, with};

#[test]
fn the_network_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!(
        "int file = socket(AF_INET, SOCK_STREAM, 0);
         struct sockaddr_in to = {{}}; to.sin_family = AF_INET; to.sin_port = htons({port}); to.sin_addr.s_addr = htonl(0x7f000001);
         if (file < 0 || connect(file, (struct sockaddr *)&to, sizeof to) != 0) REFUSED;"
    );
    let headers = "#include <arpa/inet.h>\n#include <sys/socket.h>";
    let told = "something that a kernel may not do";
    refused("in the kernel", &attack(&with(headers, &connect.replace("REFUSED", "return"))), told);
    let early = format!(
        "{headers}\n__attribute__((constructor)) static void early() {{ {} }}",
        connect.replace("REFUSED", "_exit(3)")
    );
    refused("at loading", &attack(&with(&early, "")), told);
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "somebody called");
}

#[test]
fn files_of_another_job_cannot_be_read() {
    let secret = Secret::new();
    let read = format!(
        "char text[64] = {{}};
         int file = open(\"{}\", O_RDONLY);
         if (file < 0 || read(file, text, 63) <= 0) REFUSED;
         printf(\"got %s\", text);",
        secret.path()
    );
    let in_kernel = attack(&with("#include <fcntl.h>", &read.replace("REFUSED", "return")));
    refused("in the kernel", &in_kernel, "something that a kernel may not do");
    // Loading needs files; which, the sandbox says.
    let early = format!(
        "#include <fcntl.h>\n__attribute__((constructor)) static void early() {{ {} }}",
        read.replace("REFUSED", "_exit(3)")
    );
    let at_loading = attack(&with(&early, ""));
    refused("at loading", &at_loading, "status 3");
    for outcome in [in_kernel, at_loading] {
        assert!(!outcome.stderr.contains(Secret::MARK), "{}", outcome.stderr);
    }
}

#[test]
fn nothing_can_be_left_for_another_job() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("left");
    for open in ["O_WRONLY | O_CREAT", "O_WRONLY | O_CREAT | O_TRUNC"] {
        let early = format!(
            "#include <fcntl.h>\n__attribute__((constructor)) static void early() {{
                 int file = open(\"{}\", {open}, 0600); if (file < 0 || write(file, \"x\", 1) != 1) _exit(3);
             }}",
            target.display()
        );
        refused(open, &attack(&with(&early, "")), "status 3");
    }
    assert!(!target.exists());
}
