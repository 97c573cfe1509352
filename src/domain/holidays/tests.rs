mod fuzz;

use super::{Calendar, CountryCode};
use crate::domain::days;
use jiff::civil::Date;

fn code(text: &str) -> CountryCode {
    CountryCode::parse(text).unwrap_or_else(|| panic!("{text}"))
}

fn date(text: &str) -> Date {
    text.parse().unwrap()
}

#[test]
fn codes_are_read_exactly() {
    let calendar = Calendar::embedded();
    let mut countries = 0;
    for code in calendar.countries() {
        assert_eq!(CountryCode::parse(code.as_str()), Some(code));
        countries += usize::from(code.country().is_none());
    }
    assert_eq!(countries, 250, "249 of ISO 3166-1, and XK");
    assert!(calendar.countries().is_sorted_by_key(|c| c.as_str()));
    assert_eq!(code("GB-SCT").country(), Some(code("GB")));
    for unknown in [
        "", "gb", "UK", "XX", "GB ", "GB-", "GB-XXX", "GBR", "Norway!", "GB-SCTX", "É",
    ] {
        assert_eq!(CountryCode::parse(unknown), None, "{unknown}");
    }
}

/// rules.md 3.3.
#[test]
fn weekends_follow_the_country() {
    let calendar = Calendar::embedded();
    for (country, weekend) in [
        ("NO", "sat sun"),
        ("GB-SCT", "sat sun"),
        ("EG", "fri sat"),
        ("IR", "fri"),
        ("IN", "sun"),
        ("AF", "thu fri"),
        ("AE", "sat sun"),
        ("AQ", "sat sun"),
    ] {
        // 2026-11-23 is a Monday.
        let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
        let found: Vec<&str> = (23..30)
            .filter(|&day| calendar.is_weekend(code(country), Date::constant(2026, 11, day)))
            .map(|day| names[day as usize - 23])
            .collect();
        assert_eq!(found.join(" "), weekend, "{country}");
    }
}

#[test]
fn known_days_are_found() {
    let calendar = Calendar::embedded();
    for (country, day, expected) in [
        ("NO", "2026-05-17", true),
        ("NO", "2026-04-06", true),
        ("NO", "2026-05-18", false),
        ("US", "2026-07-03", true),
        ("US", "2026-07-04", true),
        ("US", "2026-11-26", true),
        ("US", "2026-11-27", false),
        ("DE", "2026-10-03", true),
        ("DE", "2026-01-06", false),
        ("DE-BY", "2026-01-06", true),
        ("DE-BE", "2026-01-06", false),
        ("GB", "2026-04-06", false),
        ("GB-ENG", "2026-04-06", true),
        ("GB-SCT", "2026-04-06", false),
        ("GB-SCT", "2026-01-02", true),
        ("GB-ENG", "2026-01-02", false),
        ("FR", "2000-01-01", true),
        ("FR", "2050-12-25", true),
        ("FR", "1999-12-25", false),
        ("FR", "2056-12-25", false),
        ("FR", "9999-12-31", false),
        ("FR", "-009999-01-01", false),
        ("IO", "2026-01-01", false),
    ] {
        assert_eq!(
            calendar.is_national_holiday(code(country), date(day)),
            expected,
            "{country} {day}"
        );
    }
}

#[test]
fn single_days_and_the_whole_list_agree() {
    let calendar = Calendar::with_file(
        "GB 2040-05-01 x\n-GB 2026-12-25\nGB-SCT 2026-12-25 x\nGB 2060-01-05 x\n-GB-SCT 2040-05-01",
    )
    .unwrap();
    for country in ["GB", "GB-SCT", "US", "US-LA", "MY-02", "IO", "CN", "IL"] {
        let country = code(country);
        let from = days::number(date("2003-03-03"));
        let mut listed = calendar.holidays_from(country, from);
        listed.sort_unstable();
        listed.dedup();
        let asked: Vec<i64> = (from..23_000)
            .filter(|&day| calendar.is_national_holiday(country, days::date(day).unwrap()))
            .collect();
        assert_eq!(listed, asked, "{country}");
    }
}

