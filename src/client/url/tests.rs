mod fuzz;

use super::{Url, UrlError};

#[test]
fn targets_are_shown_as_they_will_be_dialled() {
    for (url, dialled, host, port, authority) in [
        (
            "https://example.com/hook",
            "https://example.com/hook",
            "example.com",
            443,
            "example.com",
        ),
        (
            "HTTPS://EXAMPLE.com/Hook",
            "https://example.com/Hook",
            "example.com",
            443,
            "example.com",
        ),
        (
            "https://example.com",
            "https://example.com/",
            "example.com",
            443,
            "example.com",
        ),
        (
            "https://example.com?a=/b",
            "https://example.com/?a=/b",
            "example.com",
            443,
            "example.com",
        ),
        (
            "https://example.com#top",
            "https://example.com/",
            "example.com",
            443,
            "example.com",
        ),
        (
            "https://example.com/a?b=c#top?/@",
            "https://example.com/a?b=c",
            "example.com",
            443,
            "example.com",
        ),
        (
            "https://me:pw@example.com/",
            "https://example.com/",
            "example.com",
            443,
            "example.com",
        ),
        (
            "https://a@b@example.com:8443/",
            "https://example.com:8443/",
            "example.com",
            8443,
            "example.com:8443",
        ),
        (
            "https://example.com:443/",
            "https://example.com:443/",
            "example.com",
            443,
            "example.com",
        ),
        (
            "https://example.com:0443/@x",
            "https://example.com:443/@x",
            "example.com",
            443,
            "example.com",
        ),
        (
            "https://[2606:4700::1111]:99/",
            "https://[2606:4700::1111]:99/",
            "2606:4700::1111",
            99,
            "[2606:4700::1111]:99",
        ),
        (
            "https://[::FFFF:127.0.0.1]",
            "https://[::ffff:127.0.0.1]/",
            "::ffff:127.0.0.1",
            443,
            "[::ffff:127.0.0.1]",
        ),
        (
            "http://0x7f.1:80/",
            "http://0x7f.1:80/",
            "0x7f.1",
            80,
            "0x7f.1",
        ),
        (
            "http://localhost.:443",
            "http://localhost.:443/",
            "localhost.",
            443,
            "localhost.:443",
        ),
        (
            "https://a_b.example/%7Ex",
            "https://a_b.example/%7Ex",
            "a_b.example",
            443,
            "a_b.example",
        ),
    ] {
        let target = Url::parse(url, true).unwrap_or_else(|bad| panic!("{url}: {bad}"));
        assert_eq!(target.as_str(), dialled, "{url}");
        assert_eq!(target.host(), host, "{url}");
        assert_eq!(target.port(), port, "{url}");
        assert_eq!(target.authority(), authority, "{url}");
        // Parsing the result again changes nothing.
        assert_eq!(Url::parse(dialled, true).as_ref(), Ok(&target), "{url}");
    }
}

#[test]
fn what_is_no_complete_url_is_malformed() {
    for (url, says) in [
        ("", "complete"),
        ("/hook", "complete"),
        ("//example.com/hook", "complete"),
        ("example.com/hook", "complete"),
        ("example.com:443/hook", "complete"),
        ("https:example.com", "complete"),
        ("https:/example.com", "complete"),
        ("1https://example.com", "complete"),
        ("https://", "no host"),
        ("https:///hook", "no host"),
        ("https://me:pw@/hook", "no host"),
        ("https://:443/hook", "no host"),
        (" https://example.com", "spaces"),
        ("https://example.com/a b", "spaces"),
        ("https://exam\tple.com/", "spaces"),
        ("https://example.com/\r\nHost: x", "spaces"),
        ("https://example.com/\u{7f}", "spaces"),
        ("https://bücher.example/", "punycode"),
        ("https://example.com/ü", "percent-encode"),
        ("https://example.com:0/", "1 to 65535"),
        ("https://example.com:65536/", "1 to 65535"),
        ("https://example.com:/", "1 to 65535"),
        ("https://example.com:+1/", "1 to 65535"),
        ("https://example.com:1:2/", "1 to 65535"),
        ("https://[::1]:x/", "1 to 65535"),
        ("https://::1/", "1 to 65535"),
        ("https://[::1/", "1 to 65535"),
        ("https://[::1]x/", "letters, digits"),
        ("https://[]/", "IPv6"),
        ("https://[127.0.0.1]/", "IPv6"),
        ("https://[fe80::1%25eth0]/", "IPv6"),
        ("https://exam%70le.com/", "letters, digits"),
        ("https://example.com\\@evil.example\\x/", "letters, digits"),
        ("https://a,b/", "letters, digits"),
        ("https://example.com/<x>", "percent-encode"),
    ] {
        match Url::parse(url, false) {
            Err(refused @ UrlError::Malformed(_)) => {
                let detail = refused.detail();
                assert!(detail.starts_with("url: "), "{url}: {detail}");
                assert!(detail.contains(says), "{url}: {detail}");
            }
            other => panic!("{url}: {other:?}"),
        }
    }
}

#[test]
fn length_is_that_of_what_is_dialled() {
    let longest = format!("https://example.com/{}", "a".repeat(2048 - 20));
    assert!(Url::parse(&longest, false).is_ok());
    assert!(Url::parse(&format!("{longest}#top"), false).is_ok());
    let bad = Url::parse(&format!("{longest}a"), false).expect_err("too long");
    assert!(bad.detail().contains("2,048"), "{bad}");
}

#[test]
fn schemes_are_held_to_the_rules() {
    for (url, plain_http, allowed) in [
        ("https://example.com/", false, true),
        ("https://example.com/", true, true),
        ("http://example.com/", false, false),
        ("HTTP://example.com/", true, true),
        ("ftp://example.com/", true, false),
        ("file:///etc/passwd", true, false),
    ] {
        match Url::parse(url, plain_http) {
            Ok(_) => assert!(allowed, "{url}"),
            Err(refused @ UrlError::SchemeNotAllowed(_)) => {
                let detail = refused.detail();
                assert!(!allowed, "{url}");
                assert!(detail.starts_with("url: ") && detail.contains("https"));
            }
            other => panic!("{url}: {other:?}"),
        }
    }
}
