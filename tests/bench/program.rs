//! The measured processes: the program itself and the baseline server.

use crate::load::{Client, request};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server in its own process; killed on drop.
pub struct Program {
    child: Child,
    pub address: SocketAddr,
    /// The value of `Authorization`.
    pub bearer: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("a bound address")
}

/// The program without rate limits, whatever the environment says.
fn rota(arguments: &[&str], db: &Path, address: SocketAddr) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rota"));
    command
        .args(arguments)
        .arg("--db")
        .arg(db)
        .args(["--listen", &address.to_string()]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("ROTA_")) {
        command.env_remove(name);
    }
    command
        .env("ROTA_LOG", "warn")
        .env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
    command.stdin(Stdio::null());
    command
}

/// `rota serve` on a database with this key, and the time to its first response.
pub fn serve(db: &Path, key: &str) -> (Program, Duration) {
    let address = free_address();
    let begun = Instant::now();
    let child = rota(&["serve"], db, address)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let program = Program {
        child,
        address,
        bearer: format!("Bearer {key}"),
    };
    while TcpStream::connect(address).is_err() {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "the program does not listen"
        );
        std::thread::sleep(Duration::from_micros(500));
    }
    let answer = Client::connect(address).ask(&request("GET", "/healthz", &[], ""));
    let took = begun.elapsed();
    assert_eq!(answer.status, 200);
    (program, took)
}

/// `rota dev` on a database with a frozen clock.
pub fn dev(db: &Path, clock: &str) -> Program {
    dev_with(db, clock, &[])
}

/// The same with further variables of the environment.
pub fn dev_with(db: &Path, clock: &str, settings: &[(&str, &str)]) -> Program {
    let address = free_address();
    let mut command = rota(&["dev", "--empty", "--clock", clock], db, address);
    let mut child = command
        .envs(settings.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a piped output")).lines();
    let mut bearer = String::new();
    for line in lines
        .by_ref()
        .map_while(Result::ok)
        .take_while(|line| line != "ready")
    {
        if let Some(key) = line.strip_prefix("ROTA_API_KEY=") {
            bearer = format!("Bearer {key}");
        }
    }
    assert!(!bearer.is_empty(), "the program printed no key");
    Program {
        child,
        address,
        bearer,
    }
}

/// The baseline server in another process of this program. It responds with `head` (its headers) and `body`.
pub fn bare(head: &str, body: &[u8]) -> Program {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command
        .arg(crate::bare::ARGUMENT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("the bare handler starts");
    let mut input = child.stdin.take().expect("a piped input");
    input
        .write_all(&[head.as_bytes(), b"\r\n\r\n", body].concat())
        .expect("the answer goes over");
    drop(input);
    let mut address = String::new();
    let output = child.stdout.take().expect("a piped output");
    BufReader::new(output.take(64))
        .read_line(&mut address)
        .expect("its address");
    Program {
        child,
        address: address.trim().parse().expect("an address"),
        bearer: String::new(),
    }
}

impl Program {
    /// Memory in use, in megabytes (VmRSS).
    pub fn resident(&self) -> f64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("the status of a running process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next());
        kilobytes
            .expect("a VmRSS line")
            .parse::<f64>()
            .expect("a number")
            / 1024.0
    }

    /// Processor time used so far, in seconds.
    pub fn processor(&self) -> f64 {
        let path = format!("/proc/{}/stat", self.child.id());
        let stat = std::fs::read_to_string(path).expect("the state of a running process");
        // After the name in brackets come the state and, 11 and 12 fields later, user and system time in hundredths of a
        // second.
        let fields = stat
            .rsplit_once(')')
            .expect("a name in brackets")
            .1
            .split_whitespace();
        let ticks: u64 = fields
            .skip(11)
            .take(2)
            .map(|ticks| ticks.parse::<u64>().expect("a number"))
            .sum();
        ticks as f64 / 100.0
    }

    /// A request with the credential and further headers.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Vec<u8> {
        let headers = [&[("Authorization", self.bearer.as_str())], headers].concat();
        request(method, path, &headers, body)
    }
}
