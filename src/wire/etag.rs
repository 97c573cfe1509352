//! ETags of rotations and webhook endpoints, and preconditions (rules.md 11.3; RFC 9110, section 13).

use super::hex;
use crate::domain::calendar_feed::CalendarFeed;
use crate::domain::holidays::Calendar;
use crate::domain::refusal::Refusal;
use crate::domain::resolve;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::webhook::Webhook;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

/// The strong ETag of a rotation and of its on-call resource, quoted. It changes with every version, with the absences that
/// are shown of people on call, and with the holiday and time zone data that hand-overs and covered hours depend on. It
/// starts with a letter, so that it is not mistaken for the version.
pub fn tag(rotation: &Rotation, calendar: &Calendar) -> String {
    let stamps = &rotation.stamps;
    let updated_at = stamps.updated_at.as_millisecond();
    let mut shown = vec![
        stamps.version.to_be_bytes(),
        updated_at.to_be_bytes(),
        calendar.fingerprint().to_be_bytes(),
    ];
    for (slot, absences) in resolve::absences_on_call(rotation, calendar) {
        for away in absences {
            shown.push((slot as u64).to_be_bytes());
            shown.push(away.period.from.as_millisecond().to_be_bytes());
            shown.push(away.period.until.as_millisecond().to_be_bytes());
            shown.push((away.source as u64).to_be_bytes());
        }
    }
    if stamps.copied_at.is_some() {
        // What is forecast shows.
        for (slot, cell) in rotation.cells.iter().enumerate() {
            let holder = cell.holder.as_ref().map(|holder| holder.since);
            for began in holder.into_iter().chain([cell.entry.start]) {
                let marked = rotation.forecast(began).map(|_| slot as u64);
                shown.push(marked.unwrap_or(u64::MAX).to_be_bytes());
            }
        }
    }
    strong('r', rotation.id.as_str(), &shown)
}

/// What the tags of a standby end with: they are never those of the first server, which does not say what is forecast.
const STANDBY: &str = "-standby\"";

/// A strong ETag as a standby shows it.
pub fn standby_tag(tag: &str) -> String {
    format!("{}{STANDBY}", tag.trim_end_matches('"'))
}

/// What an `If-None-Match` header asks a standby, as [`is_known`] takes it: its own tags. Those of the first server match nothing.
pub fn standby_validators(header: &str) -> String {
    if header.trim() == "*" {
        return header.to_owned();
    }
    let tags = validators(header).unwrap_or_default().into_iter();
    let own = tags.filter_map(|tag| Some(format!("{}\"", tag.quoted.strip_suffix(STANDBY)?)));
    own.collect::<Vec<_>>().join(",")
}

/// The strong ETag of a webhook endpoint, quoted. It changes with every version, and when the grace period of the previous
/// secret ends, which changes the representation without a write.
pub fn webhook_tag(webhook: &Webhook, now: Timestamp) -> String {
    let updated_at = webhook.updated_at.map(Timestamp::as_millisecond);
    let in_grace = webhook.previous_at(now).is_some();
    strong(
        'w',
        webhook.id.as_str(),
        &[
            webhook.version.to_be_bytes(),
            webhook.created_at.as_millisecond().to_be_bytes(),
            updated_at.unwrap_or(i64::MIN).to_be_bytes(),
            u64::from(in_grace).to_be_bytes(),
        ],
    )
}

/// The strong ETag of a calendar feed, quoted. It changes with every change of what the feed shows, and with the day, because
/// the span that it shows is counted in days.
pub fn feed_tag(feed: &CalendarFeed, span: Interval) -> String {
    let revision = &feed.revision;
    let mut shown = vec![
        u64::from(revision.sequence).to_be_bytes(),
        revision.changed_at.as_millisecond().to_be_bytes(),
        span.from.as_millisecond().to_be_bytes(),
    ];
    let state = revision.state.unwrap_or_default();
    for part in state.as_chunks::<8>().0 {
        shown.push(*part);
    }
    strong('c', feed.id.as_str(), &shown)
}

