//! Behind a reverse proxy: the client's address, the URLs in responses, and the logged request ids.

use crate::support::*;
use serde_json::json;

/// A server with rate limits that trusts the proxies of these networks.
fn trusting(networks: &str) -> Rota {
    let start = Start::default().env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 600);
    let start = start.env("ROTA_LOG", "info,rota::api=debug");
    start.env("ROTA_HTTP_TRUSTED_PROXIES", networks).go()
}

/// Sends an invalid credential with these lines of `X-Forwarded-For`.
fn fails(rota: &Rota, forwarded: &[&str]) -> u16 {
    let mut request = rota.with("svc_key_x_y").request("GET", "/v1/users");
    for line in forwarded {
        request = request.header("X-Forwarded-For", line);
    }
    request.send().status()
}

#[test]
fn a_trusted_proxy_names_the_client_that_is_slowed_down() {
    let rota = trusting("127.0.0.1, 10.1.0.0/16");
    let slowed = |forwarded: &[&str]| {
        (0..10).for_each(|_| assert_eq!(fails(&rota, forwarded), 401, "{forwarded:?}"));
        assert_eq!(fails(&rota, forwarded), 429, "{forwarded:?}");
    };
    slowed(&["203.0.113.9"]);
    // In every notation of the list, and whatever the client has prepended.
    for same in [
        &["198.51.100.1, 203.0.113.9"][..],
        &["198.51.100.2", "203.0.113.9"],
        &["203.0.113.9:4711, 10.1.2.3"],
        &["203.0.113.9", "10.1.2.3"],
        &["::ffff:203.0.113.9"],
    ] {
        assert_eq!(fails(&rota, same), 429, "{same:?}");
    }
    // Other clients are not limited with it; one IPv6 network is one client.
    slowed(&["198.51.100.1"]);
    slowed(&["[2001:db8::7]:4711"]);
    assert_eq!(fails(&rota, &["2001:db8::8"]), 429);
    assert_eq!(fails(&rota, &["2001:db8:1::8"]), 401);
    // If no client is named, the proxy counts.
    slowed(&[]);
    for nobody in ["unknown", "203.0.113.77, unknown", "10.1.2.3", "junk", ","] {
        assert_eq!(fails(&rota, &[nobody]), 429, "{nobody}");
    }
}

#[test]
fn nobody_else_says_who_they_are() {
    for networks in ["", "10.1.0.0/16"] {
        let rota = trusting(networks);
        rota.people(1);
        let rotation = rota.rotation("U1");
        for n in 0..10 {
            assert_eq!(fails(&rota, &[&format!("203.0.113.{n}")]), 401);
        }
        assert_eq!(fails(&rota, &["203.0.113.77"]), 429, "{networks}");
        let request = rota.request("GET", &rotation.path("/inbound-webhook"));
        let request = request.header("X-Forwarded-Proto", "https");
        let shown = request.send().is(200).json();
        assert!(text(&shown["url"]).starts_with(&format!("{}/webhook/", rota.url)));
    }
}

#[test]
fn addresses_in_answers_have_the_scheme_of_the_client() {
    let public = Start::default().env("ROTA_BASE_URL", "http://rota.example.org");
    let public = public.env("ROTA_HTTP_TRUSTED_PROXIES", "127.0.0.0/8").go();
    let secure = Start::default().env("ROTA_BASE_URL", "https://rota.example.org");
    let secure = secure.env("ROTA_HTTP_TRUSTED_PROXIES", "127.0.0.0/8").go();
    let unset = trusting("127.0.0.0/8");
    let local = unset.address();
    let encrypted = format!("https://{local}");
    for (rota, proto, expected) in [
        (&unset, "https", encrypted.as_str()),
        (&unset, "HTTPS", &encrypted),
        (&unset, "http", &unset.url),
        (&unset, "ftp", &unset.url),
        (&unset, "https, http", &unset.url),
        (&public, "https", "https://rota.example.org"),
        (&public, "http", "http://rota.example.org"),
        (&secure, "https", "https://rota.example.org"),
        (&secure, "http", "https://rota.example.org"),
    ] {
        rota.people(1);
        let rotation = rota.rotation("U1");
        let request = rota.request("GET", &rotation.path("/inbound-webhook"));
        let answer = request.header("X-Forwarded-Proto", proto).send();
        let answer = answer.is(200).json();
        let url = text(&answer["url"]);
        let found = url.split("/webhook/").next();
        assert_eq!(found, Some(expected), "{proto}");
    }
}

#[test]
fn a_clients_request_id_is_logged_beside_ours() {
    let rota = trusting("127.0.0.1");
    let request = rota.anyone().request("GET", "/healthz");
    let request = request.header("X-Forwarded-For", "203.0.113.9");
    let answer = request.header("X-Request-Id", "abc-1.2_Z").send().is(200);
    let ours = answer.header("x-request-id").expect("an id").to_owned();
    assert!(ours.starts_with("req_"), "{ours}");
    let send = |id: &str| {
        let request = rota.anyone().request("GET", "/healthz");
        let answer = request.header("X-Request-Id", id).send();
        answer.header("x-request-id").expect("an id").to_owned()
    };
    let (longest, longer) = ("a".repeat(128), "a".repeat(129));
    let (good, bad) = (
        send(&longest),
        [send(&longer), send("a b"), send("a\u{e9}")],
    );
    let (_, log) = rota.stop();
    let line = |id: &str| {
        let line = log.lines().find(|line| line.ends_with(id));
        let line = line.unwrap_or_else(|| panic!("{id} is not in {log}"));
        let begins = line.find("] ").expect("a time and a module") + 2;
        let (from, rest) = line[begins..].split_once(' ').expect("an address");
        let (_, ids) = rest.split_once(" us ").expect("how long it took");
        (from.to_owned(), ids.to_owned())
    };
    let logged = |from: &str, ids: String| (from.to_owned(), ids);
    let expected = logged("203.0.113.9", format!("(abc-1.2_Z) {ours}"));
    assert_eq!(line(&ours), expected);
    assert_eq!(
        line(&good),
        logged("127.0.0.1", format!("({longest}) {good}"))
    );
    for id in bad {
        assert_eq!(line(&id), logged("127.0.0.1", id.clone()));
    }
}

#[test]
fn a_clients_request_id_is_in_the_log_of_a_change() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let request = rota
        .request("PATCH", &rotation.path(""))
        .header("If-Match", "*");
    let request = request.header("X-Request-Id", "deploy-42");
    let answer = request.json(&json!({ "name": "Renamed" })).send().is(200);
    let changed = answer.header("x-request-id").expect("an id").to_owned();
    let request = rota.with("svc_key_x_y").request("GET", "/v1/users");
    let answer = request.header("X-Request-Id", "probe-7").send().is(401);
    let refused = answer.header("x-request-id").expect("an id").to_owned();
    let entries = rota.get("/v1/audit").is(200).json();
    assert_eq!(entries["data"][1]["requestId"], json!(changed));
    // Without any setting of the log.
    let (_, log) = rota.stop();
    for (theirs, ours) in [("deploy-42", changed), ("probe-7", refused)] {
        let beside = format!(" ({theirs}) {ours} ");
        assert!(log.contains(&beside), "{beside} is not in {log}");
    }
}
