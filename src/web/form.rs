//! The content of a form: names and values, in their order (`application/x-www-form-urlencoded`). Field names are the member names of
//! the API, so that a refusal that names a member names a field.

use crate::domain::ids::UserId;
use crate::domain::refusal::{Refusal, invalid};
pub use crate::domain::wording::capital;
use crate::server::{Problem, Request};
use crate::wire::url;
use jiff::Timestamp;
use std::convert::Infallible;

/// Fields that one form has at the most.
const MOST_FIELDS: usize = 5_000;

/// The fields of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// 415 for another media type, 400 for two of them and for what is not encoded as a form is.
    pub fn read(request: &Request) -> Result<Form, Problem> {
        let kind = request.single("Content-Type")?.unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        let unread = |error| Refusal::invalid("", format!("the form cannot be read: {error}"));
        let body = request.take_body().map_err(unread)?;
        if body.is_empty() {
            return Ok(Form::default());
        }
        if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(Problem::new(
                415,
                "invalid_request",
                "Content-Type: send a form as application/x-www-form-urlencoded",
            ));
        }
        Ok(Form::parse(&body)?)
    }

    fn parse(body: &[u8]) -> Result<Form, Refusal> {
        let text = str::from_utf8(body).ok();
        if text.is_some_and(|text| text.matches('&').count() >= MOST_FIELDS) {
            return invalid("", format!("the form has more than {MOST_FIELDS} fields"));
        }
        let Some(fields) = text.and_then(url::parameters) else {
            return invalid("", "the form is not percent-encoded UTF-8");
        };
        // Browsers send the line ends of text areas as two characters.
        let value = |(name, value): (String, String)| (name, value.replace("\r\n", "\n"));
        Ok(Form(fields.into_iter().map(value).collect()))
    }

    /// A form with these fields, to show it filled in.
    pub fn with<N: Into<String>, V: Into<String>>(
        fields: impl IntoIterator<Item = (N, V)>,
    ) -> Form {
        let fields = fields.into_iter();
        Form(
            fields
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }

    /// The first value of a name; empty where there is none.
    pub fn one(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// What a button named `step` does, and the id of what it does it to, or nothing: `up U1`.
    pub fn step(&self) -> (&str, &str) {
        let step = self.one("step");
        step.split_once(' ').unwrap_or((step, ""))
    }

    /// A value without blanks around it; `None` where nothing is left.
    pub fn filled(&self, name: &str) -> Option<&str> {
        Some(self.one(name).trim()).filter(|value| !value.is_empty())
    }

    /// Every value of a name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.as_str())
    }

    /// The values of a name as a list, without empty ones.
    pub fn list(&self, name: &str) -> Vec<String> {
        let filled = self.all(name).filter(|value| !value.is_empty());
        filled.map(str::to_owned).collect()
    }

    /// Whether a name has this value: a box that is ticked, an option that is chosen.
    pub fn has(&self, name: &str, value: &str) -> bool {
        self.all(name).any(|known| known == value)
    }

    /// Whether the name is there at all.
    pub fn names(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// Every field.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.0.iter();
        fields.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// The errors of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errors(Vec<FieldError>);

/// An error of one field, or of the whole form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// `None` is the whole form.
    pub field: Option<String>,
    /// A sentence.
    pub message: String,
}

impl Errors {
    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what is wrong with a field.
    pub fn add(&mut self, field: &str, message: impl Into<String>) {
        self.0.push(FieldError {
            field: Some(field.to_owned()),
            message: message.into(),
        });
    }

    /// Adds what is wrong with the whole form.
    pub fn add_whole(&mut self, message: impl Into<String>) {
        self.0.push(FieldError {
            field: None,
            message: message.into(),
        });
    }

    /// Adds what is wrong with the member of this path to the field of that name where the form has one. Else it is one of the
    /// whole form, and says by a word what the path names.
    pub fn add_refusal(&mut self, path: &str, message: &str, fields: &[&str]) {
        match field_of(path, fields) {
            Some(field) => self.add(field, sentence(message)),
            None => self.add_whole(refusal(path, message)),
        }
    }

    /// All of them, in order.
    pub fn all(&self) -> &[FieldError] {
        &self.0
    }

    /// The error of one field.
    pub fn of<'a>(&'a self, field: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self
            .0
            .iter()
            .filter(move |error| error.field.as_deref() == Some(field));
        named.map(|error| error.message.as_str())
    }
}

/// What is wrong, in the words of a page; `person` names somebody, and `instant` says when.
///
/// # Errors
/// Those of `person`.
pub fn text<E>(
    problem: &Problem,
    person: impl Fn(&UserId) -> Result<String, E>,
    instant: impl Fn(Timestamp) -> String,
) -> Result<String, E> {
    if let Some(fault) = problem.fault() {
        return fault.plainly(person, instant, str::to_owned);
    }
    Ok(match problem.code {
        "rotation_disabled" => {
            "nobody comes on or off call while the rotation is disabled; enable it first"
        }
        "arrangementChanged" => "it has changed meanwhile; look at it again",
        "conflictBlocks" => {
            "a cover, a swap or hours given by hand lie there; change or end that first, or choose another time"
        }
        "startedLegNotAcknowledged" => "a turn has begun; tick the box to take over the rest of it",
        "tooManyArrangements" => {
            "too many covers, swaps and hours given by hand have not ended; end some first"
        }
        _ => problem.text(),
    }
    .to_owned())
}