/// The strong ETag of a record of the directory, quoted: it changes with everything that the caller is shown of it, and with
/// `beside`, which it can change but does not show.
pub fn record_tag<T: serde::Serialize>(kind: char, id: &str, shown: &T, beside: bool) -> String {
    let text = serde_json::to_vec(shown).unwrap_or_default();
    let mut stamps = vec![u64::from(beside).to_be_bytes()];
    stamps.extend(Sha256::digest(text).as_chunks::<8>().0);
    strong(kind, id, &stamps)
}

/// Builds an ETag from everything that distinguishes representations. The letter is the kind of resource. The program
/// version is included, because another version may render the same state differently.
fn strong(kind: char, id: &str, stamps: &[[u8; 8]]) -> String {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    hash.update([0]);
    hash.update(id);
    hash.update([0]);
    for stamp in stamps {
        hash.update(stamp);
    }
    format!("\"{kind}{}\"", hex(&hash.finalize()[..16]))
}

/// The id of a conflict, derived from a text that identifies the conflict and its terms.
pub fn conflict_id(text: &str) -> String {
    format!("cfl_{}", hex(&Sha256::digest(text)[..16]))
}

/// The condition of an `If-Match` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// `*`: any version.
    Any,
    /// Strong ETags, quoted.
    OneOf {
        strong: Vec<String>,
        /// Whether there are weak ones as well. They never match in `If-Match`.
        weakened: bool,
    },
}

impl Precondition {
    /// Parses an `If-Match` header. A header that is neither `*` nor a list of quoted ETags, such as a bare version,
    /// matches nothing.
    pub fn parse(header: &str) -> Precondition {
        if header.trim() == "*" {
            return Precondition::Any;
        }
        let tags = validators(header).unwrap_or_default();
        let (weak, strong): (Vec<_>, Vec<_>) = tags.into_iter().partition(|tag| tag.weak);
        Precondition::OneOf {
            strong: strong.iter().map(|tag| tag.quoted.to_owned()).collect(),
            weakened: !weak.is_empty(),
        }
    }

    /// Checks that the condition admits the current ETag.
    ///
    /// # Errors
    /// [`Refusal::WeakValidator`] if it does not and has a weak ETag, [`Refusal::StaleValidator`] if it has none.
    pub fn check(&self, current: impl FnOnce() -> String) -> Result<(), Refusal> {
        let Precondition::OneOf { strong, weakened } = self else {
            return Ok(());
        };
        match strong.contains(&current()) {
            true => Ok(()),
            false if *weakened => Err(Refusal::WeakValidator),
            false => Err(Refusal::StaleValidator),
        }
    }
}

/// Whether an `If-None-Match` header matches the current ETag, by weak comparison. A malformed header matches nothing, so
/// the full response is sent.
pub fn is_known(if_none_match: &str, current: &str) -> bool {
    if if_none_match.trim() == "*" {
        return true;
    }
    let tags = validators(if_none_match);
    tags.is_some_and(|tags| tags.iter().any(|tag| tag.quoted == current))
}

#[derive(Debug, PartialEq, Eq)]
struct Validator<'a> {
    weak: bool,
    quoted: &'a str,
}

