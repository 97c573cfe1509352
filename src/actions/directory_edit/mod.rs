//! Writes of one person, user group or channel of the directory, where no chat platform owns it (rules.md 17).
//!
//! Rotations follow in the transaction of the write, as they follow an import or a reading of the chat platform's directory.

mod channels;
mod groups;
mod people;

pub use channels::{ChannelEdit, create_channel, edit_channel, remove_channel};
pub(super) use groups::changed as changed_group;
pub use groups::{GroupEdit, create_group, edit_group, load_group, remove_group};
pub use people::{PersonEdit, PersonRecord, create_person, edit_person, load_person};
pub(super) use people::{changed, create_within, promote_within};
pub use people::{create_people, invite_person};

use super::App;
use crate::domain::directory::Source;
use crate::domain::refusal::{DirectoryFault, Refusal};

/// Compares what a change repeats of a record, or the validator that the caller has, with the record as it stands.
pub type Check<T> = Box<dyn FnOnce(&T) -> Result<(), Refusal> + Send>;

/// The chat platform that owns the directory; `None` where it is written here.
pub fn owner(app: &App) -> Option<Source> {
    app.remote().map(|remote| remote.names().source)
}

/// Refuses writes of a directory that the chat platform owns.
///
/// # Errors
/// [`Refusal::Directory`].
pub(super) fn check_local(app: &App) -> Result<(), Refusal> {
    match owner(app) {
        None => Ok(()),
        Some(owner) => Err(refused("", DirectoryFault::Elsewhere(owner))),
    }
}

fn refused(path: &str, fault: DirectoryFault) -> Refusal {
    Refusal::Directory(path.into(), fault)
}

/// The names of the members that differ, as a line says them.
fn differing(members: &[(&'static str, bool)]) -> String {
    let differing = members.iter().filter(|(_, differs)| *differs);
    let names: Vec<&str> = differing.map(|(name, _)| *name).collect();
    names.join(", ")
}
