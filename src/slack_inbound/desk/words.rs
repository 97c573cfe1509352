//! Refusals in words that a person understands. The API's details name members of a request; here nobody has seen one.

use super::mrkdwn::{person, plain as escaped};
use crate::domain::refusal::Refusal;
use crate::server::Problem;

/// A refusal as markup. `is_person` says whether an id is somebody's, who is then shown as Slack shows people.
///
/// # Errors
/// Those of `is_person`.
pub fn of<E>(refusal: &Refusal, is_person: impl Fn(&str) -> Result<bool, E>) -> Result<String, E> {
    let show = |id: &str| {
        Ok(match is_person(id)? {
            true => person(&id.into()),
            false => escaped(id),
        })
    };
    worded(&detail(refusal), escaped, show)
}

/// A refusal as plain text. `name` says what somebody is called.
///
/// # Errors
/// Those of `name`.
pub fn plain<E>(
    refusal: &Refusal,
    name: impl Fn(&str) -> Result<Option<String>, E>,
) -> Result<String, E> {
    let show = |id: &str| Ok(name(id)?.unwrap_or_else(|| id.to_owned()));
    worded(&detail(refusal), str::to_owned, show)
}

/// What is said of a refusal; names stand between backticks.
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
        refusal => return Problem::from(refusal.clone()).detail().to_owned(),
    };
    fixed.to_owned()
}

/// A detail as a sentence, without the member that it names, and with what stands between backticks as `show` shows it.
fn worded<E>(
    detail: &str,
    escape: impl Fn(&str) -> String,
    show: impl Fn(&str) -> Result<String, E>,
) -> Result<String, E> {
    let mut sentence = String::new();
    for (index, part) in without_member(detail).split('`').enumerate() {
        match index % 2 {
            0 => sentence.push_str(&escape(part)),
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
        let invalid = |detail: &str| Refusal::Invalid(detail.into());
        for (refusal, marked, text) in [
            (
                invalid("userIds[0]: `U1` is not a member of this rotation"),
                "<@U1> is not a member of this rotation.",
                "Ana <b> is not a member of this rotation.",
            ),
            (
                invalid("legs[1].holderUserId: `U2>` does not hold this turn as planned"),
                "U2&gt; does not hold this turn as planned.",
                "U2> does not hold this turn as planned.",
            ),
            (
                invalid("nothing to name: at all"),
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
            assert_eq!(of(&refusal, is_person), Ok(marked.to_owned()));
            assert_eq!(plain(&refusal, name), Ok(text.to_owned()));
        }
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
            let said = of(&refusal, |_| Ok::<_, ()>(false)).unwrap();
            for word in ["If-Match", "operationId", "Revision", "Ids", "credential"] {
                assert!(!said.contains(word), "{said}");
            }
        }
    }
}
