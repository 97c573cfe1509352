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
    colours: HashMap<UserId, usize>,
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
            Ok::<(), Error>(())
        })?;
        self.colours = colours(self.known.keys());
        Ok(())
    }

    /// Whether somebody has been loaded, and is there.
    pub fn knows(&self, user: &UserId) -> bool {
        self.known.contains_key(user)
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
        let name = self.name(user);
        html! {
            span.person {
                span.initials.(format!("c{}", self.colour(user))) aria-hidden="true" { (initials(name)) }
                @if linked { a href=(path(user)) { bdi { (name) } } } @else { bdi { (name) } }
            }
        }
    }

    /// One of eight colours. The same for a person on every page, unless somebody on the page has it already.
    pub fn colour(&self, user: &UserId) -> usize {
        self.colours.get(user).copied().unwrap_or(NEUTRAL)
    }

    /// People one after the other.
    pub fn show_all<'a>(&self, users: impl IntoIterator<Item = &'a UserId>) -> Markup {
        html! {
            span.people {
                @for (index, user) in users.into_iter().enumerate() {
                    @if index > 0 { span.unseen { ", " } }
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
        crate::web::layout::encoded(user.as_str()).replace('/', "%2F")
    )
}

/// Colours of people, and the one of nobody.
const COLOURS: usize = 7;
pub const NEUTRAL: usize = 7;

/// A colour for each: that of their id, or the next that is free while there are any.
fn colours<'a>(users: impl Iterator<Item = &'a UserId>) -> HashMap<UserId, usize> {
    let mut users: Vec<&UserId> = users.collect();
    users.sort();
    let mut uses = [0; COLOURS];
    let mut chosen = HashMap::new();
    for user in users {
        let own = mixed(user) as usize % COLOURS;
        let fewest = uses.iter().min().copied().unwrap_or_default();
        let candidates = (0..COLOURS).map(|step| (own + step) % COLOURS);
        let colour = candidates.into_iter().find(|one| uses[*one] == fewest);
        let colour = colour.unwrap_or(own);
        uses[colour] += 1;
        chosen.insert(user.clone(), colour);
    }
    chosen
}

/// The id as a well-spread number.
fn mixed(user: &UserId) -> u32 {
    let mixed = user.as_str().bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    mixed ^ (mixed >> 15)
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
    let shown: Vec<char> = match words.as_slice() {
        [] => Vec::new(),
        [word] => word.iter().take(2).copied().collect(),
        [first, .., last] => vec![first[0], last[0]],
    };
    shown.into_iter().flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_people_differ_in_colour() {
        let users: Vec<UserId> = (0..10)
            .map(|n| UserId::from(format!("U{n}").as_str()))
            .collect();
        let few = colours(users[..COLOURS].iter());
        let mut seen: Vec<usize> = few.values().copied().collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..COLOURS).collect::<Vec<_>>());
        // More share them evenly, and alone everybody has their own.
        let many = colours(users.iter());
        assert!(
            (0..COLOURS).all(
                |colour| (1..=2).contains(&many.values().filter(|one| **one == colour).count())
            )
        );
        let alone = colours(users[3..4].iter());
        assert_eq!(alone[&users[3]], mixed(&users[3]) as usize % COLOURS);
    }

    #[test]
    fn first_letters() {
        for (name, expected) in [
            ("Ada Lovelace", "AL"),
            ("ada", "AD"),
            ("Anna Maria van der Berg", "AB"),
            ("<script>alert(1)</script>", "SC"),
            ("  ", ""),
            ("\u{1f600} Smile", "SM"),
            ("\u{5d0}\u{5d1} \u{5d2}", "\u{5d0}\u{5d2}"),
        ] {
            assert_eq!(initials(name), expected, "{name}");
        }
    }
}
