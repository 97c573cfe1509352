//! The running server: `rota dev` on a free port with a frozen clock.

use super::http::{Caller, Connection};
use super::temp::TempDir;
use super::time::rfc;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

pub const BINARY: &str = env!("CARGO_BIN_EXE_rota");
/// A Monday, the default start of tests.
pub const MONDAY: &str = "2026-01-05T08:00Z";
const PATIENCE: Duration = Duration::from_secs(60);

/// The standard error of the process so far.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<String>>);

impl Log {
    pub fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }

    pub fn tail(&self) -> String {
        let text = self.text();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    fn push(&self, line: &str) {
        let mut text = self.0.lock().unwrap();
        text.push_str(line);
        text.push('\n');
    }
}

/// The binary with an environment without settings of the user who runs the tests.
pub fn rota(dir: &Path) -> Command {
    let mut command = Command::new(BINARY);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("ROTA_")) {
        command.env_remove(name);
    }
    command
        .current_dir(dir)
        .env("TMPDIR", dir)
        .stdin(Stdio::null());
    command
}

/// How a server is started; `Start::default()` is an empty one on Monday.
pub struct Start {
    clock: Option<String>,
    empty: bool,
    db: Option<PathBuf>,
    env: Vec<(&'static str, String)>,
}

impl Default for Start {
    fn default() -> Start {
        Start {
            clock: Some(MONDAY.to_owned()),
            empty: true,
            db: None,
            env: Vec::new(),
        }
    }
}

impl Start {
    pub fn clock(mut self, instant: &str) -> Start {
        self.clock = Some(instant.to_owned());
        self
    }

    pub fn running_clock(mut self) -> Start {
        self.clock = None;
        self
    }

    pub fn demo(mut self) -> Start {
        self.empty = false;
        self
    }

    pub fn db(mut self, path: &Path) -> Start {
        self.db = Some(path.to_owned());
        self
    }

    pub fn env(mut self, name: &'static str, value: impl ToString) -> Start {
        self.env.push((name, value.to_string()));
        self
    }

    #[track_caller]
    pub fn go(self) -> Rota {
        match self.attempt() {
            Ok(rota) => rota,
            Err((status, log)) => {
                panic!("rota dev ended with {status} before it was ready:\n{log}")
            }
        }
    }

    /// Starts and waits for `ready`. If the process ends instead, returns its status and standard error.
    pub fn attempt(self) -> Result<Rota, (ExitStatus, String)> {
        crate::waits::begin();
        let dir = TempDir::new();
        let mut command = rota(dir.path());
        command.args(["dev", "--listen", "127.0.0.1:0"]);
        if let Some(clock) = &self.clock {
            command.args(["--clock", &rfc(clock)]);
        }
        if self.empty {
            command.arg("--empty");
        }
        if let Some(db) = &self.db {
            command.arg("--db").arg(db);
        }
        command.envs(self.env);
        let (mut process, lines) = Process::spawn(&mut command);
        let mut output_lines = BTreeMap::new();
        loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) if line == "ready" => break,
                Ok(line) => {
                    if let Some((name, value)) = line.split_once('=') {
                        output_lines.insert(name.to_owned(), value.to_owned());
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(process.ended()),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    panic!("not ready in time:\n{}", process.log.tail())
                }
            }
        }
        let url = output_lines
            .remove("ROTA_URL")
            .expect("ROTA_URL= before ready");
        let key = output_lines
            .remove("ROTA_API_KEY")
            .expect("ROTA_API_KEY= before ready");
        let tokens = output_lines
            .into_iter()
            .filter_map(|(name, token)| Some((name.strip_prefix("ROTA_TOKEN_")?.to_owned(), token)))
            .collect();
        Ok(Rota {
            process,
            url,
            key,
            tokens,
            idle: Mutex::default(),
            _dir: dir,
        })
    }
}

/// What the lines of the log say that have its own address. Others have those of other servers.
const OWN: [&str; 3] = ["the public URL is", "listening on", "standing by at"];

/// The production server on a free port, which is read from its log.
#[track_caller]
pub fn serve(mut command: Command, key: &str) -> Rota {
    let (process, _) = Process::spawn(&mut command);
    let mut port = None;
    eventually("the address in the log of rota serve", || {
        let log = process.log.text();
        let lines: Vec<&str> = log
            .split_inclusive('\n')
            .filter(|line| OWN.iter().any(|own| line.contains(own)))
            .collect();
        port = lines.concat().split("127.0.0.1:").skip(1).find_map(|rest| {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            // The port is complete once another byte follows it.
            let whole = rest.len() > digits.len();
            digits
                .parse::<u16>()
                .ok()
                .filter(|port| *port != 0 && whole)
        });
        port.is_some()
    });
    let url = format!("http://127.0.0.1:{}", port.unwrap());
    Rota {
        process,
        url,
        key: key.to_owned(),
        tokens: BTreeMap::new(),
        idle: Mutex::default(),
        _dir: TempDir::new(),
    }
}

