//! Carries out a plan: one change a rotation, each with the validator of what was planned.

use super::super::Failure;
use super::directory::Directory;
use super::edit::{self, NoEdit};
use super::planning::{self, Asked, Plan, change};
use super::progress::Progress;
use super::server::{Server, Trouble, Write, fresh_id};
use super::subject::{Subject, When};
use super::written::text;
use crate::client::Method;
use serde_json::{Value, json};

/// How often a rotation is read again that others keep writing.
const AGAIN: usize = 5;

/// What a run wrote, and where it stopped.
#[derive(Debug, Default)]
pub struct Outcome {
    pub written: Vec<Value>,
    /// What to call those that were written.
    pub labels: Vec<String>,
    pub failed: Option<Failed>,
    /// What to call those that were not tried.
    pub left_out: Vec<String>,
}

/// The rotation at which a run stopped.
#[derive(Debug)]
pub struct Failed {
    pub code: Option<String>,
    pub label: String,
    pub problem: Value,
    pub why: String,
}

impl Outcome {
    /// As `--json` prints it.
    pub fn json(&self, plan_id: &str) -> Value {
        let failed = self.failed.as_ref();
        let failed = failed.map(|failed| json!({ "code": failed.code, "problem": failed.problem }));
        json!({ "planId": plan_id, "written": self.written, "failed": failed })
    }
}

