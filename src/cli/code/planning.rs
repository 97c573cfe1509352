//! What files would change: matches their rotations with the server's, and asks the server for the plan.

use super::super::Failure;
use super::directory::Directory;
use super::edit::{self, NoEdit};
use super::fault::Fault;
use super::file::{Entry, Files};
use super::plan_id;
use super::progress::Progress;
use super::server::{Server, Trouble, sentence};
use super::subject::{Subject, Waits, When};
use super::written::text;
use crate::client::encode;
use crate::wire::moment::parse_instant;
use serde_json::{Map, Value, json};

/// What to plan.
pub struct Asked {
    pub days: u16,
    pub at: When,
    pub prune: bool,
    pub take_over: bool,
}

/// What files would change.
pub struct Plan {
    pub id: String,
    pub subjects: Vec<Subject>,
    /// Rotations to delete.
    pub pruned: Vec<Value>,
    /// Rotations that only the server has and that stay.
    pub others: Vec<Value>,
}

impl Plan {
    pub fn changes_nothing(&self) -> bool {
        self.pruned.is_empty()
            && self
                .subjects
                .iter()
                .all(|subject| subject.action() == "none")
    }

    /// What the server refuses of it, a line each.
    pub fn refusals(&self) -> Vec<String> {
        self.subjects.iter().flat_map(Subject::refusals).collect()
    }

    /// As `--json` prints it.
    pub fn json(&self) -> Value {
        let items: Vec<&Value> = self.subjects.iter().map(|subject| &subject.item).collect();
        json!({ "planId": self.id, "rotations": items })
    }
}

/// Everything that is wrong, a line each, as one failure.
pub fn failed<T: ToString>(lines: &[T]) -> Failure {
    let lines: Vec<String> = lines.iter().map(T::to_string).collect();
    Failure::Failed(lines.join("\n"))
}

/// Makes the plan.
///
/// # Errors
/// What is wrong in the files, or why the server could not be asked. Refusals of the server stand in the plan.
pub fn plan(
    server: &Server,
    directory: &Directory,
    files: Files,
    asked: &Asked,
) -> Result<Plan, Failure> {
    if asked.prune && asked.at != When::Now {
        return Err(Failure::Failed(
            "--prune deletes at once: leave --at out, or apply without --prune".into(),
        ));
    }
    let there = server.list("/v1/rotations")?;
    let matched =
        matched(files.entries, &there, asked.take_over).map_err(|wrong| failed(&wrong))?;
    let mut progress = Progress::new("reading", matched.len());
    let (mut subjects, mut wrong) = (Vec::new(), Vec::new());
    for (entry, rotation) in matched {
        progress.step();
        match edit::edit(&entry, rotation, directory, false) {
            Ok(edit) => subjects.push(Subject {
                replaces: waiting(server, &entry, rotation)?,
                rotation: rotation.cloned(),
                edit,
                item: Value::Null,
                entry,
            }),
            Err(NoEdit::Wrong(faults)) => wrong.extend(faults),
            Err(NoEdit::Trouble(trouble)) => return Err(trouble.into()),
        }
    }
    drop(progress);
    wrong.extend(subjects.iter().filter_map(without_owner));
    if !wrong.is_empty() {
        return Err(failed(&wrong));
    }
    ask(server, &mut subjects, asked)?;
    keep_waiting(server, &mut subjects, asked)?;
    let is_named = |rotation: &Value| {
        let mut own = subjects
            .iter()
            .filter_map(|subject| subject.rotation.as_ref());
        own.any(|known| known["id"] == rotation["id"])
    };
    let (pruned, others): (Vec<Value>, Vec<Value>) = there
        .iter()
        .filter(|rotation| !is_named(rotation))
        .cloned()
        .partition(|rotation| {
            let manager = text(rotation, "managedBy");
            asked.prune && manager.is_some_and(|manager| files.managers.contains(manager))
        });
    Ok(Plan {
        id: plan_id::of(&subjects, &pruned, &asked.at),
        subjects,
        pruned,
        others,
    })
}

