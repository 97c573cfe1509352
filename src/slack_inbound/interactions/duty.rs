//! Duty by hand: hand over now, put people on call.

use super::blocks::ephemeral;
use super::command::PersonWord;
use super::mrkdwn::{people, plain};
use super::rotation;
use super::visit::{Outcome, Visit};
use crate::actions::duty::{Rotate, SetOnDuty};
use crate::actions::{Error, Result, reads};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::message::PeopleNames;
use crate::domain::resolve;
use crate::domain::roster;
use crate::domain::rotation::Rotation;
use crate::slack_inbound::reply::Reply;
use crate::wire::etag::Precondition;
use serde_json::json;

/// A write of duty leaves nothing to be told but that it was done.
fn nothing(_: &str, _: &()) -> Result<String, Error> {
    Ok(String::new())
}

/// `/rota CODE rotate`.
pub fn rotate(visit: &Visit, rotation: &Rotation) -> Outcome {
    hand_over(visit, &rotation.id, &Precondition::Any)?;
    shown(visit, &rotation.id)
}

/// A click on Rotate, if the rotation is still as it was shown. The answer replaces the message.
pub fn rotate_shown(visit: &Visit, id: &RotationId, tag: &str) -> Outcome {
    hand_over(visit, id, &Precondition::parse(tag))?;
    let mut reply = shown(visit, id)?;
    if let Some(body) = &mut reply.body {
        body["replace_original"] = json!(true);
    }
    Ok(reply)
}

fn hand_over(visit: &Visit, id: &RotationId, precondition: &Precondition) -> Result<()> {
    let once = visit.incoming.operation_id();
    let operation = Rotate { cells: None };
    visit.write(id, ("rotate", ""), once, precondition, operation, nothing)?;
    Ok(())
}

/// `/rota CODE set @ana @bo`.
pub fn set(visit: &Visit, rotation: &Rotation, named: &[PersonWord]) -> Outcome {
    if named.is_empty() {
        let command = plain(visit.command());
        return Ok(visit.say(&format!(
            "Say who is to be on call, such as `{command} CODE set @ana @bo`."
        )));
    }
    // Refused before names are looked for: whoever may not do it need not know who is there.
    visit.caller().check_edit(rotation)?;
    let users = match resolved(visit, rotation, named)? {
        Ok(users) => users,
        Err(why) => return Ok(visit.say(&why)),
    };
    let (once, any) = (visit.incoming.operation_id(), &Precondition::Any);
    let (written, operation) = (("replaceOnCall", ""), SetOnDuty { users });
    visit.write(&rotation.id, written, once, any, operation, nothing)?;
    shown(visit, &rotation.id)
}

/// The people who are named: as Slack escapes them, else by the name of a member.
fn resolved(
    visit: &Visit,
    rotation: &Rotation,
    named: &[PersonWord],
) -> Result<Result<Vec<UserId>, String>, Error> {
    let members = roster::order(&rotation.members, None);
    let members: Vec<UserId> = members.into_iter().map(|one| one.user).collect();
    let names = visit.names(&members)?;
    let mut users = Vec::new();
    for one in named {
        match one {
            PersonWord::Person(user) => users.push(user.clone()),
            PersonWord::Group(group) => {
                let text = format!("@{} is a user group. Name people.", plain(group));
                return Ok(Err(text));
            }
            PersonWord::Word(word) => match by_name(&names, word)[..] {
                [user] => users.push(user.clone()),
                [] => {
                    return Ok(Err(format!(
                        "Nobody in this rotation is called “{}”. Name people with @.",
                        plain(word)
                    )));
                }
                _ => {
                    return Ok(Err(format!(
                        "Several people in this rotation are called “{}”. Name them with @.",
                        plain(word)
                    )));
                }
            },
        }
    }
    Ok(Ok(users))
}

/// Whoever is called like that, whatever the case.
fn by_name<'a>(names: &'a PeopleNames, word: &str) -> Vec<&'a UserId> {
    let word = word.to_lowercase();
    let of = |name: &str| name.to_lowercase() == word;
    let known = names.iter().filter(|(_, name)| of(name));
    known.map(|(user, _)| user).collect()
}

/// Who is on call now.
fn shown(visit: &Visit, id: &RotationId) -> Outcome {
    let rotation = reads::rotation(visit.app, visit.caller(), id)?;
    let on_call = resolve::everybody_on_call(&rotation);
    let done = match on_call.is_empty() {
        true => "Done. Nobody is on call now.".to_owned(),
        false => format!("Done. On call now: {}.", people(&on_call)),
    };
    let (text, blocks) = rotation::card(visit, id, Some(&done))?;
    Ok(Reply::body(ephemeral(&text, blocks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_by_name() {
        let names = [("U1", "Ana"), ("U2", "Bo"), ("U3", "bo"), ("U4", "Éva Ü")];
        let names: PeopleNames = names
            .into_iter()
            .map(|(id, name)| (UserId::from(id), name.to_owned()))
            .collect();
        for (word, expected) in [
            ("ANA", &["U1"][..]),
            ("bo", &["U2", "U3"]),
            ("éva ü", &["U4"]),
            ("an", &[]),
        ] {
            let found = by_name(&names, word);
            let found: Vec<&str> = found.into_iter().map(UserId::as_str).collect();
            assert_eq!(found, expected, "{word}");
        }
    }
}
