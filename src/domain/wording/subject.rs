//! Subjects of messages: one short line that says what happened, and in which rotation.

use super::{Renderer, Words};
use crate::domain::message::{Content, MentionOutcome, Message, RequestOutcome};
use crate::domain::request::RequestKind;

/// The subject of a direct message.
pub fn subject(message: &Message, renderer: &dyn Renderer) -> String {
    let words = Words {
        rotation: &message.rotation_name,
        renderer,
    };
    let rotation = words.title(&[]);
    let said = match &message.content {
        Content::Text { .. } => return "A message of rota".to_owned(),
        Content::OnDuty { .. } => "You are on duty".to_owned(),
        Content::OffDuty { .. } => "You are off duty".to_owned(),
        Content::ComingUp { at, handovers } => {
            let zone = handovers.first().and_then(|handover| handover.zone);
            format!("You come on duty at {}", renderer.time(*at, zone))
        }
        Content::Nobody { .. } => "Nobody is on call".to_owned(),
        Content::HandOver { .. } => "Hand-over".to_owned(),
        Content::CoverAsked(asked) => {
            format!("{} asks you for cover", words.name(&asked.requester))
        }
        Content::SwapAsked(asked) => format!("{} offers you a swap", words.name(&asked.requester)),
        Content::CoverAnswered(outcome) => answered(&words, outcome, RequestKind::Cover),
        Content::SwapAnswered(outcome) => answered(&words, outcome, RequestKind::Swap),
        Content::ShiftsMoved(_) => "Your shifts moved".to_owned(),
        Content::Mention { asker, .. } => {
            format!("{} asks for whoever is on call", words.name(asker))
        }
        Content::Summary(_) => return "Your next 14 days".to_owned(),
        Content::WeekAhead(_) => "The next 7 days".to_owned(),
        Content::ChangeFailed { .. } => "A planned change was not made".to_owned(),
        Content::MentionAnswered { asker, outcome } => match outcome {
            MentionOutcome::Acknowledged { by } => {
                format!("{} answers {}", words.name(by), words.name(asker))
            }
            MentionOutcome::Passed
            | MentionOutcome::Expired
            | MentionOutcome::Nobody
            | MentionOutcome::Outside { .. } => format!("Nobody answers {}", words.name(asker)),
        },
    };
    format!("{said}: {rotation}")
}

fn answered(words: &Words, outcome: &RequestOutcome, kind: RequestKind) -> String {
    let noun = kind.noun();
    match outcome {
        RequestOutcome::Accepted { by, .. } => {
            format!("{} has accepted your {noun}", words.name(by))
        }
        RequestOutcome::Declined { by, .. } => {
            format!("{} has declined your {noun}", words.name(by))
        }
        RequestOutcome::Ended { by } => format!("{} has ended the cover", words.name(by)),
    }
}