/// A child process whose output is read by threads, so that it never blocks on a full pipe.
pub struct Process {
    child: Child,
    pub log: Log,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Process {
    pub fn spawn(command: &mut Command) -> (Process, mpsc::Receiver<String>) {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let (sender, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let log = Log::default();
        let (sink, stderr) = (log.clone(), BufReader::new(child.stderr.take().unwrap()));
        let reader = std::thread::spawn(move || {
            for line in stderr.split(b'\n').map_while(Result::ok) {
                sink.push(&String::from_utf8_lossy(&line));
            }
        });
        (
            Process {
                child,
                log,
                reader: Some(reader),
            },
            lines,
        )
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args(["-s", name, &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
    }

    /// Whether it has ended.
    pub fn is_over(&mut self) -> bool {
        self.child.try_wait().expect("a process of ours").is_some()
    }

    /// Waits for the end. Returns status and standard error.
    pub fn ended(&mut self) -> (ExitStatus, String) {
        let (sender, over) = mpsc::channel::<()>();
        let pid = self.child.id().to_string();
        let guard = std::thread::spawn(move || {
            if over.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").args(["-s", "KILL", &pid]).status();
            }
        });
        let status = self.child.wait().expect("the process ends");
        drop(sender);
        let _ = guard.join();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        (status, self.log.text())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that is ready.
pub struct Rota {
    pub process: Process,
    pub url: String,
    pub key: String,
    /// The tokens in `ROTA_TOKEN_<USER>=`, by user.
    pub tokens: BTreeMap<String, String>,
    pub(super) idle: Mutex<Option<Connection>>,
    _dir: TempDir,
}

impl Rota {
    /// An empty server with its clock at the instant.
    #[track_caller]
    pub fn at(instant: &str) -> Rota {
        Start::default().clock(instant).go()
    }

    /// An empty server on Monday with the standard directory of a number of people.
    #[track_caller]
    pub fn with_people(people: usize) -> Rota {
        let rota = Rota::at(MONDAY);
        rota.people(people);
        rota
    }

    pub fn address(&self) -> &str {
        self.url.strip_prefix("http://").expect("an http base URL")
    }

    /// Stops the server as an operator does. Returns its status and log.
    pub fn stop(mut self) -> (ExitStatus, String) {
        self.idle.lock().unwrap().take();
        self.process.signal("TERM");
        self.process.ended()
    }

    pub fn caller(&self) -> Caller<'_> {
        self.with(&self.key)
    }

    pub fn with(&self, credential: &str) -> Caller<'_> {
        Caller {
            rota: self,
            credential: Some(credential.to_owned()),
        }
    }

    pub fn anyone(&self) -> Caller<'_> {
        Caller {
            rota: self,
            credential: None,
        }
    }

    /// A new member token of the person.
    #[track_caller]
    pub fn token(&self, user: &str) -> String {
        let answer = self.post("/dev/tokens", json!({ "userId": user })).ok();
        answer.json()["token"].as_str().expect("a token").to_owned()
    }

    /// A new key with these scopes, written "read:oncall write:duty".
    #[track_caller]
    pub fn key(&self, scopes: &str) -> String {
        self.mint(json!({ "name": "test", "scopes": super::words(scopes) }))
    }

    #[track_caller]
    pub fn mint(&self, body: Value) -> String {
        let answer = self.post("/dev/keys", body).ok();
        answer.json()["key"].as_str().expect("a key").to_owned()
    }

    /// Moves the clock to an instant, through everything that is due on the way.
    #[track_caller]
    pub fn to(&self, instant: &str) {
        self.post("/dev/clock", json!({ "to": rfc(instant) })).ok();
    }

    #[track_caller]
    pub fn advance(&self, seconds: i64) {
        self.post("/dev/clock", json!({ "advanceSeconds": seconds }))
            .ok();
    }

    #[track_caller]
    pub fn now(&self) -> String {
        super::instant(&self.get("/dev/clock").ok().json()["now"])
    }
}

/// A unique name, for Idempotency-Keys and operation ids.
pub fn unique(prefix: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Runs a command: exit code, standard output, standard error. Killed if it does not end.
pub fn run(command: &mut Command) -> (i32, String, String) {
    let (mut process, lines) = Process::spawn(command);
    let (status, errors) = process.ended();
    let output: String = lines.iter().map(|line| line + "\n").collect();
    (status.code().unwrap_or(-1), output, errors)
}

/// Repeats a check until it succeeds, for changes by another process.
#[track_caller]
pub fn eventually(what: &str, mut probe: impl FnMut() -> bool) {
    let start = Instant::now();
    while !probe() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "not in time: {what}"
        );
        // Yields the processor.
        std::thread::sleep(Duration::from_millis(1));
    }
}
