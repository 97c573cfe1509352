//! The words of a letter that invites somebody.

use crate::relays::plain::plain;
use maud::{DOCTYPE, html};

/// An invitation to sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation<'a> {
    /// The reader's.
    pub name: &'a str,
    /// The address that signs them in once.
    pub link: String,
}

const SUBJECT: &str = "Sign in to the on-call plan";
const ABOUT: &str =
    "you were added to the on-call plan. This link signs you in once, within 7 days:";
const OTHERS: &str = "Whoever has the link signs in as you, so do not pass it on.";

impl Invitation<'_> {
    /// The subject.
    pub fn subject(&self) -> String {
        SUBJECT.to_owned()
    }

    /// The text, with lines that end in `\n`.
    pub fn text(&self) -> String {
        format!(
            "{}, {ABOUT}\n\n{}\n\n{OTHERS}\n",
            plain(self.name),
            self.link
        )
    }

    /// The content as HTML.
    pub fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head { meta charset="utf-8"; title { (SUBJECT) } }
                body {
                    p { bdi { (plain(self.name)) } ", " (ABOUT) }
                    p { a href=(self.link) { "Sign in" } }
                    p { small { (OTHERS) } }
                }
            }
        };
        // One element a line keeps the source readable.
        page.into_string().replace("><", ">\n<")
    }
}
