//! What people have done for them. Without `confirm` nothing is written, and what would happen is answered (rules.md 12.11).

use super::{Kind, MIB, Tool, any_range, give, input, output, rotation};
use crate::actions::absences;
use crate::actions::answering::AnswerRequest;
use crate::actions::mutation::{Mutation, Operation};
use crate::actions::proposals::{self, Decision};
use crate::actions::{ActionError, overview, reads, shifts};
use crate::domain::access::Scope;
use crate::domain::agreement::check_unblocked;
use crate::domain::duty::Duty;
use crate::domain::edit::{Answering, NewAbsence, NewCover};
use crate::domain::ids::{RequestId, RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::request::{RequestKind, Step};
use crate::mcp::Call;
use crate::server::Problem;
use crate::wire::absence::{self, Absence};
use crate::wire::arrangement::{self, AgreementPreview};
use crate::wire::body::{parse, present};
use crate::wire::etag::Precondition;
use crate::wire::moment::Moment;
use crate::wire::request::{self, CoverRequest, Item};
use crate::wire::strict::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

strict!(RequestCover, AnswerCover, AddAbsence);

/// Runs an operation on a rotation as it stands now; `action` is the API's operation.
fn write<O: Operation>(
    call: &Call,
    action: &'static str,
    rotation: &RotationId,
    operation: O,
) -> Result<O::Output, ActionError> {
    let mutation = Mutation {
        author: &call.author(action),
        rotation,
        precondition: &Precondition::Any,
        operation,
    };
    Ok(mutation.run(call.app)?.output)
}

pub const REQUEST_COVER: Tool = Tool {
    name: "request_cover",
    title: "Ask others to cover a duty of yours",
    about: "Asks people of a rotation to cover a duty of yours. You stay on call until somebody accepts. Without `confirm` nobody is \
            asked, and the answer says what would stand in the way.",
    scope: Scope::WriteDuty,
    kind: Kind::Adds,
    input: input::<RequestCover>,
    output: output::<CoverOutcome>,
    memory: 4 * MIB,
    run: request_cover,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RequestCover {
    /// The code or id of the rotation.
    code: String,
    /// The cell that you hold, as `my_shifts` has it.
    cell_id: String,
    /// A past instant means now.
    from: Moment,
    /// Exclusive.
    to: Moment,
    /// 1 to 100 people of the cell's roster, without yourself.
    recipient_user_ids: Vec<String>,
    /// Those whom you ask read it; at most 2,000 characters.
    #[serde(default)]
    reason: Option<String>,
    /// Whether to ask. Anything else than true only answers what would happen.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    confirm: Option<bool>,
}

/// What came of asking for cover, or would.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CoverOutcome {
    /// Whether it was done. If not, nothing was written.
    done: bool,
    /// What was done, or would be.
    summary: &'static str,
    /// What would happen.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<AgreementPreview>,
    /// The request that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    made: Option<Item<CoverRequest>>,
}

fn request_cover(call: &Call, arguments: &[u8]) -> Result<Value, Problem> {
    let asked: RequestCover = parse(arguments)?;
    let id = rotation(call, &asked.code)?;
    let new = NewCover {
        cell: asked.cell_id.into(),
        asked: any_range(asked.from, asked.to)?,
        recipients: asked
            .recipient_user_ids
            .into_iter()
            .map(UserId::from)
            .collect(),
        reason: asked.reason.unwrap_or_default(),
        turn_selection: None,
        acknowledged: Vec::new(),
    };
    let weigh = |_: &_, _: &_| match asked.confirm {
        Some(true) => Ok(Decision::Write),
        _ => Ok(Decision::Weigh),
    };
    let write = |operation| write(call, "createCoverRequest", &id, operation);
    let by = (call.app, call.caller);
    let proposed = proposals::propose(by, &id, new.checked()?, weigh, write)?;
    let is_blocked = check_unblocked(&proposed.preview.conflicts()).is_err();
    give(&match proposed.written {
        None => CoverOutcome {
            done: false,
            summary: match is_blocked {
                true => "Nobody was asked. A conflict blocks the request.",
                false => "Nobody was asked. Send confirm: true to ask these people.",
            },
            preview: Some(arrangement::preview(&proposed.preview)),
            made: None,
        },
        Some(written) => CoverOutcome {
            done: true,
            summary: "The request was made. You stay on call until somebody accepts.",
            preview: None,
            made: Some(request::item(&written.request)),
        },
    })
}

pub const ANSWER_COVER: Tool = Tool {
    name: "answer_cover",
    title: "Accept or decline a cover request",
    about: "Accepts or declines a request to cover somebody's duty. Whoever accepts first takes the duty over. Without `confirm` \
            nothing is answered, and the answer has the request and whether you may.",
    scope: Scope::WriteDuty,
    kind: Kind::Settles,
    input: input::<AnswerCover>,
    output: output::<AnswerOutcome>,
    memory: 4 * MIB,
    run: answer_cover,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AnswerCover {
    /// `cov_...`.
    cover_request_id: String,
    /// What to answer.
    #[schemars(extend("enum" = ["accept", "decline"]))]
    answer: String,
    /// Ids of conflicts, such as own absences, in spite of which to accept.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    acknowledged_conflict_ids: Option<Vec<String>>,
    /// Whether to answer. Anything else than true only answers what would happen.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    confirm: Option<bool>,
}

/// What came of an answer, or would.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AnswerOutcome {
    /// Whether it was done. If not, nothing was written.
    done: bool,
    /// What was done, or would be.
    summary: &'static str,
    /// The request, and what you may do with it.
    cover: Item<CoverRequest>,
}

fn answer_cover(call: &Call, arguments: &[u8]) -> Result<Value, Problem> {
    let asked: AnswerCover = parse(arguments)?;
    let (step, action) = match asked.answer.as_str() {
        "accept" => (Step::Accept, "acceptCoverRequest"),
        "decline" => (Step::Decline, "declineCoverRequest"),
        _ => return Ok(invalid("answer", "send one of `accept`, `decline`")?),
    };
    let id = RequestId::from(asked.cover_request_id);
    if overview::kind_of(&id) != RequestKind::Cover {
        return Err(Refusal::NotFound("cover request").into());
    }
    let (rotation, found) = overview::request(call.app, call.caller, &id)?;
    let view = found.view;
    if asked.confirm != Some(true) {
        let may = match step {
            Step::Accept => view.capability.can_accept,
            _ => view.capability.can_decline,
        };
        return give(&AnswerOutcome {
            done: false,
            summary: match (may, step) {
                (false, _) => "Nothing was answered, and you may not: see capability.reason.",
                (true, Step::Accept) => {
                    "Nothing was answered. Send confirm: true to take this duty over."
                }
                (true, _) => "Nothing was answered. Send confirm: true to decline.",
            },
            cover: request::item(&view),
        });
    }
    let operation = AnswerRequest {
        kind: RequestKind::Cover,
        request: id,
        step,
        answering: Answering {
            expected_revision: view.request.revision,
            acknowledged: asked.acknowledged_conflict_ids.unwrap_or_default(),
            ..Answering::default()
        },
    };
    let written = write(call, action, &rotation.id, operation)?;
    give(&AnswerOutcome {
        done: true,
        summary: match step {
            Step::Accept => "The request was accepted: the duty is yours.",
            _ => "The request was declined.",
        },
        cover: request::item(&written.request),
    })
}

pub const ADD_ABSENCE: Tool = Tool {
    name: "add_absence",
    title: "Say that you are away",
    about: "Records that you are away. Hand-overs pass you over meanwhile; duty that has begun, or that you took, stays yours and is \
            listed. Without `confirm` nothing is recorded.",
    scope: Scope::WriteDuty,
    kind: Kind::Adds,
    input: input::<AddAbsence>,
    output: output::<AbsenceOutcome>,
    memory: 4 * MIB,
    run: add_absence,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AddAbsence {
    /// The code or id of the rotation in which it counts; all of yours if omitted.
    #[serde(default)]
    code: Option<String>,
    from: Moment,
    /// Exclusive.
    to: Moment,
    /// Others read it; at most 2,000 characters.
    #[serde(default)]
    reason: Option<String>,
    /// Whether to record it. Anything else than true only answers what would happen.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    confirm: Option<bool>,
}

/// What came of an absence, or would.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AbsenceOutcome {
    /// Whether it was done. If not, nothing was written.
    done: bool,
    /// What was done, or would be.
    summary: &'static str,
    /// The absence that was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    absence: Option<Absence>,
    /// What stays yours although you are away.
    standing_duties: Vec<absence::StandingDuty>,
}

fn add_absence(call: &Call, arguments: &[u8]) -> Result<Value, Problem> {
    let asked: AddAbsence = parse(arguments)?;
    let range = any_range(asked.from, asked.to)?;
    let me = call.caller.person()?;
    let is_everywhere = asked.code.is_none();
    let by_way_of = match &asked.code {
        Some(code) => rotation(call, code)?,
        None => {
            let own = absences::own_rotations(call.app, call.caller, me)?;
            match own.into_iter().next() {
                Some(rotation) => rotation.id,
                None => {
                    return Ok(invalid(
                        "code",
                        "you are in no rotation, so nobody counts on you",
                    )?);
                }
            }
        }
    };
    let new = NewAbsence {
        user: me.clone(),
        period: range,
        reason: asked.reason,
        everywhere: is_everywhere,
    };
    let new = new.checked()?;
    let render = |standing: &[Duty]| standing.iter().map(absence::standing).collect();
    if asked.confirm != Some(true) {
        let rotation = reads::rotation(call.app, call.caller, &by_way_of)?;
        if !rotation.has_member(me) {
            return Ok(invalid("code", "you are no member of this rotation")?);
        }
        if !is_everywhere {
            rotation.check_own()?;
        }
        let standing = shifts::would_stand(call.app, call.caller, &by_way_of, &new)?;
        return give(&AbsenceOutcome {
            done: false,
            summary: "Nothing was recorded. Send confirm: true to record the absence.",
            absence: None,
            standing_duties: render(&standing),
        });
    }
    let author = call.author("createAbsence");
    let (stored, _) = absences::create(call.app, &author, &by_way_of, new)?;
    let standing = shifts::standing(call.app, call.caller, &by_way_of, &stored)?;
    give(&AbsenceOutcome {
        done: true,
        summary: "The absence was recorded.",
        absence: Some(absence::render(&stored)),
        standing_duties: render(&standing),
    })
}
