//! The chromedriver process, its JSON over HTTP, and the browsers that it has open.

use super::super::http::Connection;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Browsers that run at once: each takes a few processes and 200 MB.
const AT_ONCE: usize = 2;

/// How long chromedriver may take to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs chromedriver until its own standard input closes, which is when the test process ends, however it ends. The browsers are
/// its children, and do not reliably end with it. Their profiles go too.
const WATCHED: &str = "TMPDIR=$(mktemp -d); export TMPDIR
    chromedriver --port=0 & driver=$!
    read -r _
    for each in /proc/[0-9]*/stat; do
        read -r id name state parent rest <$each && [ \"$parent\" = $driver ] && kill $id
    done
    kill $driver; wait $driver
    rm -rf $TMPDIR";

/// chromedriver, and the browsers that nobody uses at the moment.
pub struct Driver {
    address: String,
    idle: Mutex<Vec<String>>,
    running: Mutex<usize>,
    freed: Condvar,
    /// Holds the standard input of the process open.
    _process: Mutex<Child>,
}

/// The right to run a browser.
pub struct Permit(&'static Driver);

impl Drop for Permit {
    fn drop(&mut self) {
        *self.0.running.lock().unwrap() -= 1;
        self.0.freed.notify_one();
    }
}

impl Driver {
    /// The driver of this process, started by the first test that asks; or why there is none.
    pub fn shared() -> Result<&'static Driver, &'static str> {
        static SHARED: OnceLock<Result<Driver, String>> = OnceLock::new();
        let shared = SHARED.get_or_init(Driver::start);
        shared.as_ref().map_err(String::as_str)
    }

    fn start() -> Result<Driver, String> {
        for (program, package) in [
            ("chromium", "chromium"),
            ("chromedriver", "chromium-driver"),
        ] {
            let found = Command::new(program)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            if !found.is_ok_and(|status| status.success()) {
                return Err(format!(
                    "{program} is not installed (Debian package {package})"
                ));
            }
        }
        let mut process = Command::new("sh")
            .args(["-c", WATCHED])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("chromedriver: {error}"))?;
        let output = BufReader::new(process.stdout.take().expect("its output"));
        let (sender, lines) = std::sync::mpsc::channel();
        // Reads on to the end, so that chromedriver never waits for a reader.
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let begun = Instant::now();
        let port = loop {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            let line = lines
                .recv_timeout(left)
                .map_err(|_| "chromedriver did not start".to_owned())?;
            let port = line.split("successfully on port ").nth(1);
            if let Some(port) = port.and_then(|rest| rest.split('.').next()) {
                break port.to_owned();
            }
        };
        Ok(Driver {
            address: format!("127.0.0.1:{port}"),
            idle: Mutex::default(),
            running: Mutex::default(),
            freed: Condvar::new(),
            _process: Mutex::new(process),
        })
    }

    /// Waits until fewer than the allowed number of browsers run.
    pub fn permit(&'static self) -> Permit {
        let running = self.running.lock().unwrap();
        let mut running = self
            .freed
            .wait_while(running, |running| *running >= AT_ONCE)
            .unwrap();
        *running += 1;
        Permit(self)
    }

    pub fn take_idle(&self) -> Option<String> {
        self.idle.lock().unwrap().pop()
    }

    pub fn give_back(&self, session: String) {
        self.idle.lock().unwrap().push(session);
    }

    /// Starts a browser that finds these hosts at other addresses, by Chromium's rules.
    pub fn begin(&self, host_rules: &str) -> String {
        let mut arguments = vec![
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            // What stands in the environment of the user who runs the tests does not matter.
            "--no-proxy-server".to_owned(),
            "--lang=en-GB".to_owned(),
            "--hide-scrollbars".to_owned(),
            "--force-color-profile=srgb".to_owned(),
        ];
        if !host_rules.is_empty() {
            arguments.push(format!("--host-resolver-rules={host_rules}"));
        }
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            // An alert that a page opens stays, and fails the next command.
            "unhandledPromptBehavior": "ignore",
            "goog:chromeOptions": { "args": arguments },
        } } });
        let begun = self.ask("POST", "/session", &wanted);
        let begun = begun.unwrap_or_else(|error| panic!("no browser: {error}"));
        begun["sessionId"].as_str().expect("an id").to_owned()
    }

    /// One command; an error is its code and message.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = match method {
            "POST" => body.to_string(),
            _ => String::new(),
        };
        let mut connection = Connection::open(&self.address);
        connection.send(format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            self.address,
            body.len()
        ));
        let reply = connection.answer(method).expect("an answer of the driver");
        let answer: Value = serde_json::from_slice(&reply.body).expect("JSON of the driver");
        let value = answer["value"].clone();
        match value["error"].as_str() {
            Some(code) => Err(format!(
                "{code}: {}",
                value["message"].as_str().unwrap_or_default()
            )),
            None => Ok(value),
        }
    }
}
