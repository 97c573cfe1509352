//! The list: by range, half-open, including cancelled ones, in pages.

use super::four;
use crate::support::*;

#[test]
fn a_list_holds_what_meets_its_range() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U2", "2026-01-05T10:00Z", "2026-01-05T12:00Z");
    rotation.assign(0, "U3", "2026-01-05T14:00Z", "2026-01-05T16:00Z");
    for (from, to, found) in [
        ("2026-01-05T08:00Z", "2026-01-05T10:00Z", ""),
        ("2026-01-05T08:00Z", "2026-01-05T10:00:01Z", "U2"),
        ("2026-01-05T11:00Z", "2026-01-05T11:01Z", "U2"),
        ("2026-01-05T11:59:59Z", "2026-01-05T13:00Z", "U2"),
        ("2026-01-05T12:00Z", "2026-01-05T14:00Z", ""),
        ("2026-01-05T12:00Z", "2026-01-05T14:00:01Z", "U3"),
        ("2026-01-01T00:00Z", "2026-02-01T00:00Z", "U2 U3"),
        ("2026-01-05T16:00Z", "2028-01-01T00:00Z", ""),
    ] {
        let lines = rotation.arrangements(from, to);
        let people: Vec<&str> = lines.iter().map(|line| &line[..2]).collect();
        assert_eq!(people.join(" "), found, "{from} {to}");
    }
    let query = "?from=2026-01-05T11:00:00%2B01:00&to=2026-01-05T13:00:00%2B01:00";
    let found = rotation.get(&format!("/duty-arrangements{query}"));
    assert_eq!(int(&found.is(200).json()["totalItems"]), 1);
}

#[test]
fn a_list_needs_a_range_in_order() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let (from, to) = ("from=2026-01-05T08:00:00Z", "to=2026-01-06T08:00:00Z");
    for (query, named) in [
        (String::new(), "from"),
        (from.to_owned(), "to"),
        (to.to_owned(), "from"),
        (format!("from=yesterday&{to}"), "from"),
        (format!("{from}&to=2026-01-05T08:00:00Z"), "to"),
        (format!("{from}&to=2026-01-04T08:00:00Z"), "to"),
        (format!("{from}&{to}&page=0"), "page"),
        (format!("{from}&{to}&pageSize=201"), "pageSize"),
    ] {
        rotation
            .get(&format!("/duty-arrangements?{query}"))
            .names(named);
    }
}

#[test]
fn a_list_shows_cancelled_and_ended_ones_by_where_they_begin() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let other = four(&rota);
    other.assign(0, "U2", "2026-01-05T09:00Z", "2026-01-05T10:00Z");
    let late = rotation.assign(0, "U3", "2026-01-05T18:00Z", "2026-01-05T20:00Z");
    rotation.assign(0, "U2", "2026-01-05T09:00Z", "2026-01-05T10:00Z");
    let running = rotation.assign(0, "U4", "2026-01-05T11:00Z", "2026-01-05T15:00Z");
    rotation.end(&late);
    rota.to("2026-01-05T12:00Z");
    rotation.end(&running);
    assert_eq!(
        rotation.arrangements("2026-01-05T00:00Z", "2026-01-06T00:00Z"),
        [
            "U2 2026-01-05T09:00Z 2026-01-05T10:00Z active 1",
            "U4 2026-01-05T11:00Z 2026-01-05T12:00Z active 2",
            "U3 2026-01-05T18:00Z 2026-01-05T20:00Z cancelled 2",
        ]
    );
}

#[test]
fn a_list_comes_in_pages() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    for hour in 10..15 {
        let at = |hour: i64| format!("2026-01-05T{hour}:00Z");
        rotation.assign(0, "U2", &at(hour), &at(hour + 1));
    }
    let range = "from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z";
    let mut starts = vec![];
    for (page, size) in [(1, 2), (2, 2), (3, 1), (4, 0)] {
        let path = format!("/duty-arrangements?{range}&page={page}&pageSize=2");
        let answer = rotation.get(&path).is(200);
        assert_eq!(answer.header("etag"), None);
        let answer = answer.json();
        let response =
            ["page", "pageSize", "totalItems", "totalPages"].map(|name| int(&answer[name]));
        assert_eq!(response, [page, 2, 5, 3]);
        let data = answer["data"].as_array().unwrap();
        assert_eq!(data.len(), size);
        for record in data {
            assert_eq!(*record, rotation.arrangement(&record["id"]));
            starts.push(instant(&record["from"]));
        }
    }
    let expected: Vec<String> = (10..15)
        .map(|hour| format!("2026-01-05T{hour}:00Z"))
        .collect();
    assert_eq!(starts, expected);
}
