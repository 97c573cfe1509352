//! The pages of a rotation that follows a schedule, and what the operator is told.

use super::*;
use crate::web::Browser;

#[test]
fn a_schedule_is_followed_and_left_by_forms() {
    let (_pager, rota) = started();
    let rotation = rota.rotation("U1 U2");
    let browser = Browser::signed_in(&rota, "U1");
    let action = format!("/rotations/{}/settings/partner", rotation.id);
    let fields = [("partner", "pagerPartner"), ("scheduleId", "S9")];
    let wrong = browser.fill(&action, &action, &fields).is(400).text();
    assert!(wrong.contains("has no schedule"), "{wrong}");
    let fields = [("partner", "pagerPartner"), ("scheduleId", "S1")];
    let page = browser.follow(&browser.fill(&action, &action, &fields).is(303));
    assert!(
        page.contains("The rotation follows the schedule."),
        "{page}"
    );
    for part in ["people", "grid", "skips", "absences", "rosters"] {
        assert!(!page.contains(&format!("/settings/{part}\"")), "{part}");
    }
    let page = browser
        .get(&format!("/rotations/{}", rotation.id))
        .is(200)
        .text();
    assert!(
        page.contains("Schedule S1") && page.contains("PagerDuty"),
        "{page}"
    );
    assert!(
        page.contains("Person U1") && page.contains("Pager 3"),
        "{page}"
    );
    assert!(!page.contains(">Hand over now<"), "{page}");
    rota.to("2026-01-06T06:00Z");
    let home = browser.get("/").is(200).text();
    assert!(
        home.contains("Pager 3") && home.contains("not in chat"),
        "{home}"
    );
    let left = browser.fill(&action, &action, &[("act", "unlink")]).is(303);
    let page = browser.follow(&left);
    assert!(page.contains("follows no schedule any more"), "{page}");
    assert_eq!(rotation.read()["mode"], "manual");
}

#[test]
fn metrics_tell_of_readings() {
    let (pager, rota) = started();
    let _rotation = linked(&rota, "S1");
    pager.troubles(Trouble::Status(401));
    assert_eq!(sync(&rota), (0, 1));
    let page = rota.get("/metrics").is(200).text();
    for line in [
        "rota_partner_last_success_timestamp_seconds{partner=\"pagerPartner\",schedule=\"S1\"} 1767600000",
        "rota_partner_reads_total{outcome=\"success\",partner=\"pagerPartner\"} 1",
        "rota_partner_reads_total{outcome=\"unauthorized\",partner=\"pagerPartner\"} 1",
    ] {
        assert!(page.contains(line), "{line}: {page}");
    }
    // Somebody unknown is on call: nobody is missing.
    pager.troubles(None);
    pager.has("S1", "P1", &["P3 2026-01-05T07:30Z 2026-01-25T00:00Z"]);
    assert_eq!(sync(&rota), (1, 0));
    let page = rota.get("/metrics").is(200).text();
    assert!(
        page.contains("rota_nobody_on_call_longest_seconds 0"),
        "{page}"
    );
}

#[test]
fn a_check_names_rotations_without_a_partner() {
    let pager = Pager::new();
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = pager.start().db(&db).go();
    rota.people(2);
    let id = linked(&rota, "S1").id;
    rota.stop();
    let (code, output, errors) = run(&mut crate::cli::on(&db, "check"));
    assert_eq!(code, 1, "{output}{errors}");
    assert!(
        output.contains(&format!("{id} follows schedule S1 of pagerPartner")),
        "{output}"
    );
}
