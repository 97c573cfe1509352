//! Refusals in words that a person understands. The API's details name members of a request; here nobody has seen one.

use super::markup::Markup;
use super::times;
use crate::domain::fault::Fault;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::zones::ZoneName;
use crate::server::Problem;
use jiff::Timestamp;

/// A refusal as markup, with instants in the zone of the reader. `person` shows somebody.
///
/// # Errors
/// Those of `person`.
pub fn of<E>(
    refusal: &Refusal,
    zone: ZoneName,
    markup: &dyn Markup,
    person: impl Fn(&UserId) -> Result<String, E>,
) -> Result<String, E> {
    let time = |at| markup.time(at, zone);
    said(refusal, person, time, |text| markup.plain(text))
}

/// A refusal as plain text, with instants in the zone of the reader. `name` says what somebody is called.
///
/// # Errors
/// Those of `name`.
pub fn plain<E>(
    refusal: &Refusal,
    zone: ZoneName,
    name: impl Fn(&UserId) -> Result<Option<String>, E>,
) -> Result<String, E> {
    let show = |user: &UserId| Ok(name(user)?.unwrap_or_else(|| user.to_string()));
    said(refusal, show, |at| times::text(at, zone), str::to_owned)
}

/// A refusal as a sentence. `person` shows somebody, `instant` an instant, and `text` any other text.
fn said<E>(
    refusal: &Refusal,
    person: impl Fn(&UserId) -> Result<String, E>,
    instant: impl Fn(Timestamp) -> String,
    text: impl Fn(&str) -> String,
) -> Result<String, E> {
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
            &format!("this request is {state}, so nothing was done")
        }
        Refusal::MentionNotOpen(state) => &format!("this mention is {state}, so nothing was done"),
        Refusal::NotFound(what) => &format!("there is no such {what}"),
        Refusal::NotKnownYet(Some(until)) => &format!(
            "the partner's schedule is known until {}; ask for an earlier instant",
            instant(*until)
        ),
        Refusal::Invalid { fault, .. } | Refusal::NotYourDuty(fault) => {
            &fault_in_words(fault, person, instant, text)?
        }
        refusal => &text(Problem::from(refusal.clone()).text()).replace('`', ""),
    };
    Ok(as_sentence(fixed))
}

