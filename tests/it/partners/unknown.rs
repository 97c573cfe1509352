//! Somebody on call whom the workspace does not know: not nobody, wherever it is said who is on call.

use super::*;

/// Somebody unknown until Tuesday, then U1.
const STRANGER: &[&str] = &[
    "P3 2026-01-05T00:00Z 2026-01-06T08:00Z",
    "P1 2026-01-06T08:00Z 2026-01-25T00:00Z",
];

#[test]
fn topics_name_them() {
    let (pager, rota) = started();
    pager.has("S2", "P1", STRANGER);
    let rotation = linked(&rota, "S2");
    rotation.tells_in("C1");
    assert_eq!(
        rota.topic("C1"),
        "Rotation: Pager 3 until 2026-01-06 08:00, next Person U1"
    );
    let template = "%DUTY_SIZE% %USER% %USERID% %UNTIL_UTC%";
    rotation.patch(json!({ "topicTemplate": template })).is(200);
    assert_eq!(rota.topic("C1"), "1 Pager 3 N/A 2026-01-06 08:00");
    rota.to("2026-01-06T08:00Z");
    assert_eq!(rota.topic("C1"), "1 Person U1 U1 2026-01-25 00:00");
}

#[test]
fn a_mention_says_that_they_are_not_in_chat() {
    let (pager, rota) = started();
    pager.has("S2", "P1", STRANGER);
    let rotation = linked(&rota, "S2");
    let mut reader = rota.message_reader();
    reader.messages();
    let opened = rotation.try_mention("U2").is(200).json();
    assert_eq!(opened["state"], "nobody");
    assert_eq!(
        reader.lines(),
        ["C1: Rotation: Pager 3 is on call, but is not in chat to answer Person U2."]
    );
}
