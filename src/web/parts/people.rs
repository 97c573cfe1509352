//! People by name. Their initials stand in for pictures: nothing is loaded from elsewhere.

use crate::actions::{App, Error};
use crate::domain::directory::Person;
use crate::domain::ids::UserId;
use crate::store::{ReadTx, load_person};
use maud::{Markup, html};
use std::collections::HashMap;

/// The people that a page shows.
#[derive(Default)]
pub struct People {
    known: HashMap<UserId, Person>,
    /// Whether their pages may be read.
    pub linked: bool,
}

impl People {
    /// Loads these people.
    pub fn load<'a>(
        app: &App,
        users: impl IntoIterator<Item = &'a UserId>,
        linked: bool,
    ) -> Result<People, Error> {
        let mut people = People {
            linked,
            ..People::default()
        };
        people.add(app, users.into_iter().cloned())?;
        Ok(people)
    }

    /// Loads more people.
    pub fn add(&mut self, app: &App, users: impl IntoIterator<Item = UserId>) -> Result<(), Error> {
        app.store().read(|tx: &ReadTx| {
            for user in users {
                if !self.known.contains_key(&user)
                    && let Some(person) = load_person(tx, &user)?
                {
                    self.known.insert(user, person);
                }
            }
            Ok(())
        })
    }

    /// How a person is called; their id where nobody knows them.
    pub fn name<'a>(&'a self, user: &'a UserId) -> &'a str {
        self.known.get(user).map_or(user.as_str(), Person::name)
    }

    /// A person with their initials.
    pub fn show(&self, user: &UserId) -> Markup {
        let name = self.name(user);
        html! {
            span.person {
                span.initials.(format!("c{}", colour(user))) aria-hidden="true" { (initials(name)) }
                @if self.linked { a href=(path(user)) { bdi { (name) } } } @else { bdi { (name) } }
            }
        }
    }

    /// People one after the other.
    pub fn show_all<'a>(&self, users: impl IntoIterator<Item = &'a UserId>) -> Markup {
        html! {
            @for (index, user) in users.into_iter().enumerate() {
                @if index > 0 { ", " }
                (self.show(user))
            }
        }
    }
}

/// The address of a person's page.
pub fn path(user: &UserId) -> String {
    format!(
        "/people/{}",
        crate::web::layout::encoded(user.as_str()).replace('/', "%2F")
    )
}

/// One of eight colours, always the same for a person.
pub fn colour(user: &UserId) -> u32 {
    let mixed = user.as_str().bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    (mixed ^ (mixed >> 15)) % 8
}

/// The first letters of the first and the last word of a name.
pub fn initials(name: &str) -> String {
    let words = name.split_whitespace();
    let mut letters = words.filter_map(|word| word.chars().find(|c| c.is_alphanumeric()));
    let (first, last) = (letters.next(), letters.next_back());
    let both = first.into_iter().chain(last);
    both.flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_letters() {
        for (name, expected) in [
            ("Ada Lovelace", "AL"),
            ("ada", "A"),
            ("Anna Maria van der Berg", "AB"),
            ("<script>alert(1)</script>", "S"),
            ("  ", ""),
            ("\u{1f600} Smile", "S"),
            ("\u{5d0}\u{5d1} \u{5d2}", "\u{5d0}\u{5d2}"),
        ] {
            assert_eq!(initials(name), expected, "{name}");
        }
    }
}
