//! Why somebody is on call, or nobody (rules.md 26).

use super::cadence::{self, Cadence};
use super::moment::{Local, Moment};
use super::schema::shown;
use super::to_i32;
use crate::domain::absence::AbsenceSource;
use crate::domain::arrangement::ArrangementKind;
use crate::domain::audit::{Actor, Doer};
use crate::domain::explain::{self as domain, Deed, Opening, Step, Unrecorded};
use crate::domain::holidays::Calendar;
use crate::domain::rotation::Reason;
use crate::domain::trace::Hindrance;
use crate::domain::words::words;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::borrow::Cow;

shown! {
    /// How the arrangement was made.
    ArrangedBy of ArrangementKind::ALL
}

words! {
    /// Where a person did it, if not by the API or a page.
    pub enum DoneIn {
        /// By a command, a button or a form in Slack.
        Slack = "slack",
    }
}

/// Who did something by hand.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoneBy {
    #[serde(flatten)]
    pub actor: Actor,
    /// Null unless it was done in chat.
    pub via: Option<DoneIn>,
}

/// Why a rotation is as it is at an instant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub at: Moment,
    /// In slot order; cells that are gone come last.
    pub cells: Vec<ExplainedCell>,
}

/// Why somebody, or nobody, is on call in a cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedCell {
    pub cell_id: String,
    /// Null for nobody, and for somebody who is unknown to the chat platform.
    pub user_id: Option<String>,
    pub source: domain::Source,
    /// In the order in which they decided.
    pub steps: Vec<ExplainedStep>,
    /// Why the person of `userId` is not on call; null where they are. Absent unless `userId` was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "nullable_why_not")]
    pub why_not: Option<Option<WhyNot>>,
}

/// Absent members are never null elsewhere. This one is absent where nobody was asked about, and null says that whoever was is on
/// call: an enumeration, which the document keeps.
fn nullable_why_not(generator: &mut SchemaGenerator) -> Schema {
    let why_not = generator.subschema_for::<WhyNot>();
    schemars::json_schema!({ "anyOf": [why_not, { "enum": [null] }] })
}

/// Why somebody is not on call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhyNot {
    pub user_id: String,
    pub why: domain::WhyNot,
    /// One English sentence that says it, with local times.
    pub text: String,
}