fn fault_in_words<E>(
    fault: &Fault,
    person: impl Fn(&UserId) -> Result<String, E>,
    instant: impl Fn(Timestamp) -> String,
    text: impl Fn(&str) -> String,
) -> Result<String, E> {
    Ok(match fault {
        Fault::NotAfter(now) => {
            format!("this time is over; choose one after {}", instant(*now))
        }
        Fault::NotAfterFrom => "the end has to be after the beginning".to_owned(),
        fault => fault.plainly(person, instant, |other| text(&other.replace('`', "")))?,
    })
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
    use crate::domain::time::Interval;
    use crate::tests::faults;

    /// A markup in which people and instants stand in angle brackets.
    struct Angled;

    impl Markup for Angled {
        fn plain(&self, text: &str) -> String {
            text.replace('<', "&lt;").replace('>', "&gt;")
        }
        fn person(&self, user: &UserId, _: Option<&str>) -> String {
            format!("<@{user}>")
        }
        fn uses_names(&self) -> bool {
            false
        }
        fn time(&self, at: Timestamp, zone: ZoneName) -> String {
            format!("<{}>", times::text(at, zone))
        }
        fn strong(&self, written: &str) -> String {
            written.to_owned()
        }
        fn code(&self, text: &str) -> String {
            self.plain(text)
        }
        fn link(&self, url: &str, _: &str) -> String {
            self.plain(url)
        }
        fn quote(&self, text: &str) -> String {
            self.plain(text)
        }
    }

    #[test]
    fn refusals_in_words() {
        let show = |user: &UserId| {
            Ok::<_, ()>(match user.as_str() {
                "U1" => Angled.person(user, None),
                other => Angled.plain(other),
            })
        };
        let name =
            |user: &UserId| Ok::<_, ()>((user.as_str() == "U1").then(|| "Ana <b>".to_owned()));
        let invalid = |path: &str, fault: Fault| Refusal::invalid(path, fault);
        for (refusal, marked, text) in [
            (
                invalid("userIds[0]", Fault::NotMember("U1".into())),
                "<@U1> is not a member of this rotation.",
                "Ana <b> is not a member of this rotation.",
            ),
            (
                invalid("legs[1].holderUserId", Fault::NotTheirTurn("U2>".into())),
                "U2&gt; does not have this turn as planned.",
                "U2> does not have this turn as planned.",
            ),
            (
                invalid("", "nothing to name: at all".into()),
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
            assert_eq!(of(&refusal, berlin(), &Angled, show), Ok(marked.to_owned()));
            assert_eq!(plain(&refusal, berlin(), name), Ok(text.to_owned()));
        }
    }

    #[test]
    fn slack_words_faults_itself() {
        let name = |_: &UserId| Ok::<_, ()>(Some("Ana".to_owned()));
        for (fault, said) in faults::all() {
            let told = plain(&Refusal::invalid("until", fault), berlin(), name);
            assert_eq!(told, Ok(as_sentence(said.slack)));
        }
    }

    fn berlin() -> ZoneName {
        ZoneName::parse("Europe/Berlin").unwrap()
    }

    #[test]
    fn instants_and_words_of_the_api_are_said_plainly() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let user = || "U1".into();
        let not_covered = |from: &str, until: &str| Fault::NotCovered {
            period: Interval {
                from: at(from),
                until: at(until),
            },
            opens: None,
        };
        let many = |people, slots| Fault::TooManyPeople { people, slots };
        for (fault, text) in [
            (
                Fault::NotAfter(at("2026-03-06T08:00:00Z")),
                "This time is over; choose one after Fri 6 Mar 2026, 09:00.",
            ),
            (
                Fault::NotAfterFrom,
                "The end has to be after the beginning.",
            ),
            (
                many(2, 1),
                "2 people are too many: 1 can be on call at once.",
            ),
            (
                many(3, 2),
                "3 people are too many: 2 can be on call at once.",
            ),
            (
                Fault::NamedTwice(user()),
                "U1 is named twice for the same hours, which this rotation does not permit.",
            ),
            (
                Fault::OnCallElsewhere(user()),
                "U1 is on call twice in this rotation at that time, which it does not permit.",
            ),
            (
                not_covered("2026-03-06T08:00:00Z", "2026-03-06T09:00:00Z"),
                "No covered hours lie between Fri 6 Mar 2026, 09:00 and Fri 6 Mar 2026, 10:00.",
            ),
            ("it ends before <that>".into(), "It ends before <that>."),
        ] {
            let refusal = Refusal::invalid("to", fault);
            let said = plain(&refusal, berlin(), |_| Ok::<_, ()>(None));
            assert_eq!(said, Ok(text.to_owned()));
        }
        for (fault, marked) in [
            (
                Fault::NotAfter(at("2026-03-06T08:00:00Z")),
                "This time is over; choose one after <Fri 6 Mar 2026, 09:00>.",
            ),
            ("until `then` <now>".into(), "Until then &lt;now&gt;."),
        ] {
            let said = of(&Refusal::invalid("to", fault), berlin(), &Angled, |user| {
                Ok::<_, ()>(Angled.plain(user.as_str()))
            });
            assert_eq!(said, Ok(marked.to_owned()));
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
            Refusal::RequestNotPending("declined"),
        ];
        for refusal in all {
            let said = plain(&refusal, berlin(), |_| Ok::<_, ()>(None)).unwrap();
            for word in ["If-Match", "operationId", "Revision", "Ids", "credential"] {
                assert!(!said.contains(word), "{said}");
            }
        }
    }
}