/// Why one rotation was not written.
struct Stop {
    problem: Value,
    why: String,
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Stop {
        Stop {
            problem: trouble.problem(),
            why: trouble.sentence(),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        let (Failure::Failed(why) | Failure::Usage(why)) = failure;
        Stop {
            problem: json!({ "title": "Not written", "detail": why }),
            why,
        }
    }
}

impl From<NoEdit> for Stop {
    fn from(none: NoEdit) -> Stop {
        match none {
            NoEdit::Wrong(faults) => planning::failed(&faults).into(),
            NoEdit::Trouble(trouble) => trouble.into(),
        }
    }
}

/// Writes what a plan says, rotation by rotation, then deletes. Stops at the first that cannot be written.
pub fn apply(server: &Server, directory: &Directory, plan: &Plan, asked: &Asked) -> Outcome {
    let mut outcome = Outcome::default();
    let subjects = plan
        .subjects
        .iter()
        .filter(|subject| subject.action() != "none");
    let subjects: Vec<&Subject> = subjects.collect();
    let mut progress = Progress::new("writing", subjects.len() + plan.pruned.len());
    let writer = Writer {
        server,
        directory,
        asked,
    };
    let names = |subject: &Subject| subject.entry.label().to_owned();
    let deleted = |rotation: &Value| {
        let name = text(rotation, "code").or(text(rotation, "name"));
        name.unwrap_or_default().to_owned()
    };
    let labels: Vec<String> = subjects
        .iter()
        .map(|subject| names(subject))
        .chain(plan.pruned.iter().map(deleted))
        .collect();
    for (at, label) in labels.iter().enumerate() {
        progress.step();
        let done = match subjects.get(at) {
            Some(subject) => writer.subject(subject),
            None => writer.delete(&plan.pruned[at - subjects.len()]),
        };
        let code = match subjects.get(at) {
            Some(subject) => code(subject),
            None => text(&plan.pruned[at - subjects.len()], "code").map(str::to_owned),
        };
        let stop = match done {
            Done::Written(id, action) => {
                outcome.add(label, code, &id, action);
                continue;
            }
            Done::Partly(id, action, stop) => {
                outcome.add(label, code.clone(), &id, action);
                stop
            }
            Done::Not(stop) => stop,
        };
        outcome.failed = Some(Failed {
            code,
            label: label.clone(),
            problem: stop.problem,
            why: stop.why,
        });
        outcome.left_out = labels[at + 1..].to_vec();
        break;
    }
    outcome
}

impl Outcome {
    fn add(&mut self, label: &str, code: Option<String>, id: &str, action: &str) {
        self.labels.push(format!("{label} ({action})"));
        self.written
            .push(json!({ "code": code, "rotationId": id, "action": action }));
    }
}

/// The code that a rotation has, or gets.
fn code(subject: &Subject) -> Option<String> {
    match &subject.entry.code {
        Some(code) => code.as_ref().map(|named| named.text.clone()),
        None => text(subject.rotation.as_ref()?, "code").map(str::to_owned),
    }
}

/// What became of one rotation.
enum Done {
    /// Its id, and what was done.
    Written(String, &'static str),
    /// It was made, and not as the file says.
    Partly(String, &'static str, Stop),
    Not(Stop),
}

struct Writer<'a, 's> {
    server: &'a Server,
    directory: &'a Directory<'s>,
    asked: &'a Asked,
}

/// What a rotation was when it was read.
struct Read {
    rotation: Value,
    /// `*` where the rotation has no validator: a partner's moves by itself.
    etag: String,
}

impl Writer<'_, '_> {
    fn subject(&self, subject: &Subject) -> Done {
        if subject.rotation.is_none() {
            return self.create(subject);
        }
        match self.change(subject) {
            Ok((id, action)) => Done::Written(id, action),
            Err(stop) => Done::Not(stop),
        }
    }

    fn read(&self, id: &str) -> Result<Read, Trouble> {
        let reply = self.server.get(&format!("/v1/rotations/{id}"))?;
        Ok(Read {
            rotation: reply.body,
            etag: reply.etag.unwrap_or_else(|| "*".to_owned()),
        })
    }

    fn create(&self, subject: &Subject) -> Done {
        let patch = &subject.edit.body["rotation"];
        let code = subject.entry.code.as_ref().and_then(Option::as_ref);
        let body = json!({
            "name": patch["name"], "code": code.map(|named| &named.text), "owners": patch["owners"],
        });
        let made = self.server.write(&Write {
            method: Method::Post,
            path: "/v1/rotations",
            header: ("Idempotency-Key", &fresh_id("apply")),
            body: Some(&body),
        });
        let made = match made {
            Ok(made) => made,
            Err(trouble) => return Done::Not(trouble.into()),
        };
        let id = text(&made.body, "id").unwrap_or_default().to_owned();
        let read = Read {
            rotation: made.body,
            etag: made.etag.unwrap_or_else(|| "*".to_owned()),
        };
        match self.fill(subject, &id, read) {
            Ok(()) => Done::Written(id, "create"),
            Err(stop) => Done::Partly(id, "create", stop),
        }
    }

    /// Makes a new rotation what the file says of it.
    fn fill(&self, subject: &Subject, id: &str, mut read: Read) -> Result<(), Stop> {
        let operation = fresh_id("apply");
        for last in (0..AGAIN).rev() {
            let made = edit::edit(&subject.entry, Some(&read.rotation), self.directory, true)?;
            let body = change(subject, made.body, When::Now.sent(), &operation);
            match self.post(id, &read.etag, &body) {
                Err(trouble) if is_stale(&trouble) && last > 0 => read = self.read(id)?,
                other => return Ok(other.map(drop)?),
            }
        }
        Ok(())
    }

    fn change(&self, planned: &Subject) -> Result<(String, &'static str), Stop> {
        let before = planned.rotation.as_ref();
        let id = before
            .and_then(|rotation| text(rotation, "id"))
            .unwrap_or_default();
        let mut read = self.read(id)?;
        // Made anew when somebody else wrote the rotation.
        let mut fresh: Option<Subject> = None;
        let mut is_same = before == Some(&read.rotation);
        for last in (0..AGAIN).rev() {
            if !is_same {
                let again = planning::again(
                    self.server,
                    self.directory,
                    planned,
                    read.rotation.clone(),
                    self.asked,
                )?;
                if again.item["changes"] != planned.item["changes"] {
                    return Err(Failure::Failed(
                        "somebody changed the rotation, and its plan is another one now; plan again".into(),
                    )
                    .into());
                }
                fresh = Some(again);
            }
            let subject = fresh.as_ref().unwrap_or(planned);
            match self.write(subject, id, &read) {
                Ok(action) => return Ok((id.to_owned(), action)),
                Err(trouble) if is_stale(&trouble) && last > 0 => {
                    read = self.read(id)?;
                    is_same = false;
                }
                Err(trouble) => return Err(trouble.into()),
            }
        }
        Ok((id.to_owned(), "change"))
    }

    fn write(&self, subject: &Subject, id: &str, read: &Read) -> Result<&'static str, Trouble> {
        let is_now = self.asked.at == When::Now;
        if subject.only_cancels() && !is_now {
            return self.cancel(subject, id, read);
        }
        let keyed = subject.writes_grid().then(|| {
            let made = edit::edit(&subject.entry, Some(&read.rotation), self.directory, true);
            made.ok().map(|edit| edit.body)
        });
        let edit = keyed.flatten().unwrap_or_else(|| subject.edit.body.clone());
        let at = match is_now {
            true => When::Now.sent(),
            false => text(&subject.item, "at").unwrap_or_default(),
        };
        let body = change(subject, edit, at, &fresh_id("apply"));
        let written = self.post(id, &read.etag, &body)?;
        Ok(match written["state"] == "waiting" {
            true => "stage",
            false => "change",
        })
    }

    /// Cancels waiting changes where one that stays makes already what the file says.
    fn cancel(&self, subject: &Subject, id: &str, read: &Read) -> Result<&'static str, Trouble> {
        let mut etag = read.etag.clone();
        for waiting in &subject.replaces {
            let reply = self.server.write(&Write {
                method: Method::Delete,
                path: &format!("/v1/rotations/{id}/changes/{}", waiting.id),
                header: ("If-Match", &etag),
                body: None,
            })?;
            etag = reply.etag.unwrap_or_else(|| "*".to_owned());
        }
        Ok("change")
    }