/// Each entry with the server's rotation.
fn matched(
    entries: Vec<Entry>,
    there: &[Value],
    take_over: bool,
) -> Result<Vec<(Entry, Option<&Value>)>, Vec<Fault>> {
    let mut found: Vec<(Entry, Option<&Value>)> = Vec::new();
    let mut wrong = Vec::new();
    for entry in entries {
        let rotation = match (&entry.id, &entry.code) {
            (Some(id), _) => {
                let rotation = there.iter().find(|rotation| rotation["id"] == *id.text);
                if rotation.is_none() {
                    let what = format!("there is no rotation `{}` that the key sees", id.text);
                    wrong.push(entry.fault(id.line, "id", what));
                }
                rotation
            }
            (None, Some(Some(code))) => {
                there.iter().find(|rotation| rotation["code"] == *code.text)
            }
            (None, _) => None,
        };
        let first = rotation.and_then(|rotation| {
            let same = |known: &&(Entry, Option<&Value>)| {
                known.1.is_some_and(|known| known["id"] == rotation["id"])
            };
            found.iter().find(same)
        });
        if let Some((first, _)) = first {
            let what = format!(
                "this rotation stands at {} already; it has one entry",
                first.place
            );
            wrong.push(entry.fault(entry.place.line, "code", what));
        }
        let manager = rotation.and_then(|rotation| text(rotation, "managedBy"));
        let own = entry.managed_by.as_ref().and_then(Option::as_deref);
        if let Some(manager) = manager
            && own != Some(manager)
            && !take_over
        {
            let what = format!(
                "`{manager}` manages it on the server; --take-over takes it, or write managed_by = \"{manager}\""
            );
            wrong.push(entry.fault(entry.line("managed_by"), "managed_by", what));
        }
        found.push((entry, rotation));
    }
    match wrong.is_empty() {
        true => Ok(found),
        false => Err(wrong),
    }
}

/// Changes of the same manager that wait: the newest file holds.
pub fn waiting(
    server: &Server,
    entry: &Entry,
    rotation: Option<&Value>,
) -> Result<Vec<Waits>, Trouble> {
    let manager = entry.managed_by.as_ref().and_then(Option::as_deref);
    let id = rotation.and_then(|rotation| text(rotation, "id"));
    let (Some(manager), Some(id)) = (manager, id) else {
        return Ok(Vec::new());
    };
    let path = format!(
        "/v1/rotations/{id}/changes?state=waiting&managedBy={}",
        encode(manager)
    );
    let items = server.list(&path)?;
    let waits = |item: &Value| {
        Some(Waits {
            id: text(item, "id")?.to_owned(),
            at: text(item, "at").and_then(parse_instant),
        })
    };
    Ok(items.iter().filter_map(waits).collect())
}

fn without_owner(subject: &Subject) -> Option<Fault> {
    let owners = subject.entry.owners.as_ref();
    let has_none = subject.rotation.is_none() && owners.is_none_or(Vec::is_empty);
    has_none.then(|| {
        let what = "missing; a new rotation needs an owner: write owners = [\"ana@example.org\"]";
        subject
            .entry
            .fault(subject.entry.place.line, "owners", what)
    })
}

/// What one request holds at the most.
const ROTATIONS: usize = 200;
const BYTES: usize = 900 * 1024;

/// Has the server plan: those that it has at the instant asked for, new ones now.
fn ask(server: &Server, subjects: &mut [Subject], asked: &Asked) -> Result<(), Failure> {
    for is_new in [false, true] {
        let at = if is_new { &When::Now } else { &asked.at };
        let indexes = 0..subjects.len();
        let of_kind = indexes.filter(|index| subjects[*index].rotation.is_none() == is_new);
        let items = of_kind.map(|index| (index, item(&subjects[index], None)));
        let items: Vec<(usize, Value)> = items.collect();
        for (index, answered) in ask_for(server, subjects, items, at, asked.days)? {
            subjects[index].item = answered;
        }
    }
    Ok(())
}

/// Has the server plan items of subjects, in as few requests as they fit into.
fn ask_for(
    server: &Server,
    subjects: &[Subject],
    items: Vec<(usize, Value)>,
    at: &When,
    days: u16,
) -> Result<Vec<(usize, Value)>, Failure> {
    let mut progress = Progress::new("planning", items.len());
    let mut answers = Vec::with_capacity(items.len());
    let mut send = |chunk: Vec<(usize, Value)>| -> Result<(), Failure> {
        if chunk.is_empty() {
            return Ok(());
        }
        let (indexes, items): (Vec<usize>, Vec<Value>) = chunk.into_iter().unzip();
        let entries: Vec<&Entry> = indexes
            .iter()
            .map(|index| &subjects[*index].entry)
            .collect();
        let answered = post(server, &entries, items, at, days)?;
        answers.extend(indexes.into_iter().zip(answered));
        Ok(())
    };
    let (mut chunk, mut bytes) = (Vec::new(), 0);
    for (index, item) in items {
        let size = item.to_string().len();
        if chunk.len() == ROTATIONS || (bytes + size > BYTES && !chunk.is_empty()) {
            send(std::mem::take(&mut chunk))?;
            bytes = 0;
        }
        bytes += size;
        chunk.push((index, item));
        progress.step();
    }
    send(chunk)?;
    Ok(answers)
}

/// A rotation of POST plan. All waiting changes that give way are replaced `except` one.
fn item(subject: &Subject, except: Option<usize>) -> Value {
    let mut item = subject.edit.body.clone();
    let rotation = subject.rotation.as_ref();
    match rotation.and_then(|rotation| text(rotation, "id")) {
        Some(id) => item.insert("rotationId".into(), id.into()),
        None => {
            let code = subject.entry.code.clone().flatten();
            item.insert("code".into(), code.map(|named| named.text).into())
        }
    };
    let replaces = subject.replaced(except);
    if !replaces.is_empty() {
        item.insert("replaces".into(), replaces.into());
    }
    item.into()
}

