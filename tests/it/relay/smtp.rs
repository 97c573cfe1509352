//! A strict mail server in the test's own process: it keeps every letter, and refuses, hangs or closes where it is told to.

use crate::support::*;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// How the server behaves towards later connections.
#[derive(Clone, Default)]
pub struct Manners {
    /// Offers STARTTLS with this certificate.
    pub certificate: Option<&'static str>,
    /// Begins with TLS, as behind `smtps://`.
    pub tls_first: bool,
    /// Takes letters only after this argument of `AUTH`, such as `PLAIN AGFuYQBzZWNyZXQ=`, or after `LOGIN` and both answers.
    pub auth: Option<&'static str>,
    /// Answers the command, `greeting` or `letter` with this instead.
    pub refuses: Vec<(&'static str, &'static str)>,
    /// Closes without an answer to the command, to the `greeting`, or to the `letter`, which it keeps.
    pub closes: Option<&'static str>,
    /// Waits before it answers a letter.
    pub gate: Option<Gate>,
}

/// A letter that the server took.
#[derive(Clone, Debug)]
pub struct Letter {
    pub to: String,
    pub data: String,
    /// Whether TLS protected it.
    pub secure: bool,
    /// Counts connections, from 1.
    pub connection: usize,
}

impl Letter {
    /// The value of a header, unfolded; `-` if there is none.
    pub fn header(&self, name: &str) -> String {
        let head = self.data.split("\r\n\r\n").next().unwrap_or_default();
        let head = head.replace("\r\n ", " ");
        let start = format!("{name}: ");
        let found = head
            .lines()
            .find_map(|line| line.strip_prefix(start.as_str()));
        found.unwrap_or("-").to_owned()
    }

    /// The names of all headers, in order.
    pub fn header_names(&self) -> Vec<String> {
        let head = self.data.split("\r\n\r\n").next().unwrap_or_default();
        let lines = head.split("\r\n").filter(|line| !line.starts_with(' '));
        lines
            .map(|line| line.split(':').next().unwrap_or_default().to_owned())
            .collect()
    }

    /// A part by its subtype, decoded.
    pub fn part(&self, kind: &str) -> String {
        let start = format!("Content-Type: text/{kind}");
        let (_, rest) = self.data.split_once(&start).expect("the part");
        let (_, body) = rest.split_once("\r\n\r\n").expect("its body");
        let (body, _) = body.split_once("\r\n--=_rota_=").expect("its end");
        let joined = body.replace("=\r\n", "");
        let mut bytes = Vec::new();
        let mut rest = joined.as_bytes();
        while let Some((first, more)) = rest.split_first() {
            rest = more;
            match first {
                b'=' => {
                    let digits = std::str::from_utf8(&rest[..2]).expect("digits");
                    bytes.push(u8::from_str_radix(digits, 16).expect("a byte"));
                    rest = &rest[2..];
                }
                byte => bytes.push(*byte),
            }
        }
        String::from_utf8(bytes)
            .expect("UTF-8")
            .replace("\r\n", "\n")
    }
}

#[derive(Default)]
struct Kept {
    letters: Mutex<Vec<Letter>>,
    connections: AtomicUsize,
    /// What the client did that no server has to bear.
    faults: Mutex<Vec<String>>,
}

/// The server.
pub struct Smtp {
    port: u16,
    manners: Arc<Mutex<Manners>>,
    kept: Arc<Kept>,
}

