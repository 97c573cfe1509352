//! Refusals in words that a person understands. The API's details name members of a request; here nobody has seen one.

use super::mrkdwn::{person, plain as escaped, time};
use super::times;
use crate::domain::refusal::Refusal;
use crate::domain::zones::ZoneName;
use crate::problem::worded as worded_for_callers;
use crate::server::Problem;
use jiff::Timestamp;

/// A refusal as markup, with instants in the zone of the reader. `is_person` says whether an id is somebody's, who is then shown
/// as Slack shows people.
///
/// # Errors
/// Those of `is_person`.
pub fn of<E>(
    refusal: &Refusal,
    zone: ZoneName,
    is_person: impl Fn(&str) -> Result<bool, E>,
) -> Result<String, E> {
    let show = |id: &str| {
        Ok(match is_person(id)? {
            true => person(&id.into()),
            false => escaped(id),
        })
    };
    let say = |text: &str| with_instants(text, escaped, |at| time(at, zone));
    worded(&detail(refusal), say, show)
}

/// A refusal as plain text, with instants in the zone of the reader. `name` says what somebody is called.
///
/// # Errors
/// Those of `name`.
pub fn plain<E>(
    refusal: &Refusal,
    zone: ZoneName,
    name: impl Fn(&str) -> Result<Option<String>, E>,
) -> Result<String, E> {
    let show = |id: &str| Ok(name(id)?.unwrap_or_else(|| id.to_owned()));
    let say = |text: &str| with_instants(text, str::to_owned, |at| times::text(at, zone));
    worded(&detail(refusal), say, show)
}

/// The text of a refusal; names stand between backticks.
fn detail(refusal: &Refusal) -> String {
    let fixed = match refusal {
        Refusal::NotFound("rotation") => "there is no such rotation",
        Refusal::NotFound("request" | "cover request" | "swap request") => {
            "this request is not kept any more"
        }
        Refusal::NotFound("absence") => "this absence is not there any more",
        Refusal::StaleValidator | Refusal::WeakValidator => {
            "nothing was done, because the rotation has changed meanwhile; look at it again"
        }
        Refusal::RequestChanged => {
            "nothing was done, because the request has changed meanwhile; look at it again"
        }
        Refusal::OperationIdReused => "this was sent already, and is done once",
        Refusal::RotationDisabled => "nobody goes on or off duty while the rotation is disabled",
        Refusal::CoverAlreadyAccepted => "somebody else has accepted this request already",
        Refusal::ConflictsNotAcknowledged(_) => "something is in the way; look at it first",
        Refusal::ConflictBlocks(_) => {
            "another arrangement holds this turn at that time; it has to end first, or choose another time"
        }
        Refusal::StartedLegNotAcknowledged(_) => {
            "one of the turns has begun; only the rest of it can change hands"
        }
        Refusal::RequestNotPending(state) => {
            return format!("this request is {state}, so nothing was done");
        }
        Refusal::MentionNotOpen(state) => {
            return format!("this mention is {state}, so nothing was done");
        }
        Refusal::NotFound(what) => return format!("there is no such {what}"),
        Refusal::Invalid { fault, .. } => return in_words(&worded_for_callers(fault)),
        refusal => return in_words(Problem::from(refusal.clone()).detail()),
    };
    fixed.to_owned()
}

/// A detail of the API, said without what only its callers know.
fn in_words(detail: &str) -> String {
    let said = without_member(detail);
    if let Some(now) = said.strip_prefix("send an instant later than now, ") {
        return format!("this time is over; choose one after {now}");
    }
    if said.starts_with("send an instant later than `from`") {
        return "the end has to be after the beginning".to_owned();
    }
    if let Some((people, slots)) = too_many(said) {
        let slots = match slots {
            "1" => "there is 1 slot".to_owned(),
            _ => format!("there are {slots} slots"),
        };
        return format!("{people} people are too many: {slots}");
    }
    match said.strip_suffix("; that needs doubleCover") {
        Some(named) => format!("{named}, and this rotation does not permit that"),
        None => detail.replace(
            "one person in two cells at once needs doubleCover",
            "this rotation does not permit that",
        ),
    }
}

/// How many people there are for how many slots, where there are too many.
fn too_many(said: &str) -> Option<(&str, &str)> {
    let counts = said.strip_suffix(" slots; send at most as many")?;
    counts.split_once(" people for ")
}

/// A text with its instants as `show` shows them, and the rest escaped.
fn with_instants(
    text: &str,
    escape: impl Fn(&str) -> String,
    show: impl Fn(Timestamp) -> String,
) -> String {
    let mut said = String::new();
    for word in text.split_inclusive(' ') {
        let bare = word.trim_end_matches([' ', ',', ';', '.', ')']);
        let at: Option<Timestamp> = match bare.ends_with('Z') {
            true => bare.parse().ok(),
            false => None,
        };
        match at {
            Some(at) => said.push_str(&(show(at) + &word[bare.len()..])),
            None => said.push_str(&escape(word)),
        }
    }
    said
}

/// A detail as a sentence, without the member that it names: `say` says its text, and `show` what stands between backticks.
fn worded<E>(
    detail: &str,
    say: impl Fn(&str) -> String,
    show: impl Fn(&str) -> Result<String, E>,
) -> Result<String, E> {
    let mut sentence = String::new();
    for (index, part) in without_member(detail).split('`').enumerate() {
        match index % 2 {
            0 => sentence.push_str(&say(part)),
            _ => sentence.push_str(&show(part)?),
        }
    }
    Ok(as_sentence(&sentence))
}

