//! Telling people of what moved in their own plan.

mod exceptions;
mod faults;
mod many;
mod pending;
mod random;
mod told;

use crate::support::*;
use serde_json::Value;

/// The messages about moved shifts to a person, oldest first.
#[track_caller]
fn notices_to(rota: &Rota, user: &str) -> Vec<Value> {
    let path = format!("/v1/messages?userId={user}&pageSize=200");
    let list = rota.caller().get(&path).is(200).json();
    let mut found = list["data"].as_array().expect("messages").clone();
    found.retain(|message| message["kind"] == "shiftsMoved");
    found.reverse();
    found
}

/// `+ 06T09:00Z 07T09:00Z U2` of each shift gained, with whoever had it, then `-` of each lost.
fn shifts(moved: &Value) -> Vec<String> {
    let line = |sign: &str, other: &str, shift: &Value| {
        let other = shift[other].as_str().unwrap_or("-");
        let (from, until) = (instant(&shift["from"]), instant(&shift["until"]));
        format!(
            "{sign} {} {} {other}",
            &from[5..],
            until.get(5..).unwrap_or("-")
        )
    };
    let all = |list: &str| moved[list].as_array().expect("a list").clone();
    let gained = all("gained");
    let gained = gained.iter().map(|one| line("+", "insteadOf", one));
    let lost = all("lost");
    let lost = lost.iter().map(|one| line("-", "now", one));
    gained.chain(lost).collect()
}

/// Tells everybody now, and returns whom.
#[track_caller]
fn send(rotation: &Rot) -> Vec<String> {
    let path = rotation.path("/pending-notices/send");
    let told = rotation.by.request("POST", &path).send().is(200).json();
    let told = told["told"].as_array().expect("people").iter();
    told.map(|user| text(user).to_owned()).collect()
}
