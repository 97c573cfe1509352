//! The inbound webhook: its address and its key, which the API shows as often as it is asked for.

use super::{action, carried, page};
use crate::actions::Error;
use crate::actions::inbound::{self, MakeInboundWebhook};
use crate::domain::access::Scope;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::store::InboundWebhook;
use crate::web::answer;
use crate::web::form::Errors;
use crate::web::notes::Note;
use crate::web::pages::{editable, failing, times};
use crate::web::visit::Visit;
use maud::html;

const PART: &str = "inbound-webhook";

/// Whether the reader may see the webhook. The API asks for the same.
pub fn is_offered(visit: &Visit) -> bool {
    visit.caller.check_scope(Scope::ManageWebhooks).is_ok()
}

fn admitted(visit: &Visit) -> Result<Rotation, Problem> {
    let rotation = editable(visit)?;
    match is_offered(visit) {
        true => Ok(rotation),
        false => Err(Refusal::ResourceDenied(
            "only workspace admins see and change inbound webhooks".into(),
        )
        .into()),
    }
}

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    form(visit, &admitted(visit)?, (200, &Errors::default()))
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    (status, errors): (u16, &Errors),
) -> Result<Response, Problem> {
    let found = inbound::find(visit.app(), &visit.caller, &rotation.id)?;
    let base = visit.app().base_url().trim_end_matches('/').to_owned();
    let content = html! {
        div.card.pad {
            p.muted { "An address by which older tools hand over, put somebody on duty or mention whoever is on call. For new tools use the API." }
            @match &found {
                Some(found) => {
                    dl.kv {
                        dt { "Address" } dd { code { (base) "/webhook/" (found.path) } }
                        dt { "Key" } dd { "Made " (times(visit).show(found.created_at)) ". It is sent as the header " code { "webhook-key" } "." }
                    }
                    details {
                        summary { "Show the key" }
                        code.secret { (found.key) }
                    }
                    form method="post" action=(action(rotation, PART)) {
                        (carried(visit, rotation))
                        p { "A new key takes the place of the one there is, which stops working at once." }
                        p.actions { button.btn type="submit" name="step" value="rotate" { "Make a new key" } }
                    }
                }
                None => {
                    p { "This rotation has none yet." }
                    form method="post" action=(action(rotation, PART)) {
                        (carried(visit, rotation))
                        p.actions { button.btn.go type="submit" name="step" value="make" { "Make an inbound webhook" } }
                    }
                }
            }
        }
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// The key is not kept with the answer: the page reads it.
fn unsaid(_: &str, _: &InboundWebhook) -> Result<String, Error> {
    Ok(String::new())
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = admitted(visit)?;
    let again = |status, errors: Errors| form(visit, &rotation, (status, &errors));
    let anew = visit.form.one("step") == "rotate";
    let name = if anew {
        "rotateInboundWebhookKey"
    } else {
        "getInboundWebhook"
    };
    let operation = MakeInboundWebhook { anew };
    let written = visit.write(&rotation.id, (name, visit.here()), operation, unsaid);
    if let Err(page) = failing(visit, &rotation.id, written, &[], again)? {
        return Ok(page);
    }
    visit.note(Note::new(match anew {
        true => "The inbound webhook has a new key.",
        false => "The inbound webhook was made.",
    }));
    Ok(answer::see(action(&rotation, PART)))
}