/// A detail without the path before it: `userIds[0]: nobody` is `nobody`.
fn without_member(detail: &str) -> &str {
    let Some((path, rest)) = detail.split_once(": ") else {
        return detail;
    };
    let is_path = path
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "[]._-".contains(c));
    match is_path {
        true => rest,
        false => detail,
    }
}

/// Begins with a capital and ends with a full stop.
fn as_sentence(text: &str) -> String {
    let mut letters = text.trim().chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let mut sentence = first.unwrap_or_default() + letters.as_str();
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_in_words() {
        let is_person = |id: &str| Ok::<_, ()>(id == "U1");
        let name = |id: &str| Ok::<_, ()>((id == "U1").then(|| "Ana <b>".to_owned()));
        let invalid = |path: &str, fault: &str| Refusal::invalid(path, fault);
        for (refusal, marked, text) in [
            (
                invalid("userIds[0]", "`U1` is not a member of this rotation"),
                "<@U1> is not a member of this rotation.",
                "Ana <b> is not a member of this rotation.",
            ),
            (
                invalid(
                    "legs[1].holderUserId",
                    "`U2>` does not hold this turn as planned",
                ),
                "U2&gt; does not hold this turn as planned.",
                "U2> does not hold this turn as planned.",
            ),
            (
                invalid("", "nothing to name: at all"),
                "Nothing to name: at all.",
                "Nothing to name: at all.",
            ),
            (
                Refusal::NotFound("rotation"),
                "There is no such rotation.",
                "There is no such rotation.",
            ),
            (
                Refusal::NotFound("mention"),
                "There is no such mention.",
                "There is no such mention.",
            ),
            (
                Refusal::ResourceDenied(
                    "only the rotation's owners and workspace admins may do this".into(),
                ),
                "Only the rotation's owners and workspace admins may do this.",
                "Only the rotation's owners and workspace admins may do this.",
            ),
            (
                Refusal::MentionNotOpen("expired"),
                "This mention is expired, so nothing was done.",
                "This mention is expired, so nothing was done.",
            ),
        ] {
            assert_eq!(of(&refusal, berlin(), is_person), Ok(marked.to_owned()));
            assert_eq!(plain(&refusal, berlin(), name), Ok(text.to_owned()));
        }
    }

    fn berlin() -> ZoneName {
        ZoneName::parse("Europe/Berlin").unwrap()
    }

    #[test]
    fn instants_and_words_of_the_api_are_said_plainly() {
        for (path, fault, text) in [
            (
                "to",
                "send an instant later than now, 2026-03-06T08:00:00Z",
                "This time is over; choose one after Fri 6 Mar 2026, 09:00.",
            ),
            (
                "until",
                "send an instant later than `from`",
                "The end has to be after the beginning.",
            ),
            (
                "userIds",
                "2 people for 1 slots; send at most as many",
                "2 people are too many: there is 1 slot.",
            ),
            (
                "userIds",
                "3 people for 2 slots; send at most as many",
                "3 people are too many: there are 2 slots.",
            ),
            (
                "userIds[1]",
                "`U1` is named twice, for slots on call at the same time; that needs doubleCover",
                "U1 is named twice, for slots on call at the same time, and this rotation does not permit that.",
            ),
            (
                "cellId",
                "`U1` is on call in another cell of this rotation at that time; one person in two cells at once \
                 needs doubleCover",
                "U1 is on call in another cell of this rotation at that time; this rotation does not permit that.",
            ),
            (
                "from",
                "it ends at 2026-03-06T08:00:00Z, before <that>",
                "It ends at Fri 6 Mar 2026, 09:00, before <that>.",
            ),
        ] {
            let refusal = Refusal::invalid(path, fault);
            let said = plain(&refusal, berlin(), |_| Ok::<_, ()>(None));
            assert_eq!(said, Ok(text.to_owned()));
        }
        let refusal = Refusal::invalid("to", "until 2026-03-06T08:00:00Z <now>");
        let marked = "Until <!date^1772784000^{date_short_pretty}, {time}|Fri 6 Mar 2026, 09:00> &lt;now&gt;.";
        let said = of(&refusal, berlin(), |_| Ok::<_, ()>(false));
        assert_eq!(said, Ok(marked.to_owned()));
    }

    #[test]
    fn no_header_or_member_is_named() {
        let all = [
            Refusal::StaleValidator,
            Refusal::RequestChanged,
            Refusal::OperationIdReused,
            Refusal::RotationDisabled,
            Refusal::ConflictsNotAcknowledged(Vec::new()),
            Refusal::ConflictBlocks(Vec::new()),
            Refusal::StartedLegNotAcknowledged("own".into()),
            Refusal::TooManyPending,
            Refusal::TooManyMentions,
            Refusal::RequestNotPending("declined".into()),
        ];
        for refusal in all {
            let said = of(&refusal, berlin(), |_| Ok::<_, ()>(false)).unwrap();
            for word in ["If-Match", "operationId", "Revision", "Ids", "credential"] {
                assert!(!said.contains(word), "{said}");
            }
        }
    }
}
