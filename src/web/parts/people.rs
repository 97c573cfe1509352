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
    /// Who reads the page: their own turns stand out.
    me: Option<UserId>,
    /// Whether their pages may be read.
    pub linked: bool,
}

/// The size of the circle with somebody's initials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Tiny,
    Usual,
    Large,
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

    /// The same, as somebody reads it.
    pub fn read_by(self, me: Option<&UserId>) -> People {
        People {
            me: me.cloned(),
            ..self
        }
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
            Ok::<(), Error>(())
        })
    }

    /// Whether somebody has been loaded, and is there.
    pub fn knows(&self, user: &UserId) -> bool {
        self.known.contains_key(user)
    }

    /// Somebody who has been loaded.
    pub fn person(&self, user: &UserId) -> Option<&Person> {
        self.known.get(user)
    }

    /// Whether somebody is the reader.
    pub fn is_me(&self, user: &UserId) -> bool {
        self.me.as_ref() == Some(user)
    }

    /// How a person is called; their id where nobody knows them.
    pub fn name<'a>(&'a self, user: &'a UserId) -> &'a str {
        self.known.get(user).map_or(user.as_str(), Person::name)
    }

    /// A person with their initials, leading to their page.
    pub fn show(&self, user: &UserId) -> Markup {
        self.chip(user, self.linked)
    }

    /// A person without a link: a label of a field, where a click chooses.
    pub fn label(&self, user: &UserId) -> Markup {
        self.chip(user, false)
    }

    fn chip(&self, user: &UserId, linked: bool) -> Markup {
        html! {
            span.per {
                (self.avatar(user, Size::Usual))
                @if linked { a href=(path(user)) { bdi { (self.name(user)) } } } @else { bdi { (self.name(user)) } }
            }
        }
    }

    /// The initials of a person in a circle of their colour; filled for the reader.
    pub fn avatar(&self, user: &UserId, size: Size) -> Markup {
        let size = match size {
            Size::Tiny => " t",
            Size::Usual => "",
            Size::Large => " l",
        };
        let me = if self.is_me(user) { " me" } else { "" };
        html! {
            span class=(format_args!("av {}{size}{me}", colour(user))) aria-hidden="true" { (initials(self.name(user))) }
        }
    }

    /// People one after the other.
    pub fn show_all<'a>(&self, users: impl IntoIterator<Item = &'a UserId>) -> Markup {
        html! {
            span.people {
                @for (index, user) in users.into_iter().enumerate() {
                    @if index > 0 { span.sr { ", " } }
                    (self.show(user))
                }
            }
        }
    }
}

/// The address of a person's page.
pub fn path(user: &UserId) -> String {
    format!(
        "/people/{}",
        crate::web::address::encoded(user.as_str()).replace('/', "%2F")
    )
}

/// Colours of people.
const COLOURS: u64 = 12;

/// The class of a person's colour, `p0` to `p11`: the same on every page, whoever else is on it.
pub fn colour(user: &UserId) -> String {
    format!("p{}", fnv1a(user.as_str().as_bytes()) % COLOURS)
}

/// The hash FNV-1a of 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The first letters of the first and the last word of a name; of a single word its first two, which tell more people apart.
pub fn initials(name: &str) -> String {
    let letters =
        |word: &str| -> Vec<char> { word.chars().filter(|c| c.is_alphanumeric()).collect() };
    let words: Vec<Vec<char>> = name
        .split_whitespace()
        .map(letters)
        .filter(|word| !word.is_empty())
        .collect();
    match words.as_slice() {
        [] => String::new(),
        [word] => {
            let first = word.iter().take(1).flat_map(|c| c.to_uppercase());
            first.chain(word.iter().skip(1).take(1).copied()).collect()
        }
        [first, .., last] => {
            let both = [first[0], last[0]].into_iter();
            both.flat_map(char::to_uppercase).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_has_one_colour() {
        // The reference values of the hash.
        for (text, expected) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(fnv1a(text.as_bytes()), expected, "{text}");
        }
        let expected = format!("p{}", 0xaf63_dc4c_8601_ec8c_u64 % 12);
        assert_eq!(colour(&UserId::from("a")), expected);
    }

    #[test]
    fn first_letters() {
        for (name, expected) in [
            ("Ada Lovelace", "AL"),
            ("ada", "Ad"),
            ("Anna Maria van der Berg", "AB"),
            ("<script>alert(1)</script>", "Sc"),
            ("  ", ""),
            ("\u{1f600} Smile", "Sm"),
            ("\u{5d0}\u{5d1} \u{5d2}", "\u{5d0}\u{5d2}"),
        ] {
            assert_eq!(initials(name), expected, "{name}");
        }
    }
}