    fn post(&self, id: &str, etag: &str, body: &Value) -> Result<Value, Trouble> {
        let reply = self.server.write(&Write {
            method: Method::Post,
            path: &format!("/v1/rotations/{id}/changes"),
            header: ("If-Match", etag),
            body: Some(body),
        })?;
        Ok(reply.body)
    }

    fn delete(&self, rotation: &Value) -> Done {
        let id = text(rotation, "id").unwrap_or_default();
        match self.remove(rotation, id) {
            Ok(()) => Done::Written(id.to_owned(), "delete"),
            Err(stop) => Done::Not(stop),
        }
    }

    fn remove(&self, planned: &Value, id: &str) -> Result<(), Stop> {
        for last in (0..AGAIN).rev() {
            let read = match self.read(id) {
                // Gone meanwhile, maybe by a request of ours whose answer was lost.
                Err(trouble) if trouble.status() == Some(404) => return Ok(()),
                read => read?,
            };
            if read.rotation["managedBy"] != planned["managedBy"] {
                let why = "another file manages the rotation now; plan again";
                return Err(Failure::Failed(why.into()).into());
            }
            let deleted = self.server.write(&Write {
                method: Method::Delete,
                path: &format!("/v1/rotations/{id}"),
                header: ("If-Match", &read.etag),
                body: None,
            });
            match deleted {
                Err(trouble) if trouble.status() == Some(404) => return Ok(()),
                Err(trouble) if is_stale(&trouble) && last > 0 => {}
                other => return Ok(other.map(drop)?),
            }
        }
        Ok(())
    }
}

/// Whether another write came first.
fn is_stale(trouble: &Trouble) -> bool {
    let codes = ["precondition_failed", "write_conflict", "change_ended"];
    trouble.status() == Some(412) || trouble.code().is_some_and(|code| codes.contains(&code))
}
