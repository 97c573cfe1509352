//! /v1/rotations/{rotationId}/coverage, /rosters and /channels.

use super::Api;
use super::answer::Outcome;
use super::extract::Call;
use super::operation::{Body, Operation, gives_tagged, shape};
use super::rotations::tagged;
use crate::actions::rotations;
use crate::wire::edit::{self, ChannelRequest, RosterRequest};
use crate::wire::etag::Precondition;
use crate::wire::grid::{self, GridRequest};
use crate::wire::rotation::Rotation;

pub const COVERAGE: Operation = Operation {
    id: "replaceCoverage",
    tag: "rotations",
    summary: "Replace the grid",
    about: "The lanes, windows and cells that the rotation will have; what is left out is deleted with whoever was on \
            duty in it. A kept cell keeps its holder. Places this leaves empty are dealt straight away.",
    query: &[],
    body: Body::Required(shape::<GridRequest>),
    gives: &[gives_tagged(200, "The whole rotation.", shape::<Rotation>)],
    refuses: &[(402, "payment_required")],
};

/// PUT coverage.
pub fn coverage(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let spec = grid::parse(&call.body)?;
    let id = call.path.id("rotationId");
    let rotation = rotations::replace_coverage(call.app, call.caller, &id, precondition, spec)?;
    tagged(call, 200, &rotation)
}

pub const ROSTER: Operation = Operation {
    id: "narrowRoster",
    tag: "rotations",
    summary: "Narrow a roster",
    about: "Narrows or reorders a roster that cells name to some of the members, as follow-the-sun does. Whoever holds a \
            place keeps it until the next hand-over.",
    query: &[],
    body: Body::Required(shape::<RosterRequest>),
    gives: &[gives_tagged(200, "The whole rotation.", shape::<Rotation>)],
    refuses: &[],
};

/// PUT a roster.
pub fn roster(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let narrowed = edit::roster(&call.body)?;
    let (id, roster) = (call.path.id("rotationId"), call.path.id("rosterId"));
    let rotation =
        rotations::narrow_roster(call.app, call.caller, &id, precondition, roster, narrowed)?;
    tagged(call, 200, &rotation)
}

pub const CHANNEL: Operation = Operation {
    id: "setChannel",
    tag: "rotations",
    summary: "Tell a channel",
    about: "Adds the channel if absent, changes it if present. A channel left doing neither job is removed. The app need \
            not be in it: nothing arrives until it is invited.",
    query: &[],
    body: Body::Optional(shape::<ChannelRequest>),
    gives: &[gives_tagged(200, "The whole rotation.", shape::<Rotation>)],
    refuses: &[],
};

/// PUT a channel.
pub fn channel(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let change = edit::channel(&call.body)?;
    let (id, channel) = (call.path.id("rotationId"), call.path.id("channelId"));
    let rotation =
        rotations::set_channel(call.app, call.caller, &id, precondition, channel, change)?;
    tagged(call, 200, &rotation)
}
