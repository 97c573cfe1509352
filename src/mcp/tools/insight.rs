//! Why, what is wrong, and who carries how much.

use super::{
    Kind, MIB, Named, Tool, any_range, give_named, input, output, page, page_of, rotation,
};
use crate::actions::explain::{self, Question};
use crate::actions::report::{self, ReportQuery};
use crate::actions::warnings;
use crate::domain::access::Scope;
use crate::domain::explain::ExplainedCell;
use crate::domain::ids::{CellId, UserId};
use crate::domain::naming::Naming;
use crate::domain::refusal::invalid;
use crate::domain::report::GroupBy;
use crate::domain::warning_kinds::Severity;
use crate::mcp::Call;
use crate::server::Problem;
use crate::wire::body::parse;
use crate::wire::explain::{self as explanation, Explanation};
use crate::wire::moment::Moment;
use crate::wire::page::Page;
use crate::wire::report::{self as wire, DutyRow};
use crate::wire::strict::strict;
use crate::wire::warning::{self, Warning};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

strict!(Explain, Warnings, DutyReport);

pub const EXPLAIN: Tool = Tool {
    name: "explain",
    title: "Explain who is on call",
    about: "Why each cell of a rotation is as it is at an instant: the steps that decided, in their order, each with a sentence that names \
            people and cells by their ids. What the record does not hold is said.",
    scope: Scope::ReadRotations,
    kind: Kind::Reads,
    input: input::<Explain>,
    output: output::<Named<Explanation>>,
    memory: 16 * MIB,
    run: why,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Explain {
    /// The code or id of the rotation.
    code: String,
    /// From the creation of the rotation to 366 days from now; now if omitted.
    #[serde(default)]
    at: Option<Moment>,
    /// Only this cell.
    #[serde(default)]
    cell_id: Option<String>,
    /// Also say of each cell why this person is not on call in it, in `whyNot`.
    #[serde(default)]
    user_id: Option<String>,
}

fn why(call: &Call, arguments: &[u8]) -> Result<Value, Problem> {
    let asked: Explain = parse(arguments)?;
    let id = rotation(call, &asked.code)?;
    let (at, cell) = (asked.at.map(|at| at.0), asked.cell_id.map(CellId::from));
    let user = asked.user_id.map(UserId::from);
    let question = Question {
        at,
        cell: cell.as_ref(),
        user: user.as_ref(),
        naming: Naming::Ids,
    };
    let found = explain::of(call.app, call.caller, &id, question)?;
    let named = |cell: &ExplainedCell| -> Vec<UserId> {
        let steps = cell.steps.iter().flat_map(|told| told.step.people());
        let asked = cell.why_not.as_ref().map(|not| &not.user);
        steps.chain(&cell.user).chain(asked).cloned().collect()
    };
    let users: Vec<UserId> = found.cells.iter().flat_map(named).collect();
    let shown = explanation::render(found, call.app.calendar());
    give_named(call, shown, &users)
}

pub const WARNINGS: Tool = Tool {
    name: "warnings",
    title: "What is wrong with the plan",
    about: "What is wrong with the plan of one rotation, or of all that you see, in the next days, by where it begins: nobody on call, \
            nobody left to step in, too little rest, two rotations at once, and others. `severity` says how much it matters; \
            `text` names people, rotations and cells by their ids.",
    scope: Scope::ReadRotations,
    kind: Kind::Reads,
    input: input::<Warnings>,
    output: output::<Named<Page<Warning>>>,
    memory: 4 * MIB,
    run: wrong,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Warnings {
    /// The code or id of one rotation; all of them if omitted.
    #[serde(default)]
    code: Option<String>,
    /// How many days are looked at, from now on: 1 to 366, 90 if omitted.
    #[serde(default)]
    #[schemars(extend("minimum" = 1, "maximum" = warnings::MOST_DAYS))]
    days: Option<u32>,
    /// Only warnings that matter so much.
    #[serde(default)]
    #[schemars(extend("enum" = ["high", "medium", "low", null]))]
    severity: Option<String>,
    /// Which page of 100 warnings, from 1.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    page: Option<u32>,
}

fn wrong(call: &Call, arguments: &[u8]) -> Result<Value, Problem> {
    let asked: Warnings = parse(arguments)?;
    let page = page(asked.page)?;
    let days = asked.days.unwrap_or(warnings::DAYS);
    if !(1..=warnings::MOST_DAYS).contains(&days) {
        let most = warnings::MOST_DAYS;
        return Ok(invalid(
            "days",
            format!("send a whole number from 1 to {most}"),
        )?);
    }
    let severity = match asked.severity.as_deref().map(Severity::parse) {
        None => None,
        Some(Some(severity)) => Some(severity),
        Some(None) => {
            let names = Severity::ALL.map(Severity::name).join("`, `");
            return Ok(invalid("severity", format!("send one of `{names}`"))?);
        }
    };
    let wanted = warnings::Asked {
        days,
        severity,
        naming: Naming::Ids,
    };
    let found = match asked.code {
        Some(code) => {
            let id = rotation(call, &code)?;
            let (_, found) = warnings::of_rotation(call.app, call.caller, &id, wanted)?;
            page_of(found, page).map(|warning| (id.clone(), warning))
        }
        None => {
            let found = warnings::of_all(call.app, call.caller, wanted)?;
            page_of(found, page).map(|found| (found.rotation.id.clone(), found.warning))
        }
    };
    let users: Vec<UserId> = (found.data.iter())
        .flat_map(|(_, warning)| warning.users.iter().cloned())
        .collect();
    let shown = found.map(|(id, warning)| warning::render(&id, &warning));
    give_named(call, shown, &users)
}

pub const DUTY_REPORT: Tool = Tool {
    name: "duty_report",
    title: "Report who carries how much",
    about: "Hours on call by the record up to now and by the plan after it, in rows of their own (`planned`), with nights, weekends, \
            holidays, turns, hand-overs, covers, swaps and mentions. Workspace admins and API keys get everybody's rows, people \
            their own.",
    scope: Scope::ReadRotations,
    kind: Kind::Reads,
    input: input::<DutyReport>,
    output: output::<Named<Page<DutyRow>>>,
    memory: 20 * MIB,
    run: duty_report,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DutyReport {
    /// Start of the range.
    from: Moment,
    /// End of the range, exclusive; at most 5 years later.
    to: Moment,
    /// Only the rotation with this code or id.
    #[serde(default)]
    code: Option<String>,
    /// Only this person.
    #[serde(default)]
    user_id: Option<String>,
    /// What a row is about; `person` if omitted. Rows of a week or month are those of each person in it.
    #[serde(default)]
    #[schemars(extend("enum" = ["person", "rotation", "personRotation", "week", "month", null]))]
    group_by: Option<String>,
    /// Which page of 100 rows, from 1.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    page: Option<u32>,
}

fn duty_report(call: &Call, arguments: &[u8]) -> Result<Value, Problem> {
    let asked: DutyReport = parse(arguments)?;
    let page = page(asked.page)?;
    let by = match asked.group_by.as_deref().map(GroupBy::parse) {
        None => GroupBy::Person,
        Some(Some(by)) => by,
        Some(None) => {
            let names = GroupBy::ALL.map(GroupBy::name).join("`, `");
            return Ok(invalid("groupBy", format!("send one of `{names}`"))?);
        }
    };
    let range = any_range(asked.from, asked.to)?;
    let only = asked.code.map(|code| rotation(call, &code));
    let wanted = ReportQuery {
        range,
        rotation: only.transpose()?,
        user: asked.user_id.map(UserId::from),
        by,
    };
    let rows = report::duty(call.app.store(), call.app.calendar(), call.caller, &wanted)?;
    let rows = page_of(rows, page);
    let users: Vec<UserId> = (rows.data.iter())
        .filter_map(|row| row.user.clone())
        .collect();
    give_named(call, rows.map(|row| wire::render(by, &row)), &users)
}