#[test]
fn the_table_says_how_far_it_goes() {
    let calendar = Calendar::embedded();
    for (country, year) in [
        ("NO", 2050),
        ("GB-SCT", 2050),
        ("LK", 2026),
        ("UA", 2021),
        ("HM", 1999),
    ] {
        assert_eq!(calendar.covers_until(code(country)), year, "{country}");
    }
    let calendar =
        Calendar::with_file("LK,2028-01-15,Pongal\n-LK 2031-01-01\nDE 2060-01-01 x").unwrap();
    assert_eq!(calendar.covers_until(code("LK")), 2028);
    assert_eq!(calendar.covers_until(code("DE-BY")), 2060);
}

#[test]
fn the_operators_file_wins() {
    let file = "\u{feff}# our days\r\n\r\nGB 2026-06-08 Jubilee, London\r\n  NO,2026-06-08,Summer fair\n\
                - GB 2026-12-25\n-GB-NIR,2026-03-17\nGB-WLS 2026-12-25 Nadolig\nFR\t2099-01-05\n\
                SE 2026-06-08 on\n-SE 2026-06-08 off again\n";
    let calendar = Calendar::with_file(file).unwrap();
    for (country, day, expected) in [
        ("GB", "2026-06-08", true),
        ("GB-SCT", "2026-06-08", true),
        ("NO", "2026-06-08", true),
        ("DK", "2026-06-08", false),
        ("GB", "2026-12-25", false),
        ("GB-SCT", "2026-12-25", false),
        ("GB-WLS", "2026-12-25", true),
        ("GB-NIR", "2026-03-17", false),
        ("FR", "2099-01-05", true),
        ("SE", "2026-06-08", false),
    ] {
        assert_eq!(
            calendar.is_national_holiday(code(country), date(day)),
            expected,
            "{country} {day}"
        );
    }
}

#[test]
fn the_operators_file_names_days() {
    let file = "GB 2026-06-08  Jubilee, London \nNO,2026-05-17,Grunnlovsdag,\nGB-WLS 2026-06-08\n-GB 2026-12-25 Christmas\n\
                SE 2026-06-06\nSE 2026-06-06 Nationaldagen\n";
    let calendar = Calendar::with_file(file).unwrap();
    for (country, day, expected) in [
        ("GB", "2026-06-08", Some("Jubilee, London")),
        // A part of the country takes its line, unless it has its own.
        ("GB-SCT", "2026-06-08", Some("Jubilee, London")),
        ("GB-WLS", "2026-06-08", None),
        // One that is compiled in.
        ("NO", "2026-05-17", Some("Grunnlovsdag")),
        ("NO", "2026-05-01", None),
        ("GB", "2026-12-25", None),
        ("SE", "2026-06-06", Some("Nationaldagen")),
    ] {
        assert_eq!(
            calendar.name(code(country), date(day)),
            expected,
            "{country} {day}"
        );
    }
}

#[test]
fn a_bad_line_is_named() {
    for (file, line, says) in [
        ("GB 2026-06-08 ok\nUK 2026-06-08 x", 2, "`UK`"),
        ("# x\n\ngb 2026-06-08 x", 3, "`gb`"),
        ("GB", 1, "YYYY-MM-DD"),
        ("-", 1, "country"),
        ("GB 2026-02-30 x", 1, "`2026-02-30`"),
        ("GB 20260608 x", 1, "`20260608`"),
        ("GB 2026-6-8 x", 1, "`2026-6-8`"),
        ("GB Jubilee 2026-06-08", 1, "`Jubilee`"),
        ("2026-06-08 GB x", 1, "`2026-06-08`"),
    ] {
        let (at, why) = Calendar::with_file(file).unwrap_err();
        assert_eq!(at, line, "{file}");
        assert!(why.contains(says), "{why}");
    }
}
