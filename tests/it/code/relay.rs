//! A network between commands and their server that fails when a test says so.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

/// What becomes of a write that is too many.
#[derive(Clone, Copy, PartialEq)]
pub enum Loses {
    Requests,
    /// The server carries the request out, and the answer does not arrive.
    Answers,
}

/// Forwards connections; after so many writes it loses the following ones.
pub struct Relay {
    pub url: String,
    left: Arc<AtomicI64>,
    loses: Arc<Mutex<(Loses, i64)>>,
}

impl Relay {
    pub fn to(address: &str) -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let left = Arc::new(AtomicI64::new(i64::MAX));
        let loses = Arc::new(Mutex::new((Loses::Requests, i64::MAX)));
        let (address, count, how) = (address.to_owned(), Arc::clone(&left), Arc::clone(&loses));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (address, count, how) = (address.clone(), Arc::clone(&count), Arc::clone(&how));
                // A connection that breaks is what this is for.
                std::thread::spawn(move || drop(forward(stream, &address, &count, &how)));
            }
        });
        Relay { url, left, loses }
    }

    /// Passes so many writes, then loses so many.
    pub fn lose(&self, passed: i64, lost: i64, loses: Loses) {
        *self.loses.lock().unwrap() = (loses, lost);
        self.left.store(passed, Ordering::SeqCst);
    }
}

fn forward(
    mut from: TcpStream,
    address: &str,
    left: &AtomicI64,
    how: &Mutex<(Loses, i64)>,
) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut bytes = [0; 4096];
    let head = loop {
        let count = from.read(&mut bytes)?;
        request.extend_from_slice(&bytes[..count]);
        let end = request.windows(4).position(|window| window == b"\r\n\r\n");
        match end {
            Some(end) => break end + 4,
            None if count == 0 => return Ok(()),
            None => {}
        }
    };
    let text = String::from_utf8_lossy(&request[..head]).into_owned();
    let is_write = !text.starts_with("GET ") && !text.starts_with("POST /v1/plan ");
    let mut loses = None;
    if is_write && left.fetch_sub(1, Ordering::SeqCst) <= 0 {
        let mut how = how.lock().unwrap();
        how.1 -= 1;
        loses = (how.1 >= 0).then_some(how.0);
    }
    if loses == Some(Loses::Requests) {
        return from.shutdown(Shutdown::Both);
    }
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    while request.len() < head + length.unwrap_or(0) {
        let count = from.read(&mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        request.extend_from_slice(&bytes[..count]);
    }
    // One request a connection, so that the answer ends with it.
    let whole = text.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    let mut to = TcpStream::connect(address)?;
    to.write_all(whole.as_bytes())?;
    to.write_all(&request[head..])?;
    let mut answer = Vec::new();
    to.read_to_end(&mut answer)?;
    if loses.is_none() {
        from.write_all(&answer)?;
    }
    from.shutdown(Shutdown::Both)
}
