//! Refusals of the API in the words of a page: fields by their labels, people by their names.

use super::people::People;
use crate::actions::{App, Error};
use crate::domain::ids::UserId;
use crate::web::form::Errors;

/// Adds a refusal to what is wrong with a form that has these fields.
///
/// # Errors
/// When the storage cannot be read.
pub fn add(app: &App, errors: &mut Errors, detail: &str, fields: &[&str]) -> Result<(), Error> {
    let users: Vec<UserId> = quoted(detail).map(UserId::from).collect();
    let people = People::load(app, &users, false)?;
    let name = |id: &str| {
        let user = UserId::from(id);
        people.knows(&user).then(|| people.name(&user).to_owned())
    };
    errors.add_refusal(&worded(detail, name), fields);
    Ok(())
}

/// The values of a request that a refusal quotes.
fn quoted(detail: &str) -> impl Iterator<Item = &str> {
    detail.split('`').skip(1).step_by(2)
}

/// A refusal with names in the place of people's ids, and without the ids that rota made.
fn worded(detail: &str, name: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::new();
    let parts = detail.split('`').count();
    for (index, part) in detail.split('`').enumerate() {
        match index % 2 {
            0 => text.push_str(part),
            _ if index + 1 == parts => text.push_str(&format!("`{part}")),
            _ if is_minted(part) => {
                text.truncate(text.trim_end().len());
                // "no cell `cel_...`" becomes "no such cell".
                if let Some((before, noun)) = text.rsplit_once(' ')
                    && before.ends_with(" no")
                {
                    text = format!("{before} such {noun}");
                }
            }
            _ => match name(part) {
                Some(name) => text.push_str(&name),
                None => text.push_str(&format!("`{part}`")),
            },
        }
    }
    text
}

/// Whether a text is an id that rota made, such as `cel_` and twenty letters.
fn is_minted(text: &str) -> bool {
    text.split_once('_').is_some_and(|(prefix, rest)| {
        let is_prefix = prefix.len() == 3 && prefix.bytes().all(|c| c.is_ascii_lowercase());
        is_prefix && rest.len() == 20 && rest.bytes().all(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_have_names_and_what_rota_made_has_none() {
        let name = |id: &str| (id == "U3").then(|| "Ada".to_owned());
        let minted = "`cel_abcdefghijABCDEFGHIJ`";
        for (detail, expected) in [
            (
                "userIds[1]: `U3` is not a member",
                "userIds[1]: Ada is not a member",
            ),
            (
                "userId: `U9` is not a member",
                "userId: `U9` is not a member",
            ),
            (
                &format!("legs[0].cellId: this rotation has no cell {minted}"),
                "legs[0].cellId: this rotation has no such cell",
            ),
            (&format!("it is in {minted} now"), "it is in now"),
            ("title: send a shorter one", "title: send a shorter one"),
            ("a stray ` is kept", "a stray ` is kept"),
        ] {
            assert_eq!(worded(detail, name), expected, "{detail}");
        }
    }
}
