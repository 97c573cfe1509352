//! Dispatch to edges, and what an edge sees of a request.

use super::super::dispatch::{Dispatch, Edge, Outcome};
use super::super::problem::Problem;
use super::*;
use crate::metrics::{Metrics, RouteMetrics};
use crate::wire::url;

/// Echoes the request.
struct Echo {
    prefixes: &'static [&'static str],
    answers: RouteMetrics,
}

impl Echo {
    fn boxed(metrics: &Metrics, prefixes: &'static [&'static str]) -> Box<dyn Edge> {
        Box::new(Echo {
            prefixes,
            answers: metrics.route("GET", prefixes[0]),
        })
    }
}

impl Edge for Echo {
    fn prefixes(&self) -> &'static [&'static str] {
        self.prefixes
    }

    fn log_target(&self) -> &'static str {
        "test"
    }

    fn handle<'a>(&'a self, request: &Request, _: &str, counted: &mut &'a RouteMetrics) -> Outcome {
        *counted = &self.answers;
        if request.method() == "BREW" {
            return Err(Problem::wrong_method("GET"));
        }
        let cookies: Vec<String> = request
            .cookies()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let kind = request.header("content-type").unwrap_or("-");
        let body = String::from_utf8(request.take_body().expect("in memory")).expect("text");
        assert_eq!(request.take_body().expect("in memory"), b"");
        let form = url::parameters(&body).expect("a form");
        let (own, cookies) = (self.prefixes[0], cookies.join("|"));
        Ok(text(200, format!("{own} {cookies} {kind} {body} {form:?}")))
    }

    fn counted(&self, _: &Request) -> Option<&RouteMetrics> {
        Some(&self.answers)
    }

    fn render(&self, request: &Request, problem: &Problem, id: &str) -> Response {
        let page = format!("{} {} {id}", request.target(), problem.status);
        Response::new(problem.status, "text/html", Body::from_data(page))
    }
}

fn dispatch() -> impl Service {
    let metrics = Metrics::default();
    let all: [&'static [&'static str]; 3] = [&["/a", "/other"], &["/a/deep"], &[""]];
    let edges = all.map(|prefixes| Echo::boxed(&metrics, prefixes));
    Dispatch::new(&metrics, edges.into(), || Timestamp::UNIX_EPOCH)
}

fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Request {
    let peer = ([192, 0, 2, 1], 1).into();
    let header = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    let headers = headers.iter().map(header).collect();
    Request::new(peer, method.into(), target.into(), headers, body.into())
}

fn body(response: Response) -> String {
    let mut text = String::new();
    let (mut reader, _) = response.body.into_reader_and_size();
    reader.read_to_string(&mut text).expect("text");
    text
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    let found = response.headers.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_ref())
}

#[test]
fn the_longest_prefix_has_the_path() {
    let dispatch = dispatch();
    for (target, expected) in [
        ("/a", "/a "),
        ("/a?b", "/a "),
        ("/a/", "/a "),
        ("/a/b", "/a "),
        ("/a//b", "/a "),
        ("/other", "/a "),
        ("/a/deep", "/a/deep "),
        ("/a/deep/er?c", "/a/deep "),
        ("/a/deeper", "/a "),
        ("/ab", " "),
        ("/%61", " "),
        ("/A", " "),
        ("/b/a", " "),
        ("/", " "),
        ("/?/a", " "),
    ] {
        let response = dispatch.handle(&request("GET", target, &[], ""));
        let found = body(response);
        assert!(
            found.starts_with(&format!("{expected} - ")),
            "{target}: {found}"
        );
    }
}

#[test]
fn what_no_edge_has_is_a_problem() {
    let response = dispatch().handle(&request("OPTIONS", "*", &[], ""));
    assert_eq!(response.status, 404);
    assert_eq!(
        header(&response, "Content-Type"),
        Some("application/problem+json")
    );
    let id = header(&response, REQUEST_ID).expect("an id").to_owned();
    let problem = body(response);
    assert!(
        problem.contains(&format!("\"instance\":\"{id}\"")),
        "{problem}"
    );
}

#[test]
fn an_edge_sees_the_whole_request() {
    let headers = [
        ("Cookie", "a=1; b=\"two\"; broken; c=x=y"),
        ("CONTENT-TYPE", "application/x-www-form-urlencoded"),
    ];
    let response = dispatch().handle(&request("POST", "/a", &headers, "user=U1&text=a+%26+b"));
    assert_eq!(
        body(response),
        "/a a=1|b=two|c=x=y application/x-www-form-urlencoded user=U1&text=a+%26+b \
         [(\"user\", \"U1\"), (\"text\", \"a & b\")]"
    );
}

/// Refusals, panics and oversized bodies.
#[test]
fn an_edge_renders_its_problems() {
    let dispatch = dispatch();
    let large = Malformed::new(413, "too large");
    for (response, status) in [
        (dispatch.handle(&request("BREW", "/a", &[], "")), 405),
        (
            dispatch.panicked(&request("GET", "/a", &[], ""), "why"),
            500,
        ),
        (
            dispatch.too_large(&request("GET", "/a", &[], ""), large),
            413,
        ),
    ] {
        assert_eq!(response.status, status);
        assert_eq!(header(&response, "Content-Type"), Some("text/html"));
        let id = header(&response, REQUEST_ID).expect("an id").to_owned();
        assert_eq!(body(response), format!("/a {status} {id}"));
    }
    let unreadable = dispatch.malformed(Malformed::new(400, "no request"));
    assert_eq!(
        header(&unreadable, "Content-Type"),
        Some("application/problem+json")
    );
}

#[test]
fn ids_count() {
    let dispatch = dispatch();
    let id = || {
        let response = dispatch.handle(&request("GET", "/a", &[], ""));
        header(&response, REQUEST_ID).expect("an id").to_owned()
    };
    let (first, second) = (id(), id());
    let run = first.strip_suffix("_1").expect("the first");
    assert_eq!(second, format!("{run}_2"));
    assert_eq!((run.len(), run.starts_with("req_")), (12, true));
}
