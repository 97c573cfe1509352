//! Who is on call, and the plan.

use super::{
    Kind, MIB, Named, Tool, give, give_named, input, output, page, page_of, range, rotation,
};
use crate::actions::duties::{self, PlanFilter};
use crate::actions::{on_call_at, reads};
use crate::domain::access::Scope;
use crate::domain::duty::DutyKind;
use crate::domain::fault::Fault;
use crate::domain::ids::{CellId, UserId};
use crate::domain::refusal::invalid;
use crate::domain::rotation::Rotation;
use crate::mcp::Call;
use crate::server::Problem;
use crate::store::RotationFilter;
use crate::wire::body::{parse, present};
use crate::wire::moment::Moment;
use crate::wire::on_call::{self, OnCallLine};
use crate::wire::page::Page;
use crate::wire::schedule::{self, PlannedTurn, Shift};
use crate::wire::strict::strict;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest range of a plan, in days.
const PLAN_DAYS: i64 = 366;

/// How far ahead one's own shifts are listed, if nothing else is asked for.
const OWN: SignedDuration = SignedDuration::from_hours(28 * 24);

/// The largest page of who is on call, in bytes: as data, as text and rendered it is held several times.
const LARGEST_PAGE: usize = 2 * MIB;

strict!(WhoIsOnCall, ListRotations, GetSchedule, MyShifts);

