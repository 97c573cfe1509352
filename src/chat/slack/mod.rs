//! Slack as the chat platform.
//!
//! | File | Part |
//! |---|---|
//! | `settings` | what the operator sets |
//! | `method` | the methods of the Web API that are called, and their scopes |
//! | `api` | calls them: one bounded request each |
//! | `error` | why a call failed, by what follows from it |
//! | `gates` | when each method may be called next |
//! | `health` | whether Slack answers and takes the token |
//! | `buttons` | the buttons under messages |
//! | `text` | escaping |
//! | `records` | users, user groups and channels as records of the directory |
//! | `directory` | reads them |
//! | `events` | what Slack says of them in between |
//! | `platform` | the trait of chat platforms |

mod api;
mod buttons;
pub mod directory;
mod error;
mod events;
mod gates;
mod health;
pub mod method;
mod platform;
pub mod records;
mod settings;
mod text;

pub use api::Slack;
pub use buttons::{About, Button};
pub use error::{OTHER_WORKSPACE, Pause, Refusal, SlackError};
pub use events::{DirectoryEvent, RawEvent, SaidPerson};
pub use health::Workspace;
pub use records::SlackPerson;
pub use settings::{ApiUrl, SlackSettings, is_loopback};
pub use text::{escaped, mended, unescaped};