impl Smtp {
    pub fn new(manners: Manners) -> Smtp {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let smtp = Smtp {
            port: listener.local_addr().expect("an address").port(),
            manners: Arc::new(Mutex::new(manners)),
            kept: Arc::default(),
        };
        let (manners, kept) = (Arc::clone(&smtp.manners), Arc::clone(&smtp.kept));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let number = 1 + kept.connections.fetch_add(1, Ordering::SeqCst);
                let (manners, kept) = (manners.lock().unwrap().clone(), Arc::clone(&kept));
                std::thread::spawn(move || {
                    Dialogue::new(stream, manners, kept, number).run();
                });
            }
        });
        smtp
    }

    /// One that offers STARTTLS with a good certificate.
    pub fn secure() -> Smtp {
        Smtp::new(Manners {
            certificate: Some("good"),
            ..Manners::default()
        })
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn url(&self) -> String {
        format!("smtp://{}", self.address())
    }

    pub fn now(&self, manners: Manners) {
        *self.manners.lock().unwrap() = manners;
    }

    /// All but those about moved shifts, in order of arrival.
    #[track_caller]
    pub fn letters(&self) -> Vec<Letter> {
        let mut letters = self.all_letters();
        letters.retain(|letter| !letter.header("Subject").starts_with("Your shifts moved"));
        letters
    }

    /// In order of arrival.
    #[track_caller]
    pub fn all_letters(&self) -> Vec<Letter> {
        assert_eq!(*self.kept.faults.lock().unwrap(), Vec::<String>::new());
        self.kept.letters.lock().unwrap().clone()
    }

    /// `u1@example.com: subject` of each letter.
    #[track_caller]
    pub fn lines(&self) -> Vec<String> {
        let letters = self.letters();
        let line = |letter: &Letter| format!("{}: {}", letter.to, letter.header("Subject"));
        letters.iter().map(line).collect()
    }

    pub fn connections(&self) -> usize {
        self.kept.connections.load(Ordering::SeqCst)
    }
}

trait Line: Read + Write + Send {}
impl<T: Read + Write + Send> Line for T {}

struct Dialogue {
    stream: BufReader<Box<dyn Line>>,
    /// For STARTTLS.
    socket: TcpStream,
    manners: Manners,
    kept: Arc<Kept>,
    number: usize,
    secure: bool,
}

impl Dialogue {
    fn new(socket: TcpStream, manners: Manners, kept: Arc<Kept>, number: usize) -> Dialogue {
        let line: Box<dyn Line> = Box::new(socket.try_clone().expect("a socket"));
        Dialogue {
            stream: BufReader::new(line),
            socket,
            manners,
            kept,
            number,
            secure: false,
        }
    }

    fn say(&mut self, text: &str) -> bool {
        let stream = self.stream.get_mut();
        let said = stream.write_all(format!("{text}\r\n").as_bytes());
        said.and_then(|()| stream.flush()).is_ok()
    }

    fn fault(&self, what: String) {
        self.kept.faults.lock().unwrap().push(what);
    }

