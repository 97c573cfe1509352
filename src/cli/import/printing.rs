//! What an import prints about one schedule.

use crate::actions::import_schedule::{Imported, Unsaid};
use crate::cli::output::{printable, sentence};
use crate::domain::blueprint::Disagreement;
use crate::domain::ids::UserId;
use crate::domain::time::Interval;

/// What was found, a line each.
pub(super) fn lines(imported: &Imported) -> Vec<String> {
    let slots = imported.blueprint.slots.iter().map(|slot| {
        let people: Vec<&str> = slot.order.iter().map(UserId::as_str).collect();
        format!("turns     {}: {}", printable(&slot.name), people.join(", "))
    });
    let takeovers = imported.blueprint.takeovers.iter();
    let takeovers = takeovers.map(|one| assignment("override", one.period, &one.user));
    let ended = imported.ended.iter();
    let ended = ended.map(|one| assignment("ended", one.period, &one.user));
    let unsaid = imported.unsaid.iter().map(unsaid);
    let agreement = &imported.agreement;
    let differences = agreement.differences.iter();
    let differences = differences.map(|one| difference(imported, one));
    let unproved = agreement.unproved.iter().map(|span| {
        let (from, until) = (span.from, span.until);
        format!("unproved  {from} to {until}: the partner's timeline does not reach there")
    });
    let agrees = format!(
        "agrees    on {} of {} minutes from {} to {}: {} %",
        agreement.agreeing_minutes(),
        agreement.minutes(),
        agreement.span.from,
        agreement.span.until,
        share(agreement.agreeing_minutes(), agreement.minutes())
    );
    slots
        .chain(takeovers)
        .chain(ended)
        .chain(unsaid)
        .chain(differences)
        .chain(unproved)
        .chain([agrees])
        .collect()
}

/// A share in percent, with two digits behind the point, rounded down: 100 is everything.
fn share(part: i64, of: i64) -> String {
    let hundredths = part * 10_000 / of.max(1);
    match hundredths {
        10_000 => "100".to_owned(),
        _ => format!("{}.{:02}", hundredths / 100, hundredths % 100),
    }
}

fn assignment(label: &str, period: Interval, user: &UserId) -> String {
    format!("{label:10}{} to {}: {user}", period.from, period.until)
}

fn unsaid(one: &Unsaid) -> String {
    let why = one.refusal.as_ref().map(sentence);
    let why = why.map_or_else(String::new, |why| format!(": {}", printable(&why)));
    format!("not said  {}{why}", printable(&one.what))
}

fn difference(imported: &Imported, one: &Disagreement) -> String {
    let or_nobody = |names: Vec<String>| match names.is_empty() {
        true => "nobody".to_owned(),
        false => names.join(", "),
    };
    let here = one.here.iter().map(|user| match imported.names.get(user) {
        Some(name) => format!("{name} ({user})"),
        None => user.to_string(),
    });
    let label = if one.is_expected { "clocks" } else { "differs" };
    format!(
        "{label:10}{} to {}: at the partner {}, here {}: {}",
        one.span.from,
        one.span.until,
        printable(&or_nobody(one.partner.clone())),
        printable(&or_nobody(here.collect())),
        printable(&one.reason)
    )
}