/// Parses a list of ETags; `None` if malformed. Empty elements are ignored, as RFC 9110 requires.
fn validators(header: &str) -> Option<Vec<Validator<'_>>> {
    let mut tags = Vec::new();
    let mut rest = header.trim_matches([' ', '\t']);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(',') {
            rest = after.trim_start_matches([' ', '\t']);
            continue;
        }
        let (weak, opened) = match rest.strip_prefix("W/") {
            Some(opened) => (true, opened),
            None => (false, rest),
        };
        let end = opened.strip_prefix('"')?.find('"')? + 2;
        let (quoted, after) = opened.split_at(end);
        if quoted.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return None;
        }
        tags.push(Validator { weak, quoted });
        rest = after.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
    Some(tags)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::webhook::{CurrentSecret, PreviousSecret, SigningSecret};

    #[test]
    fn the_tags_of_a_standby_are_its_own() {
        let own = standby_tag("\"r1\"");
        assert_eq!(own, "\"r1-standby\"");
        for (header, known) in [
            (own.as_str(), true),
            ("W/\"r1-standby\", \"x\"", true),
            ("*", true),
            ("\"r1\"", false),
            ("\"r2-standby\"", false),
            ("r1-standby", false),
        ] {
            assert_eq!(
                is_known(&standby_validators(header), "\"r1\""),
                known,
                "{header}"
            );
        }
    }

    #[test]
    fn if_match_is_a_list_of_strong_validators() {
        let (stale, weak) = (Err(&Refusal::StaleValidator), Err(&Refusal::WeakValidator));
        for (header, admitted) in [
            ("*", Ok(())),
            (" * ", Ok(())),
            ("\"r1\"", Ok(())),
            ("\"x\", \"r1\"", Ok(())),
            ("\"x\",\"r1\" ,", Ok(())),
            (", ,\"r1\"", Ok(())),
            ("\"a,b\", \"r1\"", Ok(())),
            ("\"a,\"r1\"", stale),
            ("\"x\"", stale),
            ("W/\"r1\"", weak),
            ("W/\"x\"", weak),
            ("\"x\", W/\"r1\"", weak),
            ("W/\"r1\", \"r1\"", Ok(())),
            ("w/\"r1\"", stale),
            ("\"\"", stale),
            ("r1", stale),
            ("1", stale),
            ("", stale),
            (",", stale),
            ("\"r1", stale),
            ("\"r1\" \"r1\"", stale),
            ("*, \"r1\"", stale),
            ("\"r 1\"", stale),
        ] {
            let read = Precondition::parse(header).check(|| "\"r1\"".to_owned());
            assert_eq!(read.as_ref().map(|_| ()), admitted, "{header}");
        }
    }

    #[test]
    fn if_none_match_compares_weakly() {
        for (header, known) in [
            ("*", true),
            ("\"r1\"", true),
            ("W/\"r1\"", true),
            ("\"x\", W/\"r1\"", true),
            ("\"x\"", false),
            ("r1", false),
            ("", false),
        ] {
            assert_eq!(is_known(header, "\"r1\""), known, "{header}");
        }
    }

    #[test]
    fn the_tag_of_an_endpoint_changes_with_its_representation() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        let before = webhook();
        let tag = webhook_tag(&before, at(50));
        assert_eq!(tag.len(), 35, "{tag}");
        assert!(tag.starts_with("\"w") && tag.ends_with('"'), "{tag}");
        assert_eq!(tag, webhook_tag(&before, at(99)));
        let in_other_ways = [
            webhook_tag(&before, at(100)),
            webhook_tag(
                &Webhook {
                    version: 2,
                    ..before.clone()
                },
                at(50),
            ),
            webhook_tag(
                &Webhook {
                    updated_at: Some(at(7)),
                    ..before.clone()
                },
                at(50),
            ),
            webhook_tag(
                &Webhook {
                    created_at: at(7),
                    ..before.clone()
                },
                at(50),
            ),
            webhook_tag(
                &Webhook {
                    id: "whk_2".into(),
                    ..before
                },
                at(50),
            ),
        ];
        for (index, other) in in_other_ways.iter().enumerate() {
            assert_ne!(*other, tag, "{index}");
        }
    }

    /// An endpoint whose previous secret signs until second 100.
    fn webhook() -> Webhook {
        let secret = || SigningSecret("svc_whsec_x".into());
        Webhook {
            id: "whk_1".into(),
            name: "pager".into(),
            url: "https://example.com/".into(),
            event_types: Vec::new(),
            disabled: None,
            current: CurrentSecret {
                id: "sec_2".into(),
                secret: secret(),
                created_at: Timestamp::UNIX_EPOCH,
            },
            previous: Some(PreviousSecret {
                id: "sec_1".into(),
                secret: secret(),
                expires_at: Timestamp::from_second(100).unwrap(),
            }),
            version: 1,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: None,
        }
    }
}
