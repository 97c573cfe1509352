//! Matrix as the chat platform: an ordinary account on any homeserver.
//!
//! | File | Part |
//! |---|---|
//! | `settings` | what the operator sets |
//! | `api` | calls the homeserver: one bounded request each |
//! | `error` | error codes, by what follows from them |
//! | `writes` | when something may be written next |
//! | `power` | who may do what in a room |
//! | `room` | the state of a room |
//! | `rooms` | the rooms of the account, and invitations to others |
//! | `directory` | people, groups and channels |
//! | `seen` | what the last reading saw |
//! | `invitations` | which are accepted |
//! | `workspace` | whose space it is |
//! | `content` | messages as text and HTML |
//! | `direct` | rooms of two |
//! | `groups` | rooms with whoever is on call |
//! | `listening` | what happens in rooms |
//! | `answering` | answers to people, and reactions in place of buttons |
//! | `check` | whether everything is set up as it must be |
//! | `login` | makes a token |
//! | `platform` `remote` | the traits of chat platforms |

mod answering;
mod api;
mod check;
mod content;
mod direct;
mod directory;
mod error;
mod groups;
mod invitations;
mod listening;
mod login;
mod platform;
mod power;
mod remote;
mod room;
mod rooms;
mod seen;
mod settings;
mod workspace;
mod writes;

pub use answering::{NO, Posted, YES};
pub use api::Matrix;
pub use check::{RoomUse, UsedRoom};
pub use content::{Place, escaped};
pub use listening::{Heard, Start};
pub use login::login;
pub use settings::{Homeserver, MatrixSettings, TokenSource};
