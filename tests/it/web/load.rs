//! Load: hours, nights and weekends of each person, and tables as files.

use super::{Browser, attribute};
use crate::support::{MONDAY, weekdays};
use crate::support::{Rota, always, daily, directory, hours, weekly};
use serde_json::json;

/// The numbers of a person's row.
fn numbers(page: &str, user: &str) -> Vec<String> {
    let rows = page.split("<tr").skip(1);
    let row = rows
        .filter(|row| attribute(row, "data-user").as_deref() == Some(user))
        .last()
        .unwrap_or_else(|| panic!("no row of {user}: {page}"));
    let cells = row.split("<td class=\"num-c\"").skip(1);
    cells
        .map(|cell| {
            cell.split('>')
                .nth(1)
                .unwrap()
                .split('<')
                .next()
                .unwrap()
                .to_owned()
        })
        .collect()
}

#[test]
fn the_record_and_the_plan_are_counted() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    rota.to("2026-01-07T09:00:00Z");
    // U1 has Monday 08:00 to Tuesday 09:00 and Wednesday to Thursday, U2 Tuesday to Wednesday. Days are those of Oslo.
    let path = format!("/rotations/{}/load", rotation.id);
    let page = ada
        .get(&format!("{path}?from=2026-01-05&to=2026-01-08"))
        .is(200)
        .text();
    assert_eq!(
        numbers(&page, "U1"),
        ["49", "24", "16", "0", "0", "2", "0", "0"]
    );
    assert_eq!(
        numbers(&page, "U2"),
        ["38", "14", "10", "0", "0", "2", "0", "0"]
    );
    assert!(
        page.contains("<svg aria-hidden=\"true\"") && !page.contains(" style="),
        "{page}"
    );
    // A weekend to come.
    let page = ada
        .get(&format!("{path}?from=2026-01-10&to=2026-01-11"))
        .is(200)
        .text();
    let both: Vec<Vec<String>> = ["U1", "U2"].map(|user| numbers(&page, user)).to_vec();
    assert!(both.iter().all(|one| one[0] == one[1]), "{both:?}");
    let sum: f64 = both.iter().map(|one| one[0].parse::<f64>().unwrap()).sum();
    assert_eq!(sum, 48.0);
    assert!(
        ada.get(&format!("/rotations/{}", rotation.id))
            .text()
            .contains("/load\"")
    );
}

#[test]
fn nights_are_those_of_people_and_weekends_those_of_the_covered_hours() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1");
    let starts = "2026-01-05T09:00:00+09:00";
    let window = hours(
        "Asia/Tokyo",
        "saturday 20:00 - saturday 23:00",
        weekly("Asia/Tokyo", starts),
    );
    rotation.cover(1, &[window]);
    let ada = Browser::signed_in(&rota, "U1");
    let path = format!(
        "/rotations/{}/load?from=2026-01-05&to=2026-01-11",
        rotation.id
    );
    assert_eq!(
        numbers(&ada.get(&path).is(200).text(), "U1"),
        ["3", "3", "0", "3", "0", "1", "0", "0"]
    );
}

#[test]
fn somebody_on_call_in_two_places_is_counted_once() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    rotation.cover_doubly(2, &[always(daily())]);
    assert_eq!(rotation.on_call(), "U1 U1");
    let ada = Browser::signed_in(&rota, "U1");
    let path = format!(
        "/rotations/{}/load?from=2026-01-12&to=2026-01-12",
        rotation.id
    );
    assert_eq!(numbers(&ada.get(&path).is(200).text(), "U1")[0], "24");
}

#[test]
fn tables_are_files_that_hold_no_formulas() {
    let rota = Rota::at(MONDAY);
    let mut file = directory(2);
    file["users"][0]["displayName"] = json!("=HYPERLINK(\"x\"),1");
    rota.import(&file);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), daily())]);
    let ada = Browser::signed_in(&rota, "U1");
    let base = format!("/rotations/{}", rotation.id);
    let answer = ada
        .get(&format!(
            "{base}/load?from=2026-01-05&to=2026-01-06&format=csv"
        ))
        .is(200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/csv; charset=utf-8")
    );
    assert_eq!(
        answer.header("content-disposition"),
        Some("attachment; filename=\"load.csv\"")
    );
    let text = answer.text();
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(
        lines[0],
        "userId,name,hours,plannedHours,nightHours,weekendHours,holidayHours"
    );
    assert_eq!(
        lines[1],
        "U1,\"'=HYPERLINK(\"\"x\"\"),1\",8.00,8.00,0.00,0.00,0.00"
    );
    assert_eq!(lines[2], "U2,Person U2,8.00,8.00,0.00,0.00,0.00");
    assert_eq!(lines[3..], [""]);
    rota.to("2026-01-06T12:00:00Z");
    let answer = ada.get(&format!("{base}/history?format=csv")).is(200);
    assert_eq!(
        answer.header("content-disposition"),
        Some("attachment; filename=\"record.csv\"")
    );
    let text = answer.text();
    assert!(
        text.contains(",U1,\"'=HYPERLINK(\"\"x\"\"),1\",business-hours-back-online\r\n"),
        "{text}"
    );
}

#[test]
fn dates_that_are_none_are_said() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    for (query, field) in [
        ("from=soon", "from"),
        ("from=2026-01-05&to=2026-01-04", "to"),
        ("from=2026-01-05&to=2027-01-06", "to"),
    ] {
        let page = ada
            .get(&format!("/rotations/{}/load?{query}", rotation.id))
            .is(400)
            .text();
        assert!(
            page.contains(&format!("href=\"#f-{field}\"")),
            "{query}: {page}"
        );
    }
    Browser::signed_in(&rota, "U2")
        .get(&format!("/rotations/{}/load", rotation.id))
        .is(200);
}
