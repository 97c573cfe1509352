//! Random templates, checked against an implementation that tries every token at every position.

use super::*;
use crate::domain::forecast::OnCallSummary;
use crate::domain::rotation::Profile;
use crate::tests::{bent_text, try_out};
use proptest::prelude::*;

const TOKENS: [&str; 15] = [
    "NAME",
    "DESCRIPTION",
    "CODE",
    "DUTY_SIZE",
    "USER",
    "USERHANDLE",
    "USERID",
    "NEXT_USER",
    "NEXT_USERHANDLE",
    "NEXT_USERID",
    "UNTIL",
    "UNTIL_UTC",
    "NEXT_UNTIL",
    "NEXT_UNTIL_UTC",
    "DUTYHANDLE",
];

fn pieces(profile: &Profile, summary: &OnCallSummary, duty_handle: Option<&str>) -> Vec<Piece> {
    topic(
        TopicSubject {
            profile,
            summary,
            duty_handle,
        },
        &named,
    )
}

fn joined(pieces: &[Piece]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Plain(text) | Piece::Value(text) => text.clone(),
    };
    pieces.iter().map(text).collect()
}

fn with_template(profile: &Profile, template: &str) -> Profile {
    Profile {
        topic_template: Some(template.to_owned()),
        ..profile.clone()
    }
}

#[test]
fn templates_are_filled_token_by_token() {
    let part = prop_oneof![
        5 => prop::sample::select(TOKENS.to_vec()).prop_map(|token| format!("%{token}%")),
        1 => prop::sample::select(TOKENS.to_vec()).prop_map(str::to_lowercase),
        2 => "[%A-C_ ]{0,4}",
    ];
    let template = prop::collection::vec(part, 1..6).prop_map(|parts| parts.concat());
    let people = || prop::collection::vec("[a-c]{1,3}", 0..3);
    let text = || prop::option::of("[ -~\u{e5}]{0,12}");
    let case = (
        bent_text(template),
        people(),
        people(),
        text(),
        text(),
        prop::option::of(0..4_000_000_000_i64),
    );
    try_out(
        3_000,
        60..=100,
        case,
        |(template, on_call, next, description, code, until)| {
            let ids = |names: &[String]| names.iter().map(|name| name.as_str().into()).collect();
            let until = until.map(|second| Timestamp::from_second(second).unwrap());
            let zone = zone("Europe/Oslo").filter(|_| next.len() < 2);
            let summary = OnCallSummary {
                on_call: ids(&on_call),
                until,
                next: ids(&next),
                next_until: until,
                zone,
                ..OnCallSummary::default()
            };
            let profile = Profile {
                name: "%USER% & Co".into(),
                description,
                code,
                ..Profile::default()
            };
            let handle = on_call.first().map(String::as_str);
            let fill = |template: &str| {
                joined(&pieces(
                    &with_template(&profile, template),
                    &summary,
                    handle,
                ))
            };
            let mut expected = String::new();
            let mut rest = template.as_str();
            while let Some(first) = rest.chars().next() {
                let token = TOKENS
                    .iter()
                    .map(|token| format!("%{token}%"))
                    .find(|token| rest.starts_with(token));
                match token {
                    Some(token) => {
                        // The value of a token is the same on its own, and is not searched for tokens.
                        expected.push_str(&fill(&token));
                        rest = &rest[token.len()..];
                    }
                    None => {
                        expected.push(first);
                        rest = &rest[first.len_utf8()..];
                    }
                }
            }
            let found = pieces(&with_template(&profile, &template), &summary, handle);
            if template.trim().is_empty() {
                prop_assert!(!joined(&found).is_empty(), "the wording of the service");
                return Ok(false);
            }
            prop_assert_eq!(&joined(&found), &expected, "{:?}", template);
            let shown = fit(&found, 250);
            prop_assert!(shown.chars().count() <= 250);
            prop_assert_eq!(fit(&[Piece::Plain(shown.clone())], 250), shown);
            Ok(expected != template)
        },
    );
}
