//! The permitted URLs of an endpoint: in `rota serve`, in `rota dev`, and with networks that the operator permits.

use crate::cli::{imported, key, on};
use crate::support::*;
use serde_json::{Value, json};
use std::path::Path;

/// A public address to which nothing is sent here.
const PUBLIC: &str = "https://93.184.216.34/hook";

/// Registers an endpoint that subscribes to nothing, and deletes it if that succeeds.
fn tried(by: &Caller, url: &str) -> Answer {
    let body = json!({ "name": "tried", "url": url, "eventTypes": [] });
    let answer = by.post("/v1/webhooks", body);
    if answer.status() == 201 {
        let path = format!("/v1/webhooks/{}", text(&answer.json()["endpoint"]["id"]));
        by.delete_if(&path, "*").is(204);
    }
    answer
}

/// The result for a URL: the URL that will be requested, or the end of the code and the range, if it is named.
fn judged(by: &Caller, url: &str) -> String {
    let answer = tried(by, url);
    if answer.status() == 201 {
        return text(&answer.json()["endpoint"]["url"]).to_owned();
    }
    let code = text(&answer.json()["code"]).to_owned();
    let problem = answer.refused(400, &code);
    let short = code.strip_prefix("webhook_url_").unwrap_or(&code);
    if short != "private_address" {
        return short.to_owned();
    }
    let detail = text(&problem["detail"]);
    let range = detail.split(" in the ").nth(1);
    let range = range.and_then(|rest| rest.split(" range").next());
    range.unwrap_or(detail).to_owned()
}

fn production(db: &Path, key: &str, setting: Option<&str>) -> Rota {
    let mut command = on(db, "serve --listen 127.0.0.1:0");
    command.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
    command.envs(setting.map(|nets| ("ROTA_WEBHOOKS_ALLOW_NETS", nets)));
    serve(command, key)
}

#[test]
fn a_url_is_kept_as_it_is_dialled() {
    let rota = Rota::at(MONDAY);
    let same = "";
    for (url, expected) in [
        ("https://127.0.0.1/hook", same),
        ("https://127.0.0.1:8443/hook", same),
        ("https://127.0.0.1:443/hook?a=b&c=%20", same),
        ("https://[::1]:8443/hook", same),
        ("http://127.0.0.1/hook", same),
        ("https://127.0.0.1", "https://127.0.0.1/"),
        ("https://127.0.0.1:1?a=b", "https://127.0.0.1:1/?a=b"),
        ("https://user:pass@127.0.0.1/hook", "https://127.0.0.1/hook"),
        ("https://user@127.0.0.1:1/hook", "https://127.0.0.1:1/hook"),
        ("https://:pass@127.0.0.1/", "https://127.0.0.1/"),
        ("https://a@b@127.0.0.1/", "https://127.0.0.1/"),
        ("https://127.0.0.1/hook#part", "https://127.0.0.1/hook"),
        ("https://127.0.0.1#part", "https://127.0.0.1/"),
        (
            "https://127.0.0.1/p?q=1#a@10.0.0.1/",
            "https://127.0.0.1/p?q=1",
        ),
        ("HTTPS://127.0.0.1/Hook", "https://127.0.0.1/Hook"),
    ] {
        let expected = if expected == same { url } else { expected };
        assert_eq!(judged(&rota.caller(), url), expected, "{url}");
    }
}

#[test]
fn development_opens_loopback_and_http_alone() {
    let rota = Rota::at(MONDAY);
    let unknown = format!("https://{}.invalid/", "x".repeat(64));
    let long = format!("https://127.0.0.1/{}", "x".repeat(2048));
    for (url, expected) in [
        ("", "malformed"),
        ("hook", "malformed"),
        ("/hook", "malformed"),
        ("127.0.0.1/hook", "malformed"),
        ("//127.0.0.1/hook", "malformed"),
        ("https:127.0.0.1", "malformed"),
        ("https://", "malformed"),
        ("https:///hook", "malformed"),
        ("https://user:pass@/hook", "malformed"),
        ("https://127.0.0.1:0/", "malformed"),
        ("https://127.0.0.1:65536/", "malformed"),
        ("https://127.0.0.1:port/", "malformed"),
        ("https://127.0.0.1/a b", "malformed"),
        ("https://127.0.0.1/a\r\nX: y", "malformed"),
        (" https://127.0.0.1/", "malformed"),
        ("https://[::1/", "malformed"),
        ("https://[zz]/", "malformed"),
        ("https://b\u{fc}cher.example/", "malformed"),
        (long.as_str(), "malformed"),
        ("ftp://127.0.0.1/", "scheme_not_allowed"),
        ("ws://127.0.0.1/", "scheme_not_allowed"),
        ("file:///etc/passwd", "scheme_not_allowed"),
        (unknown.as_str(), "host_not_resolvable"),
        ("https://10.0.0.1/", "private"),
        ("http://10.0.0.1/", "private"),
        ("https://169.254.169.254/", "metadata"),
        ("https://0.0.0.0/", "unspecified"),
    ] {
        assert_eq!(judged(&rota.caller(), url), expected, "{url}");
    }
}

