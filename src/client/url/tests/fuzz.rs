//! Random URLs, checked against the parser of the HTTP library.

use super::*;
use crate::tests::{bent_text, try_out};
use proptest::prelude::*;
use ureq::http::Uri;

fn some_url() -> impl Strategy<Value = String> {
    let scheme =
        prop_oneof![6 => Just("https"), 2 => Just("http"), 1 => Just("HTTPS"), 1 => Just("ftp")];
    let host = prop_oneof![
        6 => "[a-zA-Z0-9][a-z0-9.-]{0,12}",
        1 => "[0-9]{1,3}(\\.[0-9]{1,3}){3}",
        1 => "\\[[0-9a-fA-F:]{2,8}\\]",
        1 => prop::sample::select(vec!["[::1]", "[2001:DB8::1]", "localhost", "xn--bcher-kva.example"]).prop_map(str::to_owned),
    ];
    let credentials = prop_oneof![5 => Just(""), 1 => Just("me:pw@"), 1 => Just("a@b@")];
    let port = prop_oneof![5 => Just(String::new()), 2 => (0..70_000_u32).prop_map(|port| format!(":{port}")), 1 => Just(":443".to_owned())];
    let rest = prop_oneof![3 => "(/[a-zA-Z0-9._~%+-]{0,8}){0,3}", 1 => "/?(\\?[a-z=&/@?]{0,8})?(#[a-z/?@]{0,5})?"];
    (scheme, credentials, host, port, rest).prop_map(|(scheme, credentials, host, port, rest)| {
        format!("{scheme}://{credentials}{host}{port}{rest}")
    })
}

#[test]
fn urls_are_what_is_dialled() {
    try_out(6_000, 25..=85, bent_text(some_url()), |url| {
        let read = Url::parse(&url, false);
        let plain = Url::parse(&url, true);
        match &read {
            Err(why) => {
                let detail = why.detail();
                prop_assert!(
                    detail.starts_with("url: ") && !detail.contains(char::is_control),
                    "{:?}",
                    detail
                );
                prop_assert!(detail.len() < 2_300);
            }
            Ok(target) => {
                prop_assert_eq!(
                    &plain,
                    &read,
                    "what goes over https goes where http is allowed, too"
                );
                prop_assert!(target.as_str().starts_with("https://"));
            }
        }
        let Ok(target) = plain else { return Ok(false) };
        prop_assert!(read.is_ok() || target.as_str().starts_with("http://"));
        let dialled: Uri = target
            .as_str()
            .parse()
            .expect("a URL for the one who dials");
        let host = dialled.host().expect("a host");
        prop_assert_eq!(
            host.trim_start_matches('[').trim_end_matches(']'),
            target.host(),
            "{}",
            url
        );
        let own = if dialled.scheme_str() == Some("https") {
            443
        } else {
            80
        };
        prop_assert_eq!(dialled.port_u16().unwrap_or(own), target.port());
        let authority = match target.port() {
            port if port == own => host.to_owned(),
            port => format!("{host}:{port}"),
        };
        prop_assert_eq!(target.authority(), authority);
        prop_assert_eq!(host, &host.to_ascii_lowercase());
        prop_assert!(dialled.path().starts_with('/'));
        // The result has no credentials and no fragment.
        let shown = target.as_str();
        prop_assert!(
            !dialled
                .authority()
                .expect("an authority")
                .as_str()
                .contains('@')
        );
        prop_assert!(!shown.contains('#') && shown.is_ascii() && shown.len() <= 2048);
        let again = Url::parse(shown, true);
        prop_assert_eq!(again.as_ref(), Ok(&target), "{}", shown);
        // Everything after the authority is unchanged.
        let sent = url.split('#').next().unwrap_or_default();
        let after = dialled.path_and_query().map_or("", |rest| rest.as_str());
        prop_assert!(
            sent.ends_with(after) || sent.ends_with(&after[1..]),
            "{} of {}",
            after,
            url
        );
        Ok(true)
    });
}