/// Sends POST plan; a refusal of it is told with the place of the entry that it is about.
fn post(
    server: &Server,
    entries: &[&Entry],
    items: Vec<Value>,
    at: &When,
    days: u16,
) -> Result<Vec<Value>, Failure> {
    let count = items.len();
    let body = json!({ "rotations": items, "days": days, "at": at.sent() });
    let reply = server.ask("/v1/plan", &body).map_err(|trouble| {
        let Trouble::Refused { status, problem } = &trouble else {
            return trouble.into();
        };
        let detail = text(problem, "detail").unwrap_or_default();
        let about = detail.strip_prefix("rotations[").and_then(|rest| {
            let (index, rest) = rest.split_once(']')?;
            let entry = entries.get(index.parse::<usize>().ok()?)?;
            Some((*entry, rest.trim_start_matches('.')))
        });
        match about {
            Some((entry, rest)) => {
                let mut problem = problem.clone();
                problem["detail"] = rest.into();
                Failure::Failed(entry.located(rest, &sentence(*status, &problem)))
            }
            None => trouble.into(),
        }
    })?;
    match reply.body["rotations"].as_array() {
        Some(items) if items.len() == count => Ok(items.clone()),
        _ => Err(Failure::Failed(
            "POST /v1/plan: the answer is not one of this API".into(),
        )),
    }
}

/// A waiting change of the same manager that makes at the same instant what the file says is left as it is.
fn keep_waiting(server: &Server, subjects: &mut [Subject], asked: &Asked) -> Result<(), Failure> {
    let mut is_kept = vec![false; subjects.len()];
    for nth in 0.. {
        let all = subjects.iter().enumerate();
        let open = all.filter(|(index, _)| !is_kept[*index]);
        let tries = open.filter_map(|(index, subject)| {
            let same = same_instant(subject).nth(nth)?;
            Some((index, same))
        });
        let tries: Vec<(usize, usize)> = tries.collect();
        if tries.is_empty() {
            break;
        }
        let items = tries.iter().map(|(index, same)| {
            let item = item(&subjects[*index], Some(*same));
            (*index, item)
        });
        let answers = ask_for(server, subjects, items.collect(), &asked.at, asked.days)?;
        for ((index, answered), (_, same)) in answers.into_iter().zip(tries) {
            let subject = &mut subjects[index];
            let before = std::mem::replace(&mut subject.item, answered);
            if subject.action() == "none" || subject.only_cancels() {
                subject.replaces.remove(same);
                is_kept[index] = true;
            } else {
                subject.item = before;
            }
        }
    }
    Ok(())
}

/// Which of the changes that give way wait for the instant at which the file's would be made.
fn same_instant(subject: &Subject) -> impl Iterator<Item = usize> {
    let refusals = subject.item["refusals"].as_array();
    let is_refused = refusals.is_some_and(|all| !all.is_empty());
    let at = text(&subject.item, "at").and_then(parse_instant);
    let at = at.filter(|_| !is_refused && subject.rotation.is_some());
    let all = subject.replaces.iter().enumerate();
    let same = all.filter(move |(_, waits)| at.is_some() && waits.at == at);
    same.map(|(index, _)| index)
}

/// Plans one rotation anew, as it is now; for a write that found it changed.
///
/// # Errors
/// As [`plan`]; refusals too.
pub fn again(
    server: &Server,
    directory: &Directory,
    subject: &Subject,
    rotation: Value,
    asked: &Asked,
) -> Result<Subject, Failure> {
    let entry = subject.entry.clone();
    let edit = match edit::edit(&entry, Some(&rotation), directory, false) {
        Ok(edit) => edit,
        Err(NoEdit::Wrong(faults)) => return Err(failed(&faults)),
        Err(NoEdit::Trouble(trouble)) => return Err(trouble.into()),
    };
    let fresh = Subject {
        replaces: waiting(server, &entry, Some(&rotation))?,
        rotation: Some(rotation),
        edit,
        item: Value::Null,
        entry,
    };
    let mut fresh = [fresh];
    ask(server, &mut fresh, asked)?;
    keep_waiting(server, &mut fresh, asked)?;
    let [fresh] = fresh;
    Ok(fresh)
}

/// The body of POST changes.
pub fn change(subject: &Subject, edit: Map<String, Value>, at: &str, operation: &str) -> Value {
    let mut body = edit;
    body.insert("operationId".into(), operation.into());
    body.insert("at".into(), at.into());
    if let Some(Some(manager)) = &subject.entry.managed_by {
        body.insert("managedBy".into(), manager.clone().into());
    }
    let replaces = subject.replaced(None);
    if !replaces.is_empty() {
        body.insert("replaces".into(), replaces.into());
    }
    body.into()
}