pub const WHO_IS_ON_CALL: Tool = Tool {
    name: "who_is_on_call",
    title: "Who is on call",
    about: "Who is on call in one rotation, or in all that you see: now, or at another instant, by the record or by the plan. Where \
            nobody is, `nobodyOnCallReason` says why.",
    scope: Scope::ReadOnCall,
    kind: Kind::Reads,
    input: input::<WhoIsOnCall>,
    output: output::<Named<Page<OnCallLine>>>,
    memory: 20 * MIB,
    run: who_is_on_call,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WhoIsOnCall {
    /// The code or id of one rotation; all of them if omitted.
    #[serde(default)]
    code: Option<String>,
    /// From the creation of the rotation to 366 days from now; now if omitted.
    #[serde(default)]
    at: Option<Moment>,
    /// Only rotations in which this person is a member, or on call then.
    #[serde(default)]
    user_id: Option<String>,
    /// Which page of 100 rotations, from 1.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    page: Option<u32>,
}

fn who_is_on_call(call: &Call, arguments: &[u8]) -> Result<Value, Problem> {
    let asked: WhoIsOnCall = parse(arguments)?;
    let page = page(asked.page)?;
    let at = asked.at.map(|at| at.0);
    let as_of = call.app.as_of(at.unwrap_or_else(|| call.app.now()));
    let calendar = call.app.calendar();
    let user = asked.user_id.map(UserId::from);
    if let Some(code) = asked.code {
        let id = rotation(call, &code)?;
        let (rotation, duty) = on_call_at::of(call.app, call.caller, &id, at)?;
        let mut users = duty.people();
        let mut lines = Vec::new();
        match user.is_none_or(|user| rotation.has_member(&user) || users.contains(&user)) {
            true => lines.push(on_call::line(&rotation, Some(&duty), calendar, &as_of)),
            false => users.clear(),
        }
        return give_named(call, page_of(lines, page), &users);
    }
    let mut users: Vec<UserId> = Vec::new();
    let (app, caller) = (call.app, call.caller);
    let (mut lines, mut size) = (Vec::new(), 0);
    let total = on_call_at::everywhere(app, caller, at, user.as_ref(), page, |rotation, duty| {
        users.extend(duty.iter().flat_map(|duty| duty.people()));
        let line = on_call::line(rotation, duty, calendar, &as_of);
        size += serde_json::to_vec(&line).map_or(0, |text| text.len());
        lines.push(line);
        match size > LARGEST_PAGE {
            true => Ok(invalid(
                "code",
                "too many people are on call for one page; send the code or id of one rotation",
            )?),
            false => Ok(()),
        }
    })?;
    let lines = Page::new(lines, page.number, page.size, total);
    give_named(call, lines, &users)
}

pub const LIST_ROTATIONS: Tool = Tool {
    name: "list_rotations",
    title: "List rotations",
    about: "The rotations that you see, by name: id, code, name, description, mode and whether each is enabled. Other tools take \
            the code or the id as `code`.",
    scope: Scope::ReadRotations,
    kind: Kind::Reads,
    input: input::<ListRotations>,
    output: output::<Page<RotationLine>>,
    memory: 3 * MIB,
    run: list_rotations,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListRotations {
    /// Only rotations with this in their name, code or description.
    #[serde(default)]
    q: Option<String>,
    /// Which page of 100 rotations, from 1.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    page: Option<u32>,
}

/// A rotation in a list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RotationLine {
    rotation_id: String,
    code: Option<String>,
    name: String,
    description: Option<String>,
    /// `auto`, with hand-overs by a cadence; `manual`; `external`, by a partner's schedule.
    mode: &'static str,
    enabled: bool,
}

fn list_rotations(call: &Call, arguments: &[u8]) -> Result<Value, Problem> {
    let asked: ListRotations = parse(arguments)?;
    let page = page(asked.page)?;
    let filter = RotationFilter {
        text: asked.q,
        ..RotationFilter::default()
    };
    let mut lines = Vec::new();
    let (_, total) = reads::rotations(call.app, call.caller, filter, page, |rotation| {
        lines.push(line(rotation));
        Ok(true)
    })?;
    give(&Page::new(lines, page.number, page.size, total))
}

fn line(rotation: &Rotation) -> RotationLine {
    use crate::domain::rotation::Mode;
    RotationLine {
        rotation_id: rotation.id.to_string(),
        code: rotation.profile.code.clone(),
        name: rotation.profile.name.clone(),
        description: rotation.profile.description.clone(),
        mode: match rotation.mode() {
            Mode::Auto => "auto",
            Mode::Manual => "manual",
            Mode::External => "external",
        },
        enabled: rotation.enabled,
    }
}

pub const GET_SCHEDULE: Tool = Tool {
    name: "get_schedule",
    title: "Get the schedule of a rotation",
    about: "The turns of a rotation that touch a range if nothing changes, by start. Turns are not clipped to the range, and one \
            without `end` has none yet. Past turns are not in it.",
    scope: Scope::ReadRotations,
    kind: Kind::Reads,
    input: input::<GetSchedule>,
    output: output::<Named<Page<PlannedTurn>>>,
    memory: 20 * MIB,
    run: get_schedule,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetSchedule {
    /// The code or id of the rotation.
    code: String,
    /// Start of the range.
    from: Moment,
    /// End of the range, exclusive; at most 366 days later.
    to: Moment,
    /// Only the turns of this person.
    #[serde(default)]
    user_id: Option<String>,
    /// Only the turns of this cell.
    #[serde(default)]
    cell_id: Option<String>,
    /// Only turns of these kinds: `turn`, `arrangement`, `nobody`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    kind: Option<Vec<String>>,
    /// Which page of 100 turns, from 1.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    page: Option<u32>,
}

fn get_schedule(call: &Call, arguments: &[u8]) -> Result<Value, Problem> {
    let asked: GetSchedule = parse(arguments)?;
    let (page, range) = (page(asked.page)?, range(asked.from, asked.to, PLAN_DAYS)?);
    let mut kinds = Vec::new();
    for (index, kind) in asked.kind.iter().flatten().enumerate() {
        match DutyKind::parse(kind) {
            Some(kind) => kinds.push(kind),
            None => {
                let wrong = "send one of `turn`, `arrangement`, `nobody`";
                return Ok(invalid(format!("kind[{index}]"), wrong)?);
            }
        }
    }
    let filter = PlanFilter {
        user: asked.user_id.map(UserId::from),
        cell: asked.cell_id.map(CellId::from),
        kinds,
    };
    let id = rotation(call, &asked.code)?;
    let (rotation, turns) = duties::schedule(call.app, call.caller, &id, range, &filter)?;
    let turns = page_of(turns, page);
    let users: Vec<UserId> = (turns.data.iter())
        .filter_map(|turn| turn.entry.user.clone())
        .collect();
    let turns = turns.map(|turn| schedule::render(&rotation, &turn));
    give_named(call, turns, &users)
}

pub const MY_SHIFTS: Tool = Tool {
    name: "my_shifts",
    title: "List somebody's shifts",
    about: "The turns of one person in all rotations that you see, by start: your own if you are a person and send no `userId`. \
            Without a range, the next 28 days.",
    scope: Scope::ReadRotations,
    kind: Kind::Reads,
    input: input::<MyShifts>,
    output: output::<Page<Shift>>,
    memory: 20 * MIB,
    run: my_shifts,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MyShifts {
    /// Whose shifts. An API key has to send it.
    #[serde(default)]
    user_id: Option<String>,
    /// Start of the range; now if omitted.
    #[serde(default)]
    from: Option<Moment>,
    /// End of the range, exclusive; at most 366 days later.
    #[serde(default)]
    to: Option<Moment>,
    /// Which page of 100 shifts, from 1.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    page: Option<u32>,
}

fn my_shifts(call: &Call, arguments: &[u8]) -> Result<Value, Problem> {
    let asked: MyShifts = parse(arguments)?;
    let user = match (asked.user_id, call.caller.person()) {
        (Some(user), _) => UserId::from(user),
        (None, Ok(user)) => user.clone(),
        (None, Err(_)) => {
            return Ok(invalid(
                "userId",
                Fault::Missing("an API key is nobody's own".into()),
            )?);
        }
    };
    let from = asked.from.map_or(call.app.now(), |from| from.0);
    let usual = || from.saturating_add(OWN).unwrap_or(from);
    let to = asked.to.map_or_else(usual, |to| to.0);
    let (page, range) = (page(asked.page)?, range(from.into(), to.into(), PLAN_DAYS)?);
    let found = duties::of_person(call.app, call.caller, &user, range)?;
    give(&page_of(found, page).map(|shift| schedule::shift(&shift)))
}
