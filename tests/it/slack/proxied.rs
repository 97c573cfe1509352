//! A network without a way to Slack but a proxy.

use super::texts;
use crate::support::slack::{APP_TOKEN, Slack, click, command};
use crate::support::*;
use std::io::{BufRead, BufReader, Write, copy};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Where nothing listens: only the proxy knows what is meant.
const NOWHERE: &str = "127.0.0.1:1";

/// A proxy that opens connections with CONNECT, and the hosts that it was asked for.
struct Proxy {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// `api` is where [`NOWHERE`] is.
    fn start(api: String) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (noted, api) = (Arc::clone(&noted), api.clone());
                std::thread::spawn(move || tunnel(stream, &noted, &api));
            }
        });
        Proxy { url, asked }
    }

    fn was_asked_for(&self, host: &str) -> bool {
        self.asked.lock().unwrap().iter().any(|one| one == host)
    }
}

fn tunnel(mut client: TcpStream, asked: &Mutex<Vec<String>>, api: &str) {
    let mut lines = BufReader::new(client.try_clone().expect("a copy")).lines();
    let first = lines.next().expect("a line").expect("text");
    // Nothing follows the head before it is answered, so nothing is lost in the buffer.
    while lines
        .next()
        .is_some_and(|line| !line.expect("text").is_empty())
    {}
    let host = first.strip_prefix("CONNECT ").expect("CONNECT");
    let host = host.strip_suffix(" HTTP/1.1").expect("HTTP/1.1").to_owned();
    let target = if host == NOWHERE { api } else { &host };
    let server = TcpStream::connect(target);
    asked.lock().unwrap().push(host.clone());
    let Ok(mut server) = server else {
        let _ = client.write_all(b"HTTP/1.1 502 Bad Gateway\r\n\r\n");
        return;
    };
    let _ = client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n");
    let mut back = (
        server.try_clone().expect("a copy"),
        client.try_clone().expect("a copy"),
    );
    let answers = std::thread::spawn(move || {
        let _ = copy(&mut back.0, &mut back.1);
        let _ = back.1.shutdown(Shutdown::Both);
    });
    let _ = copy(&mut client, &mut server);
    let _ = server.shutdown(Shutdown::Both);
    let _ = answers.join();
}

/// The host and port of a URL.
fn host(url: &str) -> &str {
    let (_, rest) = url.split_once("://").expect("a URL");
    rest.split('/').next().expect("a host")
}

#[test]
fn everything_goes_through_the_proxy() {
    let slack = Slack::with_people(2);
    let sockets = slack.socket_mode();
    let api = host(&slack.api_url).to_owned();
    let proxy = Proxy::start(api.clone());
    let rota = slack
        .start()
        .env("ROTA_SLACK_API_URL", format!("http://{NOWHERE}/api/"))
        .env("ROTA_SLACK_PROXY", &proxy.url)
        .env("ROTA_SLACK_APP_TOKEN", APP_TOKEN)
        .go();
    slack.read_directory(&rota);
    let rotation = rota.daily("U1 U2", 1);
    rotation.posts_in("C1");
    rotation.rotate();
    eventually("it is posted", || texts(&slack, "C1").len() == 1);
    sockets.await_greeted(1);
    let url = slack.response_url();
    let id = sockets.send("slash_commands", command("U1", "", &url));
    sockets.acknowledged(&id);
    assert!(proxy.was_asked_for(NOWHERE));
    assert!(proxy.was_asked_for(host(&sockets.url())));
    // Whoever clicks is answered at the response URL: here, that nobody knows them.
    assert!(!proxy.was_asked_for(&api));
    let clicked = click("U99", ("C1", "17.1"), ("unknown", "-"), &url);
    sockets.send("interactive", clicked);
    eventually("it is answered", || !slack.responses().is_empty());
    assert!(proxy.was_asked_for(&api));
}
