//! Boards: pages that show who is on call to whoever has their address, such as a screen on a wall (rules.md 12).

use super::fault::Fault;
use super::ids::{BoardId, RotationId};
use super::refusal::{Refusal, invalid};
use super::zones::ZoneName;
use jiff::Timestamp;

/// The longest title, in characters.
pub const LONGEST_TITLE: usize = 100;

/// Rotations on one board at the most.
pub const MOST_ROTATIONS: usize = 50;

/// Boards of a workspace at the most.
pub const MOST_BOARDS: usize = 100;

/// A board. Its address holds a secret, of which only the hash is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub id: BoardId,
    pub title: String,
    /// The rotations that it shows, in order. One that is deleted is left out.
    pub rotations: Vec<RotationId>,
    /// The zone of its times.
    pub zone: ZoneName,
    pub created_at: Timestamp,
}

/// A board to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBoard {
    pub title: String,
    pub rotations: Vec<RotationId>,
    pub zone: ZoneName,
}

impl NewBoard {
    /// Checks what does not depend on what is stored.
    ///
    /// # Errors
    /// [`Refusal::Invalid`], naming the member.
    pub fn check(&self) -> Result<(), Refusal> {
        let length = self.title.chars().count();
        if self.title.trim().is_empty() || length > LONGEST_TITLE {
            return invalid(
                "title",
                Fault::Blank {
                    most: LONGEST_TITLE,
                },
            );
        }
        if self.title.contains(char::is_control) {
            return invalid("title", Fault::ControlCharacters);
        }
        if self.rotations.is_empty() || self.rotations.len() > MOST_ROTATIONS {
            return invalid(
                "rotationIds",
                format!("choose 1 to {MOST_ROTATIONS} rotations"),
            );
        }
        for (index, id) in self.rotations.iter().enumerate() {
            if self.rotations[..index].contains(id) {
                return invalid(
                    format!("rotationIds[{index}]"),
                    format!("{id} is named twice"),
                );
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused() {
        let long = "ä".repeat(LONGEST_TITLE);
        let many: Vec<String> = (0..=MOST_ROTATIONS).map(|n| format!("rot_{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for (title, rotations, refused) in [
            ("Wall", &["rot_1"][..], None),
            (&long, &many[..MOST_ROTATIONS], None),
            (" ", &["rot_1"], Some("title")),
            (&format!("{long}ä"), &["rot_1"], Some("title")),
            ("two\nlines", &["rot_1"], Some("title")),
            ("Wall", &[], Some("rotationIds")),
            ("Wall", &many, Some("rotationIds")),
            ("Wall", &["rot_1", "rot_1"], Some("rotationIds[1]")),
        ] {
            let board = NewBoard {
                title: title.to_owned(),
                rotations: rotations.iter().map(|id| RotationId::from(*id)).collect(),
                zone: ZoneName::utc(),
            };
            let outcome = board.check();
            assert_eq!(
                crate::tests::member(&outcome),
                refused,
                "{title} {}",
                rotations.len()
            );
        }
    }
}
