//! Reactions to what was asked, and the words that stand for them.

use super::draft::Draft;
use super::drafts;
use super::visitor::{Answer, Visitor};
use crate::actions::{ActionError, Result, matrix_talk, overview};
use crate::domain::edit::Answering;
use crate::domain::ids::{MentionId, RequestId};
use crate::domain::message::{Message, OfferedAnswer, Recipient, Subject};
use crate::domain::refusal::Refusal;
use crate::domain::request::Step;
use crate::talk::{me, mention, requests};

/// What is asked.
enum Question {
    Request(RequestId),
    Mention(MentionId),
}

/// A reaction below a message. Those of whoever was not asked say nothing.
pub fn reacted(visitor: &Visitor, to: &str, is_yes: bool) -> Result<Option<Answer>> {
    if let Some(draft) = matrix_talk::draft(visitor.app, to)? {
        let is_author = draft.user == visitor.event.sender;
        return match (is_author, Draft::parse(&draft.body)) {
            (false, _) | (_, None) => Ok(None),
            (true, Some(drafted)) => decided(visitor, &drafted, to, is_yes).map(Some),
        };
    }
    let Some(asked) = matrix_talk::question(visitor.app, &visitor.event.room, to)? else {
        return Ok(None);
    };
    let Some(question) = question_to(visitor, &asked) else {
        return Ok(None);
    };
    let key = format!("{to} {is_yes}");
    match answered(visitor, &question, is_yes, &key)? {
        // The message itself shows what came of it.
        Said::Done(_) => Ok(None),
        Said::Told(answer) => Ok(Some(answer)),
        Said::Denied(_) => Ok(None),
    }
}

/// A draft is sent or dropped.
fn decided(visitor: &Visitor, draft: &Draft, asked: &str, is_yes: bool) -> Result<Answer> {
    let answer = match is_yes {
        true => drafts::confirm(visitor, draft, asked)?,
        false => Answer::private("Dropped."),
    };
    Ok(Answer {
        closes: Some(asked.to_owned()),
        ..answer
    })
}

/// A word in place of a reaction: about the message that it replies to, else about the one thing that waits.
pub fn said(visitor: &Visitor, word: OfferedAnswer, about: Option<&str>) -> Result<Answer> {
    let is_yes = matches!(word, OfferedAnswer::Accept | OfferedAnswer::Acknowledge);
    if let Some(about) = about {
        if let Some(draft) = matrix_talk::draft(visitor.app, about)?
            && draft.user == visitor.event.sender
            && let Some(drafted) = Draft::parse(&draft.body)
        {
            return decided(visitor, &drafted, about, is_yes);
        }
        let asked = matrix_talk::question(visitor.app, &visitor.event.room, about)?;
        if let Some(question) = asked.and_then(|asked| question_to(visitor, &asked)) {
            return in_words(visitor, &question, is_yes);
        }
    }
    let visit = visitor.private_visit(&visitor.event.id);
    let waiting: Vec<Question> = match word {
        OfferedAnswer::Accept | OfferedAnswer::Decline => {
            let (waiting, _) = requests::pending(&visit)?;
            let ids = waiting.into_iter().map(|one| one.view.request.id);
            ids.map(Question::Request).collect()
        }
        OfferedAnswer::Acknowledge | OfferedAnswer::Pass => {
            let mentions = me::mentions(&visit)?.into_iter();
            mentions.map(|(one, _)| Question::Mention(one.id)).collect()
        }
    };
    match &waiting[..] {
        [one] => in_words(visitor, one, is_yes),
        _ => Ok(Answer::privately(me::waiting(&visit)?)),
    }
}

fn in_words(visitor: &Visitor, question: &Question, is_yes: bool) -> Result<Answer> {
    Ok(
        match answered(visitor, question, is_yes, &visitor.event.id)? {
            Said::Done(text) => Answer::private(text),
            Said::Told(answer) => answer,
            Said::Denied(refusal) => {
                Answer::private(visitor.private_visit(&visitor.event.id).why(&refusal)?)
            }
        },
    )
}

/// The question of a message, where it was put to the person.
fn question_to(visitor: &Visitor, asked: &Message) -> Option<Question> {
    if let Recipient::Person(user) = &asked.to
        && user != &visitor.event.sender
    {
        return None;
    }
    match &asked.subject {
        Subject::Request(id) => Some(Question::Request(id.clone())),
        Subject::Mention(id) => Some(Question::Mention(id.clone())),
        Subject::Rotation => None,
    }
}

/// What came of an answer.
enum Said {
    Done(String),
    /// It did nothing, or something is in the way.
    Told(Answer),
    /// It was not for them to give.
    Denied(Refusal),
}

/// Gives an answer, known by a key.
fn answered(visitor: &Visitor, question: &Question, is_yes: bool, key: &str) -> Result<Said> {
    let visit = visitor.private_visit(key);
    let outcome = match question {
        Question::Mention(id) => {
            let answer = match is_yes {
                true => OfferedAnswer::Acknowledge,
                false => OfferedAnswer::Pass,
            };
            match mention::answer(&visit, id, answer) {
                Ok(Ok(done)) => Ok(done.to_owned()),
                Ok(Err(told)) => return Ok(Said::Told(Answer::private(told))),
                Err(stop) => Err(stop),
            }
        }
        Question::Request(id) => {
            let step = if is_yes { Step::Accept } else { Step::Decline };
            let once = visit.operation_id.clone();
            let taken =
                overview::request(visit.app, visit.caller(), id).and_then(|(rotation, _)| {
                    requests::take(&visit, &rotation.id, id, step, once, Answering::default())
                });
            match taken {
                Ok(()) => Ok(requests::done(step).to_owned()),
                Err(ActionError::Refused(
                    Refusal::ConflictsNotAcknowledged(_) | Refusal::StartedLegNotAcknowledged(_),
                )) => return drafts::in_the_way(visitor, id).map(Said::Told),
                Err(ActionError::Refused(refusal @ Refusal::ResourceDenied(_))) => {
                    return Ok(Said::Denied(refusal));
                }
                Err(ActionError::Refused(refusal)) => {
                    let told = requests::over(&visit, id, &refusal)?;
                    return Ok(Said::Told(Answer::private(told)));
                }
                Err(stop) => Err(stop),
            }
        }
    };
    match outcome {
        Ok(text) => Ok(Said::Done(text)),
        Err(ActionError::Refused(refusal)) => Ok(Said::Denied(refusal)),
        Err(stop) => Err(stop),
    }
}
