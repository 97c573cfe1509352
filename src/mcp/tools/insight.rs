//! Why, what is wrong, and who carries how much.

use super::{Kind, MIB, Named, Tool, give_named, input, output, page, page_of, rotation};
use crate::actions::report::{self, Wanted};
use crate::domain::access::Scope;
use crate::domain::ids::UserId;
use crate::domain::refusal::invalid;
use crate::domain::report::GroupBy;
use crate::domain::time::Interval;
use crate::mcp::Call;
use crate::server::Problem;
use crate::wire::body::parse;
use crate::wire::moment::Moment;
use crate::wire::page::Page;
use crate::wire::report::{self as wire, DutyRow};
use crate::wire::strict::strict;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

strict!(DutyReport);

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
            return Ok(invalid(format!("groupBy: send one of `{names}`"))?);
        }
    };
    if asked.to.0 <= asked.from.0 {
        return Ok(invalid("to: send an instant later than `from`")?);
    }
    let only = asked.code.map(|code| rotation(call, &code));
    let wanted = Wanted {
        range: Interval {
            from: asked.from.0,
            until: asked.to.0,
        },
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
