//! /v1/reports: who carries how much (rules.md 7.5).

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{
    FROM, Kind, LARGEST_PAGE, LAST_PAGE, Operation, operation, parameter, refusals, text,
};
use crate::actions::report::{self, ReportQuery};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::report::GroupBy;
use crate::server;
use crate::wire::csv;
use crate::wire::page::Page;
use crate::wire::report::{self as wire, DutyRow};

/// The values of `groupBy`.
const GROUPS: &[&str] = &["person", "rotation", "personRotation", "week", "month"];

pub const DUTY: Operation = operation("reportDuty", "reports", "Who carries how much")
    .about("Hours on call by the record up to now and by the plan after it, in rows of their own (`planned`), with those of nights, \
        weekends and holidays, and how often turns, hand-overs, covers, swaps and mentions there were. Rows without anything \
        are left out. Weeks and months are those of each person. Takes a key that is not limited to some rotations, or a \
        member token: workspace admins get everybody's rows, others their own, of the rotations that they see. With `Accept: \
        text/csv` the rows are a table. A range that takes too much to forecast is refused.")
    .query(&[
        FROM,
        parameter("to", Kind::NeededInstant, "End of the range, exclusive; at most 5 years later."),
        text("rotationId", "Only duty in this rotation."),
        text("userId", "Only duty of this person."),
        parameter("groupBy", Kind::OneOf(GROUPS), "What a row is about; by default `person`. Rows of a `week` or `month` are those of each person in it."),
        parameter("page", Kind::Whole(LAST_PAGE, 1), "Which page, from 1. Without `page` and `pageSize`, all rows are on one page."),
        parameter("pageSize", Kind::Whole(LARGEST_PAGE, 50), "The maximum number of rows on a page, if one of `page` and `pageSize` is sent."),
    ])
    .gives::<Page<DutyRow>>(200, "The rows.")
    .gives_text("The rows.", csv::MEDIA_TYPE)
    .refuses(refusals::UNSEEN);

/// GET the report of duty.
pub fn duty(call: &Call) -> Outcome {
    let query = &call.query;
    let wanted = ReportQuery {
        range: query.any_range()?,
        rotation: query.one("rotationId")?.map(RotationId::from),
        user: query.one("userId")?.map(UserId::from),
        by: (query.choice("groupBy", GROUPS, GroupBy::parse)?).unwrap_or(GroupBy::Person),
    };
    let (number, size) = (query.one("page")?, query.one("pageSize")?);
    let page = match number.or(size) {
        Some(_) => Some(query.page()?),
        None => None,
    };
    let app = call.app;
    let rows = report::duty(app.store(), app.calendar(), call.caller, &wanted)?;
    let rows = rows
        .iter()
        .map(|row| wire::render(wanted.by, row))
        .collect();
    let page = match page {
        Some(page) => answer::page_of(rows, page),
        None => Page::whole(rows),
    };
    let response = match call.accept.as_deref().is_some_and(csv::is_preferred) {
        true => {
            let text = wire::table(wanted.by, page.data);
            server::Response::new(200, csv::MEDIA_TYPE, server::Body::from_data(text))
        }
        false => answer::json(200, &page)?,
    };
    Ok(response.with("Vary", "Accept"))
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, GroupBy};

    #[test]
    fn groups_are_those_of_the_report() {
        assert_eq!(GroupBy::ALL.map(GroupBy::name), *GROUPS);
    }
}