/// A problem as a sentence, with people by their ids and times in UTC.
pub fn problem(problem: &Problem) -> String {
    let person = |user: &UserId| Ok::<_, Infallible>(format!("`{user}`"));
    let instant = |at: Timestamp| at.strftime("%a %-d %b %Y %H:%M UTC").to_string();
    let Ok(text) = text(problem, person, instant);
    refusal(problem.member(), &text)
}

/// What is wrong with the member of this path as a sentence, with a word for the path.
fn refusal(path: &str, message: &str) -> String {
    match path {
        "" => sentence(message),
        path if is_member(path) => format!("{}: {}", word(path), sentence(message)),
        header => sentence(&format!("{header}: {message}")),
    }
}

/// Whether a path is that of a member of a body, such as `legs[0].cellId`, and not the name of a header.
fn is_member(path: &str) -> bool {
    let of_path = |c: char| c.is_ascii_alphanumeric() || "[]._-".contains(c);
    path.starts_with(|c: char| c.is_ascii_lowercase()) && path.chars().all(of_path)
}

/// The field that says the most of a path: of the whole of it, else of an inner part.
fn field_of<'a>(path: &str, fields: &[&'a str]) -> Option<&'a str> {
    let inner = path.match_indices('.').map(|(dot, _)| &path[dot + 1..]);
    let mut paths = std::iter::once(path).chain(inner);
    paths.find_map(|path| {
        let within = |field: &str| {
            let rest = path.strip_prefix(field);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
        };
        let named = fields.iter().filter(|field| within(field));
        named.max_by_key(|field| field.len()).copied()
    })
}

/// The name of a path's last member in a sentence: `legs[0].cellId` are the hours.
fn word(path: &str) -> String {
    let member = path.rsplit('.').next().unwrap_or(path);
    let member = member.split('[').next().unwrap_or(member);
    let mut words = String::new();
    for letter in member.chars() {
        if letter.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    let bare = words.strip_suffix(" ids").or(words.strip_suffix(" id"));
    let word = match bare.unwrap_or(&words) {
        // Pages call it so.
        "cell" => "hours",
        "user" | "holder user" | "recipient user" => "person",
        other => other,
    };
    capital(word)
}

/// A text as a sentence: begins with a capital, ends with a full stop.
pub fn sentence(text: &str) -> String {
    let mut sentence = capital(text.trim());
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::faults;

    #[test]
    fn forms_are_read_in_order() {
        for (body, expected) in [
            ("", Some("")),
            ("a=1&b=2&a=3", Some("a=1|b=2|a=3")),
            ("reason=two%0D%0Alines+here", Some("reason=two\nlines here")),
            ("a=%C3%A5", Some("a=å")),
            ("a=%ff", None),
            ("a=%", None),
        ] {
            let shown = Form::parse(body.as_bytes()).ok().map(|form| {
                let fields = form.fields().map(|(name, value)| format!("{name}={value}"));
                fields.collect::<Vec<_>>().join("|")
            });
            assert_eq!(shown.as_deref(), expected, "{body}");
        }
        assert!(Form::parse(&[0xff]).is_err());
        assert!(Form::parse("a&".repeat(MOST_FIELDS).as_bytes()).is_err());
    }

    #[test]
    fn pages_word_faults_themselves() {
        let person = |_: &UserId| Ok::<_, Infallible>("Ana".to_owned());
        let instant = |at: Timestamp| at.strftime("%a %-d %b %H:%M").to_string();
        for (fault, said) in faults::all() {
            let refused = Problem::from(Refusal::invalid("until", fault.clone()));
            assert_eq!(text(&refused, person, instant), Ok(said.page.to_owned()));
            // The API says something else now.
            let reworded = Problem::new(400, "invalid_request", "reworded").of(fault);
            assert_eq!(text(&reworded, person, instant), Ok(said.page.to_owned()));
        }
    }

    #[test]
    fn refusals_find_their_field() {
        for (path, fault, field, message) in [
            (
                "until",
                "send an instant later",
                Some("until"),
                "Send an instant later.",
            ),
            (
                "userIds[2]",
                "not a member",
                Some("userIds"),
                "Not a member.",
            ),
            ("legs[0].until", "too late", Some("until"), "Too late."),
            ("legs[0].from", "too late", None, "From: Too late."),
            ("legs[1].cellId", "gone", None, "Hours: Gone."),
            ("holderUserId", "gone", None, "Person: Gone."),
            ("rotationIds[3]", "odd", None, "Rotation: Odd."),
            ("rosters[0].nextTurns", "odd", None, "Next turns: Odd."),
            ("", "no path here: odd", None, "No path here: odd."),
            ("cadence.times[1]", "odd", Some("cadence.times"), "Odd."),
            ("cadence.zone", "odd", Some("cadence"), "Odd."),
            ("", "the body is empty", None, "The body is empty."),
        ] {
            let mut errors = Errors::default();
            errors.add_refusal(
                path,
                fault,
                &["until", "userIds", "cadence", "cadence.times"],
            );
            let error = &errors.all()[0];
            assert_eq!(
                (error.field.as_deref(), error.message.as_str()),
                (field, message)
            );
        }
    }
}
