//! What people say to rota on a chat platform and what it says back, whichever platform it is.
//!
//! An edge of a platform makes a [`Visit`] of what somebody typed or clicked, with the [`Markup`] in which answers are written, and
//! asks the files of this folder. They run the actions that the API runs, as that person, and word what those return. Where it is
//! shown, and with which buttons, is the edge's.
//!
//! | File | Part |
//! |---|---|
//! | `visit` | who says something, and what every answer is made from |
//! | `markup` | how a platform writes people, instants and emphasis |
//! | `command` | reads what was typed |
//! | `people` | who is meant |
//! | `overview` `rotation` `turns` `me` | answers about duty |
//! | `requests` `mention` | what waits for somebody, and their answers |
//! | `duty` `proposing` | writes |
//! | `link` `help` | the pages; the commands |
//! | `words` `times` | refusals and instants in words |

pub mod command;
pub mod duty;
pub mod help;
pub mod link;
pub mod markup;
pub mod me;
pub mod mention;
pub mod overview;
pub mod people;
pub mod proposing;
pub mod requests;
pub mod rotation;
pub mod times;
pub mod turns;
pub mod visit;
pub mod words;

pub use command::Command;
pub use markup::Markup;
pub use visit::Visit;
