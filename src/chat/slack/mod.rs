//! Slack as the chat platform.
//!
//! | File | Part |
//! |---|---|
//! | `settings` | what the operator sets |
//! | `method` | the methods of the Web API that are called, and their scopes |
//! | `api` | calls them: one bounded request each |
//! | `error` | the codes of Slack, by what follows from them |
//! | `gates` | when each method may be called next |
//! | `group_people` | the people of user groups whose syncs are due |
//! | `manifest` | the app manifest |
//! | `check` | whether the app is set up as it must be |
//! | `buttons` | the buttons under messages |
//! | `text` | escaping |
//! | `records` | users, user groups and channels as records of the directory |
//! | `directory` | reads them |
//! | `events` | what Slack says of them in between |
//! | `platform` | the traits of chat platforms |

mod api;
mod buttons;
mod check;
mod directory;
mod error;
mod events;
mod gates;
mod group_people;
mod manifest;
pub mod method;
mod platform;
pub mod records;
mod remote;
mod settings;
mod text;

pub use api::Slack;
pub use buttons::{About, Button};
pub use events::{DirectoryEvent, RawEvent, SaidPerson};
pub use manifest::{ManifestSettings, manifest};
pub use records::SlackPerson;
pub use settings::{ApiUrl, SlackSettings};
pub use text::{escaped, mended, unescaped};
