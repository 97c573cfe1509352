//! Parts of HTTP receivers, shared by the tests of the client and by `tests/it`. Does not use the library.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, SupportedProtocolVersion};
use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;

/// The certificates that `make.sh` creates; all except the authorities have the key `leaf.key`.
pub const CERTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/certs");

/// A certificate in PEM.
pub fn pem(name: &str) -> Vec<u8> {
    std::fs::read(format!("{CERTS}/{name}.pem")).expect("a certificate")
}

/// A certificate chain, leaf first.
pub fn chain(names: &[&str]) -> Vec<CertificateDer<'static>> {
    let read = |name: &&str| CertificateDer::from_pem_slice(&pem(name)).expect("a certificate");
    names.iter().map(read).collect()
}

/// A TLS configuration that presents these certificates.
pub fn server_config(
    certificates: Vec<CertificateDer<'static>>,
    versions: &[&'static SupportedProtocolVersion],
) -> ServerConfig {
    let key = PrivateKeyDer::from_pem_file(format!("{CERTS}/leaf.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .expect("a certificate with its key")
}

/// Reads a complete request, head and body. `None` if the client disconnects before.
pub fn read_request(stream: &mut (impl Read + ?Sized)) -> Option<Vec<u8>> {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let head = request.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(head) = head {
            let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
            let length = text.split("content-length: ").nth(1);
            let length = length.map_or("0", |rest| rest.lines().next().unwrap_or_default());
            if request.len() >= head + 4 + length.parse::<usize>().expect("a length") {
                return Some(request);
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(count) => request.extend_from_slice(&piece[..count]),
        }
    }
}

/// Sends `piece` repeatedly until the client is gone. The pauses are as long as the read time-out of the socket.
pub fn trickle(stream: &mut (impl Read + Write + ?Sized), piece: &[u8]) {
    while stream
        .write_all(piece)
        .and_then(|()| stream.flush())
        .is_ok()
    {
        match stream.read(&mut [0; 64]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Ok(count) if count > 0 => {}
            _ => return,
        }
    }
}
