//! The topic of a channel: the rotation's template, or the default.

use super::{Piece, Renderer, clock};
use crate::domain::forecast::OnCallSummary;
use crate::domain::ids::UserId;
use crate::domain::rotation::Profile;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;

/// The default template.
const USUAL: &str = "%NAME%: %USER% until %UNTIL%, next %NEXT_USER%";

/// The default if nobody is on call.
const USUAL_NOBODY: &str = "%NAME%: nobody is on call, next %NEXT_USER%";

/// The default if nothing is scheduled.
const USUAL_OPEN: &str = "%NAME%: %USER%";

/// The text for a missing value.
const NOTHING: &str = "N/A";

/// The data of a topic.
#[derive(Clone, Copy)]
pub struct TopicSubject<'a> {
    pub profile: &'a Profile,
    pub summary: &'a OnCallSummary,
    /// The handle of the on-duty group.
    pub duty_handle: Option<&'a str>,
}

/// Fills in the template. A token without a value is `N/A`; an unknown token stays as written.
pub fn topic(subject: TopicSubject, renderer: &dyn Renderer) -> Vec<Piece> {
    let summary = subject.summary;
    let usual = match (summary.is_nobody(), summary.until) {
        (true, _) => USUAL_NOBODY,
        (false, Some(_)) => USUAL,
        (false, None) => USUAL_OPEN,
    };
    let template = subject.profile.topic_template.as_deref();
    let template = template.filter(|template| !template.trim().is_empty());
    let template = template.unwrap_or(usual);
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((plain, from)) = rest.split_once('%') {
        let token = from.split_once('%');
        match token.and_then(|(name, _)| value(name, subject, renderer)) {
            Some(value) => {
                pieces.push(Piece::Plain(plain.to_owned()));
                pieces.extend(value);
                rest = token.map_or("", |(_, rest)| rest);
            }
            None => {
                pieces.push(Piece::Plain(format!("{plain}%")));
                rest = from;
            }
        }
    }
    pieces.push(Piece::Plain(rest.to_owned()));
    pieces
}

/// The value of a token; `None` if the token is unknown.
fn value(token: &str, subject: TopicSubject, renderer: &dyn Renderer) -> Option<Vec<Piece>> {
    let (profile, summary) = (subject.profile, subject.summary);
    let one = |value: Option<String>| vec![Piece::Value(value.unwrap_or(NOTHING.into()))];
    let people = |people: &[UserId], of: &dyn Fn(&UserId) -> String, outside: &[String]| {
        let outside = outside.iter().map(|name| renderer.plain(name));
        let mut pieces = Vec::new();
        for person in people.iter().map(of).chain(outside) {
            if !pieces.is_empty() {
                pieces.push(Piece::Plain(", ".into()));
            }
            pieces.push(Piece::Value(person));
        }
        if pieces.is_empty() {
            return one(None);
        }
        pieces
    };
    let (outside, next_outside) = (&summary.outside, &summary.next_outside);
    let name = |user: &UserId| renderer.named(user).name;
    let handle = |user: &UserId| renderer.named(user).handle;
    let instant = |at: Option<Timestamp>, zone: Option<ZoneName>| one(at.map(|at| clock(at, zone)));
    Some(match token {
        "NAME" => one(Some(renderer.plain(&profile.name))),
        "DESCRIPTION" => one(profile
            .description
            .as_deref()
            .map(|text| renderer.plain(text))),
        "CODE" => one(profile.code.clone()),
        "DUTY_SIZE" => one(Some((summary.on_call.len() + outside.len()).to_string())),
        "USER" => people(&summary.on_call, &name, outside),
        "USERHANDLE" => people(&summary.on_call, &handle, outside),
        "USERID" => people(&summary.on_call, &UserId::to_string, &[]),
        "NEXT_USER" => people(&summary.next, &name, next_outside),
        "NEXT_USERHANDLE" => people(&summary.next, &handle, next_outside),
        "NEXT_USERID" => people(&summary.next, &UserId::to_string, &[]),
        "UNTIL" => instant(summary.until, summary.zone),
        "UNTIL_UTC" => instant(summary.until, None),
        "NEXT_UNTIL" => instant(summary.next_until, summary.zone),
        "NEXT_UNTIL_UTC" => instant(summary.next_until, None),
        "DUTYHANDLE" => one(subject.duty_handle.map(|handle| format!("@{handle}"))),
        _ => return None,
    })
}