    fn read(&mut self) -> Option<String> {
        let mut line = Vec::new();
        let count = self.stream.read_until(b'\n', &mut line).ok()?;
        if count == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&line).into_owned();
        let bare = text.strip_suffix("\r\n");
        if bare.is_none() || !text.is_ascii() || text.len() > 1000 {
            self.fault(format!(
                "a line that is not short ASCII with CRLF: {text:?}"
            ));
        }
        Some(bare.unwrap_or(&text).to_owned())
    }

    /// Whether the server closes here, or has answered with a refusal.
    fn meets(&mut self, phase: &str) -> Option<bool> {
        if self.manners.closes == Some(phase) {
            return Some(false);
        }
        let refusal = self.manners.refuses.iter().find(|(at, _)| *at == phase);
        let (_, reply) = *refusal?;
        Some(self.say(reply) && !reply.starts_with("421"))
    }

    fn run(mut self) {
        if self.manners.tls_first {
            self.start_tls();
        }
        match self.meets("greeting") {
            Some(_) => return,
            None => drop(self.say("220 mail.test ESMTP")),
        }
        let (mut greeted, mut known) = (false, self.manners.auth.is_none());
        let (mut from, mut to) = (None::<String>, None::<String>);
        while let Some(line) = self.read() {
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_owned();
            let phase = match verb.as_str() {
                "MAIL" | "RCPT" | "DATA" | "EHLO" | "STARTTLS" | "AUTH" | "RSET" | "QUIT" => {
                    verb.as_str()
                }
                _ => {
                    self.fault(format!("an unknown command: {line:?}"));
                    return;
                }
            };
            match self.meets(phase) {
                Some(true) => continue,
                Some(false) => return,
                None => {}
            }
            let goes_on = match phase {
                "EHLO" => {
                    greeted = true;
                    let mut offers = vec!["mail.test", "SIZE 100000", "8BITMIME"];
                    if self.manners.certificate.is_some() && !self.secure {
                        offers.push("STARTTLS");
                    }
                    match self.manners.auth {
                        Some(auth) if auth.starts_with("LOGIN") => offers.push("AUTH LOGIN"),
                        Some(_) => offers.push("AUTH LOGIN PLAIN"),
                        None => {}
                    }
                    let last = offers.len() - 1;
                    offers.iter().enumerate().all(|(at, offer)| {
                        let sign = if at == last { ' ' } else { '-' };
                        self.say(&format!("250{sign}{offer}"))
                    })
                }
                "STARTTLS" => {
                    greeted = false;
                    self.say("220 go ahead") && self.start_tls()
                }
                "AUTH" => {
                    let mut given = line.replace("AUTH ", "");
                    if given == "LOGIN" {
                        // `Username:` and `Password:`.
                        for question in ["VXNlcm5hbWU6", "UGFzc3dvcmQ6"] {
                            self.say(&format!("334 {question}"));
                            given = format!("{given} {}", self.read().unwrap_or_default());
                        }
                    }
                    known = self.manners.auth == Some(&given);
                    self.say(if known {
                        "235 welcome"
                    } else {
                        "535 5.7.8 wrong"
                    })
                }
                "MAIL" if greeted && known && from.is_none() => {
                    from = Some(line);
                    self.say("250 ok")
                }
                "RCPT" if from.is_some() => {
                    let address = line
                        .strip_prefix("RCPT TO:<")
                        .and_then(|rest| rest.strip_suffix('>'));
                    to = address.map(str::to_owned);
                    self.say("250 ok")
                }
                "DATA" if to.is_some() => {
                    let goes_on = self.say("354 go ahead") && self.letter(to.take().expect("one"));
                    from = None;
                    goes_on
                }
                "RSET" => {
                    (from, to) = (None, None);
                    self.say("250 ok")
                }
                "QUIT" => {
                    self.say("221 bye");
                    return;
                }
                _ => {
                    self.fault(format!("a command out of order: {line:?}"));
                    self.say("503 out of order")
                }
            };
            if !goes_on {
                return;
            }
        }
    }

    fn start_tls(&mut self) -> bool {
        let name = self.manners.certificate.expect("a certificate");
        let config: Arc<ServerConfig> = Arc::new(tls_of(name));
        let connection = ServerConnection::new(config).expect("TLS");
        let socket = self.socket.try_clone().expect("a socket");
        self.stream = BufReader::new(Box::new(StreamOwned::new(connection, socket)));
        self.secure = true;
        true
    }

    fn letter(&mut self, to: String) -> bool {
        let mut data = String::new();
        loop {
            let Some(line) = self.read() else {
                return false;
            };
            if line == "." {
                break;
            }
            data.push_str(line.strip_prefix('.').unwrap_or(&line));
            data.push_str("\r\n");
        }
        if let Some(gate) = self.manners.gate.clone() {
            gate.pass();
        }
        let refused = self.manners.refuses.iter().any(|(at, _)| *at == "letter");
        if !refused {
            let letter = Letter {
                to,
                data,
                secure: self.secure,
                connection: self.number,
            };
            self.kept.letters.lock().unwrap().push(letter);
        }
        match self.meets("letter") {
            Some(goes_on) => goes_on,
            None => self.say("250 2.0.0 queued as 1"),
        }
    }
}
