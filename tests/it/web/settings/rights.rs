//! Who may see and change settings.

use super::{Browser, action, world};

const PARTS: [&str; 10] = [
    "details",
    "people",
    "grid",
    "skips",
    "rosters",
    "channels",
    "on-duty-group",
    "mentions",
    "inbound-webhook",
    "delete",
];

#[test]
fn owners_and_admins_may_others_are_told_why_not() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let path = format!("/rotations/{}", rotation.id);
    let [owner, member, outsider, admin] =
        ["U1", "U2", "U4", "U5"].map(|user| Browser::signed_in(&rota, user));
    let before = rotation.read();
    let index = admin.get(&format!("{path}/settings")).is(200).text();
    for part in PARTS {
        let to = action(&rotation, part);
        assert!(index.contains(&format!("/settings/{part}\"")), "{part}");
        let page = admin.get(&to).is(200).text();
        assert_eq!(page.matches("<h1").count(), 1, "{part}");
        assert!(page.contains("aria-current=\"page\""), "{part}");
        assert!(
            !page.contains(" style=") && !page.contains(" onclick"),
            "{part}"
        );
        assert!(page.len() < 100_000, "{part}: {}", page.len());
        if part != "inbound-webhook" {
            owner.get(&to).is(200);
        }
        let forged = [
            ("ifMatch", "*"),
            ("operationId", part),
            ("name", "x"),
            ("step", "add"),
        ];
        let answer = member.get(&to).is(403);
        assert!(
            answer.text().contains("owners"),
            "{part}: {}",
            answer.text()
        );
        member.post(&to, &forged).is(403);
        outsider.get(&to).is(404);
        outsider.post(&to, &forged).is(404);
        let stranger = Browser::of(&rota).post(&to, &forged).is(303);
        assert_eq!(stranger.header("location"), Some("/login"));
    }
    let restore = [
        ("ifMatch", "*"),
        ("operationId", "r"),
        ("operation", "patchRotation"),
        ("body", "{\"name\":\"x\"}"),
    ];
    member.post(&action(&rotation, "restore"), &restore).is(403);
    outsider
        .post(&action(&rotation, "restore"), &restore)
        .is(404);
    assert_eq!(rotation.read(), before);
    assert!(owner.get(&path).text().contains("/settings\""));
    assert!(!member.get(&path).text().contains("/settings\""));
    for wrong in ["nothing", "windows", "windows/none", "details/more"] {
        owner.get(&action(&rotation, wrong)).is(404);
        owner
            .post(
                &action(&rotation, wrong),
                &[("ifMatch", "*"), ("operationId", "w")],
            )
            .is(404);
    }
    // Without the validator and the id nothing is done.
    let bare = owner
        .post(
            &action(&rotation, "details"),
            &[("name", "x"), ("owners", "U1")],
        )
        .is(400);
    assert!(
        bare.text().contains("open the form again"),
        "{}",
        bare.text()
    );
    let body = [
        ("ifMatch", "*"),
        ("operationId", "r"),
        ("operation", "createRotation"),
        ("body", "{}"),
    ];
    owner.post(&action(&rotation, "restore"), &body).is(400);
}
