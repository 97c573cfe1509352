//! Rights are one rule: lists, filtered by SQL, contain exactly the rotations that may be read by id.

use super::chat_uses::{group, redirect};
use super::*;
use crate::domain::access::Reach;
use crate::domain::ids::GroupId;

/// All kinds of callers. `U1` appears in rotations, `U6` in none.
fn everybody(rotations: &[Rotation]) -> Vec<Principal> {
    let key = |selected: Option<&[&Rotation]>| Principal::Key {
        id: KeyId::from("key_1"),
        name: "test".into(),
        scopes: Scope::COMBINED.to_vec(),
        rotations: selected.map(|all| all.iter().map(|rotation| rotation.id.clone()).collect()),
    };
    let person = |user: &str, role| Principal::Person {
        user: user.into(),
        name: "test".into(),
        role,
        via: Via::Token("tok_1".into()),
    };
    vec![
        key(None),
        key(Some(&[])),
        key(Some(&[&rotations[0], &rotations[7]])),
        person("U1", Role::Member),
        person("U1", Role::Admin),
        person("U1", Role::Outsider),
        person("U6", Role::Member),
        person("U6", Role::Admin),
        person("U6", Role::Outsider),
        Principal::InboundWebhook {
            path: "path".into(),
            rotation: rotations[3].id.clone(),
        },
        Principal::Operator { user: None },
        Principal::Chat,
        Principal::Clock,
        Principal::Visitor,
    ]
}

/// Public or not, owned by `U1` or not, with `U1` as a member by name, by a user group, or not.
fn every_rotation(app: &App) -> Vec<Rotation> {
    redirect(app, |directory| {
        directory.groups = vec![group("G1", &["U1", "U2"])]
    });
    let mut made = Vec::new();
    for public in [false, true] {
        for owners in [vec![], vec![UserId::from("U1")]] {
            for (user, user_group) in [("U3", None), ("U1", None), ("U3", Some("G1"))] {
                let key = format!("{public} {owners:?} {user} {user_group:?}");
                let rotation = NewRotation {
                    name: key.clone(),
                    description: None,
                    code: None,
                    public,
                    lanes: 1,
                    owners: owners.clone(),
                    channels: Vec::new(),
                    users: vec![UserId::from(user)],
                    groups: user_group.into_iter().map(GroupId::from).collect(),
                    summary: None,
                    dealing: Default::default(),
                    absence_policy: Default::default(),
                };
                let creation = creation::NewCreation {
                    key,
                    body_hash: [0; 32],
                    rotation,
                };
                let created = creation::create(app, &author(), creation).expect("a rotation");
                made.push(created.rotation);
            }
        }
    }
    made
}

/// rules.md 12.2.
#[test]
fn lists_show_what_may_be_read() {
    let office = Office::open("visibility");
    let rotations = every_rotation(&office.app);
    let page = Page {
        number: 1,
        size: 100,
    };
    for principal in everybody(&rotations) {
        let filter = RotationFilter::default();
        let mut listed = Vec::new();
        let show = |rotation: &Rotation| {
            listed.push(rotation.id.clone());
            Ok(true)
        };
        let (unshown, total) =
            reads::rotations(&office.app, &principal, filter, page, show).expect("a list");
        assert_eq!(unshown.len(), 0, "{principal}");
        assert_eq!(total, listed.len() as u64, "{principal}");
        for rotation in &rotations {
            let known =
                |user: &UserId| rotation.profile.owners.contains(user) || rotation.has_member(user);
            let sees = match principal.reach() {
                Reach::All => true,
                Reach::Nothing => false,
                Reach::Selected(ids) => ids.contains(&rotation.id),
                Reach::SeenBy(user) => rotation.profile.public || known(user),
                Reach::Public => rotation.profile.public,
            };
            let name = &rotation.profile.name;
            let is_listed = listed.contains(&rotation.id);
            let read = reads::rotation(&office.app, &principal, &rotation.id);
            assert_eq!(is_listed, sees, "{principal} lists {name}");
            assert_eq!(read.is_ok(), sees, "{principal} reads {name}");
            if let Reach::SeenBy(user) = principal.reach() {
                let owns = rotation.profile.owners.contains(user);
                assert_eq!(
                    principal.check_edit(rotation).is_ok(),
                    owns,
                    "{principal} edits {name}"
                );
            } else {
                let edits = sees && principal != Principal::Visitor;
                assert_eq!(
                    principal.check_edit(rotation).is_ok(),
                    edits,
                    "{principal} edits {name}"
                );
            }
        }
    }
}

/// The number of the twelve that each of them sees, counted by hand.
#[test]
fn everybody_sees_so_many() {
    let office = Office::open("visibility-counts");
    let rotations = every_rotation(&office.app);
    let seen = |principal: &Principal| {
        rotations
            .iter()
            .filter(|rotation| principal.check_see(rotation).is_ok())
            .count()
    };
    let counts: Vec<usize> = everybody(&rotations).iter().map(seen).collect();
    assert_eq!(counts, [12, 0, 2, 11, 12, 0, 6, 12, 0, 1, 12, 12, 12, 6]);
}