/// Defines the steps: a schema each, and the union of them.
macro_rules! steps {
    ($($(#[doc = $doc:literal])* $name:ident = $rule:literal {
        $($(#[$meta:meta])* $field:ident: $type:ty,)*
    })+) => {
        $(
            $(#[doc = $doc])*
            #[derive(Clone, Debug, Serialize, JsonSchema)]
            #[serde(rename_all = "camelCase")]
            pub struct $name {
                /// The name of the step.
                #[schemars(extend("enum" = [$rule]))]
                pub rule: &'static str,
                /// One English sentence that says it, with local times.
                pub text: String,
                $($(#[$meta])* pub $field: $type,)*
            }
        )+

        /// One step. `rule` says which.
        #[derive(Clone, Debug, Serialize)]
        #[serde(untagged)]
        pub enum ExplainedStep {
            $($name(Box<$name>),)+
        }

        impl JsonSchema for ExplainedStep {
            fn schema_name() -> Cow<'static, str> {
                "ExplainedStep".into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let each = [$(generator.subschema_for::<$name>()),+];
                schemars::json_schema!({
                    "description": "One step. `rule` says which.",
                    "oneOf": each,
                })
            }
        }

        $(
            impl $name {
                const RULE: &str = $rule;
            }
        )+
    };
}

/// Makes a step out of its sentence and its own members.
macro_rules! step {
    ($name:ident { $text:ident $(, $($members:tt)*)? }) => {
        ExplainedStep::$name(Box::new($name { rule: $name::RULE, text: $text, $($($members)*)? }))
    };
}

steps! {
    /// The hours are open.
    WindowOpenStep = "windowOpen" {
        /// When they opened. Null if they are always open.
        from: Option<Moment>,
        /// When they shut. Null if they are always open.
        until: Option<Moment>,
        /// `from` in the zone of the hours.
        local_start: Option<Local>,
        /// `until` in the zone of the hours.
        local_end: Option<Local>,
        /// Null on a rotation without a cadence.
        time_zone: Option<String>,
    }
    /// The hours are shut.
    WindowShutStep = "windowShut" {
        /// When they shut. Null if it is not recorded, and ahead.
        from: Option<Moment>,
        /// When they open again. Null if that is not known.
        until: Option<Moment>,
        /// `until` in the zone of the hours.
        local_end: Option<Local>,
        time_zone: Option<String>,
    }
    /// A day that the cadence skips counts as shut.
    OffDayStep = "offDay" {
        /// In the zone of the cadence.
        date: String,
        /// The country or subdivision whose day it is.
        country: String,
        /// `weekend`, or what the operator's holiday file calls the day, or `national holiday`.
        name: String,
    }
    /// The rotation is disabled, or was at that time.
    FrozenStep = "frozen" {
        /// When it was disabled: it stands as it did then.
        since: Moment,
        /// When it was enabled again. Null if it has not been.
        until: Option<Moment>,
    }
    /// The plan of the workspace does not include the lane.
    NotInPlanStep = "notInPlan" {}
    /// A change that waits for its time, without which it would stand otherwise.
    ChangeStep = "change" {
        change_id: String,
        /// When it is applied.
        at: Moment,
        /// Who made it.
        by: Actor,
    }
    /// The turn was dealt.
    DealtAtStep = "dealtAt" {
        at: Moment,
        /// What dealt it, as the history says it.
        reason: Reason,
        /// The cadence whose hand-over it was. Absent if it was none, and if that is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        cadence: Option<Cadence>,
        /// When the hand-over was to be, on a day that is skipped. Absent if it was not moved.
        #[serde(skip_serializing_if = "Option::is_none")]
        moved_from: Option<Moment>,
    }
    /// The list that the slot is dealt from.
    OrderStep = "order" {
        /// Null for the common list of all members.
        roster_id: Option<String>,
        window_id: String,
        /// The position in `order` from which the window dealt.
        next_turn: i32,
        /// Ids of people.
        order: Vec<String>,
    }
    /// Somebody absent was passed over.
    PassedOverStep = "passedOver" {
        user_id: String,
        /// Absent for an absence from a calendar, and if it has been deleted or changed since.
        #[serde(skip_serializing_if = "Option::is_none")]
        absence_id: Option<String>,
        /// True for an absence from a calendar of the person; otherwise absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        calendar: Option<bool>,
        /// When they are absent from. Null on older records.
        from: Option<Moment>,
        /// Exclusive. Null on older records.
        until: Option<Moment>,
    }
    /// Somebody was passed over because they are on call in another cell at the same time.
    AlreadyOnDutyStep = "alreadyOnDuty" {
        user_id: String,
        /// The first such cell.
        cell_id: String,
    }
    /// Nobody was free, so the search began again with people who are on call elsewhere.
    DoubleCoverStep = "doubleCover" {}
    /// Nobody is here for all of the turn, so the search began again for whoever misses the least of it.
    LeastAbsentStep = "leastAbsent" {}
    /// Whose own turn it is. Only where missed turns are traded, as the next five.
    OwnTurnStep = "ownTurn" {
        user_id: String,
        /// Null for the common list of all members.
        roster_id: Option<String>,
        window_id: Option<String>,
        /// People with a part of the turns whose place came before, and who sit this one out.
        sat_out: Vec<String>,
    }
    /// Somebody who would have come before cannot take the turn.
    CannotStep = "cannot" {
        user_id: String,
        why: Hindrance,
        /// When the absence or their other turn begins. Null for an absence that has no beginning.
        from: Option<Moment>,
        /// Exclusive. Null for an absence without an end.
        until: Option<Moment>,
        /// The cell of their other turn. Absent for an absence.
        #[serde(skip_serializing_if = "Option::is_none")]
        cell_id: Option<String>,
    }
    /// Somebody takes the turn, and whoever's it is takes one of theirs.
    TradeStep = "trade" {
        /// Whose own turn it is.
        owes: String,
        /// Who takes it.
        owed: String,
        returns: ReturnedTurn,
    }
    /// Somebody takes the turn because one of theirs was taken before.
    RepaymentStep = "repayment" {
        trade_id: String,
        /// Who pays back.
        user_id: String,
        /// When the turn began that was taken for them.
        since: Moment,
    }
    /// Somebody helps out, and nothing is owed: whoever's turn it is stays away for longer than a round.
    HelpStep = "help" {
        user_id: String,
        helped_before: i32,
    }
    /// Nobody who could take the turn is rested for it.
    RestNotKeptStep = "restNotKept" {}
    /// Who takes the turn.
    ChosenStep = "chosen" {
        user_id: String,
        /// Their position in the order. Absent if they are not in it.
        #[serde(skip_serializing_if = "Option::is_none")]
        turn: Option<i32>,
    }
    /// Nobody was left to take the turn.
    NobodyLeftStep = "nobodyLeft" {}
    /// Somebody put people on duty.
    SetByHandStep = "setByHand" {
        /// Null on older records.
        by: Option<DoneBy>,
        at: Moment,
    }
    /// Somebody handed over.
    RotatedByHandStep = "rotatedByHand" {
        /// Null on older records.
        by: Option<DoneBy>,
        at: Moment,
    }
    /// Somebody took whoever was on duty off duty.
    ClearedByHandStep = "clearedByHand" {
        /// Null on older records.
        by: Option<DoneBy>,
        at: Moment,
    }
    /// Somebody edited the rotation, and the slot was filled or emptied with that.
    RotationEditedStep = "rotationEdited" {
        /// Null on older records.
        by: Option<DoneBy>,
        at: Moment,
    }
    /// Somebody removed whoever was on duty from the rotation.
    MemberRemovedStep = "memberRemoved" {
        /// Null on older records.
        by: Option<DoneBy>,
        at: Moment,
    }
    /// Somebody acknowledged a mention, and the slots for which they were on call went to whoever is next.
    MentionAcknowledgedStep = "mentionAcknowledged" {
        /// Null on older records.
        by: Option<DoneBy>,
        at: Moment,
    }
    /// An assignment, a cover or a leg of a swap lies over the dealt turn.
    ArrangementStep = "arrangement" {
        id: String,
        /// Null if it is no longer stored.
        #[schemars(with = "Option<ArrangedBy>")]
        kind: Option<ArrangementKind>,
        /// Who assigned it or accepted the request. Null on older records.
        by: Option<DoneBy>,
        /// What the requester wrote. Null if there is nothing.
        reason: Option<String>,
        from: Moment,
        /// Exclusive. Null if no end is known.
        until: Option<Moment>,
    }
    /// The partner's schedule says who is on call.
    ExternalShiftStep = "externalShift" {
        /// When the shift began.
        at: Moment,
        /// Exclusive. Null if no end is known.
        until: Option<Moment>,
        /// What somebody is called who is unknown to the chat platform. Null if there is nobody like that.
        name: Option<String>,
    }
    /// The instant lies past the end of what is known of the partner's schedule, so whoever was on call last stays on call.
    ScheduleUnknownStep = "scheduleUnknown" {
        /// The end of what is known. Null if nothing is.
        since: Option<Moment>,
    }
    /// The record does not hold something that decided.
    NotRecordedStep = "notRecorded" {
        what: Unrecorded,
    }
}

/// The turn to come that is given for one that somebody takes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReturnedTurn {
    pub cell_id: String,
    pub from: Moment,
}

/// Renders an explanation.
pub fn render(explanation: domain::Explanation, calendar: &Calendar) -> Explanation {
    let why_not = |not: domain::NotChosen| WhyNot {
        user_id: not.user.to_string(),
        why: not.why,
        text: not.text,
    };
    let asks = explanation.asks_about_somebody;
    let cell = |cell: domain::ExplainedCell| ExplainedCell {
        why_not: asks.then(|| cell.why_not.map(why_not)),
        cell_id: cell.cell.to_string(),
        user_id: cell.user.map(|user| user.to_string()),
        source: cell.source,
        steps: cell
            .steps
            .into_iter()
            .map(|told| step(told, calendar))
            .collect(),
    };
    Explanation {
        at: explanation.at.into(),
        cells: explanation.cells.into_iter().map(cell).collect(),
    }
}

fn done_by(doer: Doer) -> DoneBy {
    DoneBy {
        actor: doer.actor,
        via: doer.in_chat.then_some(DoneIn::Slack),
    }
}

/// The ends of a stretch in its zone.
fn local(opening: &Opening) -> [Option<Local>; 2] {
    let local = |at| Some(Local(at?, opening.zone?));
    [opening.from, opening.until].map(local)
}

fn step(told: domain::Told, calendar: &Calendar) -> ExplainedStep {
    let domain::Told { step, text } = told;
    match step {
        Step::WindowOpen(opening) => {
            let [local_start, local_end] = local(&opening);
            step!(WindowOpenStep {
                text,
                from: opening.from.map(Moment),
                until: opening.until.map(Moment),
                local_start,
                local_end,
                time_zone: opening.zone.map(|zone| zone.to_string()),
            })
        }
        Step::WindowShut(opening) => step!(WindowShutStep {
            text,
            from: opening.from.map(Moment),
            until: opening.until.map(Moment),
            local_end: local(&opening)[1],
            time_zone: opening.zone.map(|zone| zone.to_string()),
        }),
        Step::OffDay {
            date,
            country,
            is_weekend,
            name,
        } => step!(OffDayStep {
            text,
            date: date.to_string(),
            country: country.to_string(),
            name: match is_weekend {
                true => "weekend".into(),
                false => name.unwrap_or_else(|| "national holiday".into()),
            },
        }),
        Step::Frozen { since, until } => step!(FrozenStep {
            text,
            since: since.into(),
            until: until.map(Moment),
        }),
        Step::NotInPlan => step!(NotInPlanStep { text }),
        Step::Change { id, at, by } => step!(ChangeStep {
            text,
            change_id: id.to_string(),
            at: at.into(),
            by,
        }),
        Step::DealtAt {
            at,
            reason,
            cadence,
            moved_from,
        } => step!(DealtAtStep {
            text,
            at: at.into(),
            reason,
            cadence: cadence.map(|cadence| cadence::render(Some(&cadence), calendar, None)),
            moved_from: moved_from.map(Moment),
        }),
        Step::Order {
            roster,
            window,
            next_turn,
            order,
        } => step!(OrderStep {
            text,
            roster_id: roster.map(|id| id.to_string()),
            window_id: window.to_string(),
            next_turn: to_i32(next_turn),
            order: order.iter().map(ToString::to_string).collect(),
        }),
        Step::PassedOver { absence, id } => step!(PassedOverStep {
            text,
            user_id: absence.user.to_string(),
            absence_id: id.map(|id| id.to_string()),
            calendar: (absence.source == AbsenceSource::Calendar).then_some(true),
            from: absence.from.map(Moment),
            until: absence.until.map(Moment),
        }),
        Step::AlreadyOnDuty(passed) => step!(AlreadyOnDutyStep {
            text,
            user_id: passed.user.to_string(),
            cell_id: passed.cell.to_string(),
        }),
        Step::DoubleCover => step!(DoubleCoverStep { text }),
        Step::LeastAbsent => step!(LeastAbsentStep { text }),
        Step::OwnTurn {
            user,
            line,
            sat_out,
        } => {
            let (roster, window) = line.unzip();
            step!(OwnTurnStep {
                text,
                user_id: user.to_string(),
                roster_id: roster.flatten().map(|id| id.to_string()),
                window_id: window.map(|id| id.to_string()),
                sat_out: sat_out.iter().map(ToString::to_string).collect(),
            })
        }
        Step::Cannot(cannot) => step!(CannotStep {
            text,
            user_id: cannot.user.to_string(),
            why: cannot.why,
            from: cannot.from.map(Moment),
            until: cannot.until.map(Moment),
            cell_id: cannot.cell.map(|id| id.to_string()),
        }),
        Step::Trade {
            owes,
            owed,
            returns: (cell, from),
        } => step!(TradeStep {
            text,
            owes: owes.to_string(),
            owed: owed.to_string(),
            returns: ReturnedTurn {
                cell_id: cell.to_string(),
                from: from.into(),
            },
        }),
        Step::Repayment { trade, user, since } => step!(RepaymentStep {
            text,
            trade_id: trade.to_string(),
            user_id: user.to_string(),
            since: since.into(),
        }),
        Step::Help { user, before } => step!(HelpStep {
            text,
            user_id: user.to_string(),
            helped_before: to_i32(before as usize),
        }),
        Step::RestNotKept => step!(RestNotKeptStep { text }),
        Step::Chosen { user, turn } => step!(ChosenStep {
            text,
            user_id: user.to_string(),
            turn: turn.map(to_i32),
        }),
        Step::NobodyLeft => step!(NobodyLeftStep { text }),
        Step::ByHand { deed, by, at } => by_hand(deed, text, by.map(done_by), at.into()),
        Step::Arrangement {
            id,
            kind,
            by,
            reason,
            from,
            until,
        } => step!(ArrangementStep {
            text,
            id: id.to_string(),
            kind,
            by: by.map(done_by),
            reason,
            from: from.into(),
            until: until.map(Moment),
        }),
        Step::ExternalShift {
            at,
            until,
            outsider,
            ..
        } => step!(ExternalShiftStep {
            text,
            at: at.into(),
            until: until.map(Moment),
            name: outsider,
        }),
        Step::ScheduleUnknown { since, .. } => step!(ScheduleUnknownStep {
            text,
            since: since.map(Moment),
        }),
        Step::NotRecorded(what) => step!(NotRecordedStep { text, what }),
    }
}

fn by_hand(deed: Deed, text: String, by: Option<DoneBy>, at: Moment) -> ExplainedStep {
    match deed {
        Deed::Set => step!(SetByHandStep { text, by, at }),
        Deed::Rotated => step!(RotatedByHandStep { text, by, at }),
        Deed::Cleared => step!(ClearedByHandStep { text, by, at }),
        Deed::Edited => step!(RotationEditedStep { text, by, at }),
        Deed::Removed => step!(MemberRemovedStep { text, by, at }),
        Deed::Acknowledged => step!(MentionAcknowledgedStep { text, by, at }),
    }
}
