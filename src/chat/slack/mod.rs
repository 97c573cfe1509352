//! Slack as the chat platform.
//!
//! | File | Part |
//! |---|---|
//! | `settings` | what the operator sets |
//! | `method` | the methods of the Web API that are called, and their scopes |
//! | `api` | calls them: one bounded request each |
//! | `error` | why a call failed, by what follows from it |
//! | `gates` | when each method may be called next |
//! | `group_people` | the people of user groups whose syncs are due |
//! | `meanwhile` | what Slack says of the directory while it is read in full |
//! | `health` | whether Slack answers and takes the token |
//! | `manifest` | the app manifest |
//! | `check` | whether the app is set up as it must be |
//! | `buttons` | the buttons under messages |
//! | `text` | escaping |
//! | `records` | users, user groups and channels as records of the directory |
//! | `directory` | reads them |
//! | `events` | what Slack says of them in between |
//! | `platform` | the trait of chat platforms |

mod api;
mod buttons;
mod check;
pub mod directory;
mod error;
mod events;
mod gates;
mod group_people;
mod health;
mod manifest;
pub mod method;
mod platform;
mod reading_events;
pub mod records;
mod settings;
mod text;

pub use api::Slack;
pub use buttons::{About, Button};
pub use check::Finding;
pub use error::{OTHER_WORKSPACE, Pause, Refusal, SlackError};
pub use events::{DirectoryEvent, RawEvent, SaidPerson};
pub use health::Workspace;
pub use manifest::{ManifestSettings, manifest};
pub use reading_events::{ReadingEvents, UnderWay};
pub use records::SlackPerson;
pub use settings::{ApiUrl, SlackSettings};
pub use text::{escaped, mended, unescaped};
