//! /v1/rotations/{rotationId}/coverage, /rosters and /channels.

use super::answer::Outcome;
use super::extract::Call;
use super::operation::{Operation, operation, refusals};
use super::rotations::whole;
use crate::actions::channels::SetChannel;
use crate::actions::grid::{ReplaceCoverage, WriteRoster};
use crate::wire::edit::{self, ChannelRequest};
use crate::wire::etag::Precondition;
use crate::wire::grid::{self, GridRequest};
use crate::wire::roster::{self, CommonRosterRequest, RosterRequest};
use crate::wire::rotation::Rotation;

pub const COVERAGE: Operation = operation("replaceCoverage", "rotations", "Replace the grid")
    .about("The lanes, windows and cells that the rotation will have; what is left out is deleted with whoever was on \
        duty in it. A kept cell keeps its holder. `rosters` narrows the lists that cells deal from in the same write. \
        Slots that this leaves empty are dealt straight away.")
    .takes::<GridRequest>()
    .gives_tagged::<Rotation>("The whole rotation.")
    .refuses(&["payment_required", "external_rotation_is_read_only"]);

/// PUT coverage.
pub fn coverage(call: &Call, precondition: &Precondition) -> Outcome {
    let replace = ReplaceCoverage(grid::parse(&call.body)?);
    whole(call, precondition, replace)
}

pub const ROSTER: Operation = operation("narrowRoster", "rotations", "Write a roster")
    .about("Narrows or reorders a roster that cells name to some of the members, as follow-the-sun does, and sets its next \
        turns. Whoever holds a cell keeps it until the next hand-over.")
    .takes::<RosterRequest>()
    .gives_tagged::<Rotation>("The whole rotation.")
    .refuses(refusals::READ_ONLY);

/// PUT a roster.
pub fn roster(call: &Call, precondition: &Precondition) -> Outcome {
    let write = WriteRoster {
        spec: roster::parse(&call.body)?,
        roster: Some(call.path.id("rosterId")),
    };
    whole(call, precondition, write)
}

pub const COMMON_ROSTER: Operation =
    operation("setCommonRoster", "rotations", "Write the common roster")
        .about("Sets the next turns of the common roster. Its list is the members of the rotation.")
        .takes::<CommonRosterRequest>()
        .gives_tagged::<Rotation>("The whole rotation.")
        .refuses(refusals::READ_ONLY);

/// PUT the common roster.
pub fn common_roster(call: &Call, precondition: &Precondition) -> Outcome {
    let write = WriteRoster {
        spec: roster::parse_common(&call.body)?,
        roster: None,
    };
    whole(call, precondition, write)
}

pub const CHANNEL: Operation = operation("setChannel", "rotations", "Change a channel's settings")
    .about("Adds the channel if it is missing, changes it otherwise. A channel with neither setting is removed. The app need \
        not be a member: nothing is posted until it is invited.")
    .may_take::<ChannelRequest>()
    .gives_tagged::<Rotation>("The whole rotation.");

/// PUT a channel.
pub fn channel(call: &Call, precondition: &Precondition) -> Outcome {
    let set = SetChannel {
        change: edit::channel(&call.body)?,
        channel: call.path.id("channelId"),
    };
    whole(call, precondition, set)
}
