//! The app's home tab: the reader's turns, requests and absences, and who is on call.

use super::blocks::Blocks;
use super::buttons::Click;
use super::me;
use super::visit::Visit;
use crate::actions::sessions::SignedIn;
use crate::actions::{App, Result};
use crate::slack_inbound::incoming::{Incoming, Kind};
use crate::talk::{self, overview};
use serde_json::{Value, json};

/// Absences that are listed.
const ABSENCES: usize = 5;

/// The view. It says the same as long as nothing in it changes.
pub fn view(app: &App, who: &SignedIn) -> Result<Value> {
    // Nothing came in: it is shown because something changed.
    let incoming = Incoming {
        id: String::new(),
        team: None,
        user: Some(who.person.id.clone()),
        kind: Kind::Other("home".to_owned()),
    };
    let visit = Visit::new(app, who, &incoming);
    let mut blocks = Blocks::view();
    me::add(&visit, &mut blocks)?;
    blocks.divider();
    absences(&visit, &mut blocks)?;
    blocks.divider();
    let mut now = vec!["*On call now*".to_owned()];
    now.extend(overview::rotations(&visit, |_| true)?);
    if now.len() == 1 {
        now.push("There is no rotation that you may see.".to_owned());
    }
    blocks.lines(&now);
    Ok(json!({ "type": "home", "blocks": blocks.finish() }))
}

fn absences(visit: &Visit, blocks: &mut Blocks) -> Result<()> {
    blocks.section_with("*Your absences*", &Click::Away.button());
    let away = talk::me::away(visit)?;
    if away.is_empty() {
        blocks.section("None. While you are away, hand-overs pass you over.");
    }
    for (id, line) in away.iter().take(ABSENCES) {
        blocks.section_with(line, &Click::EndAbsence(id.clone()).button());
    }
    if away.len() > ABSENCES {
        blocks.context(&format!("And {} more.", away.len() - ABSENCES));
    }
    Ok(())
}