#[test]
fn production_dials_public_addresses_over_https() {
    let (_dir, db) = imported();
    let key = key(&db, "--scope manage:webhooks");
    let rota = production(&db, &key, None);
    for (url, expected) in [
        ("http://93.184.216.34/", "scheme_not_allowed"),
        ("http://127.0.0.1/", "scheme_not_allowed"),
        ("HTTP://10.0.0.1/", "scheme_not_allowed"),
    ] {
        assert_eq!(judged(&rota.caller(), url), expected, "{url}");
    }
    for (range, hosts) in [
        (
            "loopback",
            "127.0.0.1 127.255.255.254 [::1] localhost 127.1 0x7f.1 0x7f000001 2130706433 017700000001 0177.0.0.1 \
             [::ffff:127.0.0.1] [::ffff:7f00:1] [64:ff9b::7f00:1] user@127.0.0.1 127.0.0.1:8443",
        ),
        (
            "private",
            "10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 167772161 [::ffff:10.0.0.1] \
             [64:ff9b::a00:1] [fc00::1] [fdff::1] 93.184.216.34@10.0.0.1",
        ),
        ("link-local", "169.254.0.1 169.254.255.255 [fe80::1]"),
        ("shared", "100.64.0.1 100.127.255.255"),
        (
            "metadata",
            "169.254.169.254 168.63.129.16 100.100.100.200 192.0.0.192 [fd00:ec2::254] [fd20:ce::254] \
             [::ffff:169.254.169.254] 0xa9fea9fe",
        ),
        ("unspecified", "0.0.0.0 0 [::] [::ffff:0.0.0.0]"),
        ("multicast", "224.0.0.1 239.255.255.255 [ff02::1]"),
        (
            "documentation",
            "192.0.2.1 198.51.100.1 203.0.113.1 [2001:db8::1] [3fff::1]",
        ),
        ("benchmarking", "198.18.0.1 198.19.255.255"),
        (
            "reserved",
            "240.0.0.1 255.255.255.255 [2001::1] [2002:5db8:d822::1] [100::1] [4000::1] [fec0::1]",
        ),
    ] {
        for host in words(hosts) {
            let url = format!("https://{host}/hook");
            assert_eq!(judged(&rota.caller(), &url), range, "{url}");
        }
    }
    for host in [
        "93.184.216.34",
        "93.184.216.34:8443",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "198.20.0.0",
        "223.255.255.255",
        "[2606:4700::1111]",
        "[64:ff9b::5db8:d822]",
    ] {
        let url = format!("https://{host}/hook");
        assert_eq!(judged(&rota.caller(), &url), url);
    }
}

#[test]
fn a_replacement_is_judged_as_strictly() {
    let (_dir, db) = imported();
    let key = key(&db, "--scope manage:webhooks");
    let rota = production(&db, &key, None);
    let hook = rota.hook_at(PUBLIC, "");
    let before = hook.read();
    for (url, code) in [
        ("https://", "webhook_url_malformed"),
        ("http://93.184.216.34/", "webhook_url_scheme_not_allowed"),
        ("https://127.0.0.1/", "webhook_url_private_address"),
        ("https://[::ffff:10.0.0.1]/", "webhook_url_private_address"),
    ] {
        let body = json!({ "name": "other", "url": url, "eventTypes": [] });
        hook.by.put_if(&hook.path(), "*", body).refused(400, code);
    }
    assert_eq!(hook.read(), before);
}

#[test]
fn networks_are_opened_by_name() {
    let (dir, db) = imported();
    let key = key(&db, "--scope manage:webhooks");
    let open = |url: &str| url.to_owned();
    let shut = |range: &str| range.to_owned();
    let ten = "https://10.1.2.3/";
    let loopback = "https://127.0.0.1/";
    let local = "https://169.254.1.1/";
    let metadata = "https://169.254.169.254/";
    for (nets, expected) in [
        (
            "10.1.0.0/16, fd00:1::/32",
            [
                open(ten),
                shut("loopback"),
                shut("link-local"),
                shut("metadata"),
            ],
        ),
        // A dangerous range is permitted only by an entry that lies wholly inside it.
        (
            "0.0.0.0/0,::/0",
            [
                open(ten),
                shut("loopback"),
                shut("link-local"),
                shut("metadata"),
            ],
        ),
        (
            "127.0.0.0/8,169.254.0.0/16",
            [
                shut("private"),
                open(loopback),
                open(local),
                shut("metadata"),
            ],
        ),
        (
            "169.254.169.254",
            [
                shut("private"),
                shut("loopback"),
                shut("link-local"),
                open(metadata),
            ],
        ),
    ] {
        let rota = production(&db, &key, Some(nets));
        let found = [ten, loopback, local, metadata].map(|url| judged(&rota.caller(), url));
        assert_eq!(found, expected, "{nets}");
        let plain = judged(&rota.caller(), "http://10.1.2.3/");
        assert_eq!(plain, "scheme_not_allowed", "{nets}");
        rota.stop();
    }
    dir.file("rota.toml", "[webhooks]\nallow_nets = [\"10.1.0.0/16\"]\n");
    let from_file = serve(
        on(&db, "serve --config rota.toml --listen 127.0.0.1:0"),
        &key,
    );
    assert_eq!(judged(&from_file.caller(), ten), ten);
    assert_eq!(judged(&from_file.caller(), "https://10.2.0.1/"), "private");
}

#[test]
fn a_url_is_text() {
    let rota = Rota::at(MONDAY);
    for url in [Value::Null, json!(7), json!(["https://127.0.0.1/"])] {
        let body = json!({ "name": "Pager", "url": url, "eventTypes": [] });
        rota.post("/v1/webhooks", body).names("url");
    }
}
