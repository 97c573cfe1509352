//! How a platform writes people, instants and emphasis.

use crate::domain::ids::UserId;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;

/// The markup of a platform. Everything but [`Markup::strong`] takes plain text and escapes it.
pub trait Markup: Send + Sync {
    /// User text on one line, in which the platform reads nothing.
    fn plain(&self, text: &str) -> String;

    /// Somebody, whom `name` is the name of where it is known. It notifies nobody.
    fn person(&self, user: &UserId, name: Option<&str>) -> String;

    /// Whether [`Markup::person`] uses the name: where the platform shows names itself, none is looked up.
    fn uses_names(&self) -> bool;

    /// An instant, for a reader in that zone.
    fn time(&self, at: Timestamp, zone: ZoneName) -> String;

    /// What is written already, made to stand out.
    fn strong(&self, written: &str) -> String;

    /// Something to type.
    fn code(&self, text: &str) -> String;

    /// A link to an address of this server.
    fn link(&self, url: &str, text: &str) -> String;

    /// What somebody wrote, on a line of its own.
    fn quote(&self, text: &str) -> String;
}
