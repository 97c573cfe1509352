//! Compares the rotation with its model, interval by interval, so that they agree at every minute.

use super::agree::{kind, state_name};
use super::model::{Cell, Key, Kind, Past, State, Who};
use super::time::{Minute, Span};
use super::walk::{Outcome, Walk, fail, person};
use crate::actions::tests::*;
use crate::domain::arrangement::ArrangementKind;
use crate::domain::resolve;
use proptest::test_runner::TestCaseError;

/// A period with one person, or nobody, on call, and the arrangement: ids as readers see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spell {
    pub span: Span,
    pub who: Option<String>,
    pub arrangement: Option<String>,
}

/// A cell with its periods.
pub type CellSpells = (Key, Vec<Spell>);

/// The periods of a cell in a range, in order, with equal neighbours merged. A gap is an error.
fn chain(mut spells: Vec<Spell>, range: Span) -> Result<Vec<Spell>, TestCaseError> {
    spells.sort_by_key(|spell| spell.span);
    let mut chain: Vec<Spell> = Vec::new();
    for spell in spells {
        if spell.span.from >= spell.span.until {
            return fail(format!("lasts no time: {spell:?}"));
        }
        let Some(span) = spell.span.meets(range) else {
            continue;
        };
        match chain.last_mut() {
            Some(last) if last.span.until != span.from => {
                return fail(format!(
                    "a hole or an overlap between {last:?} and {spell:?}"
                ));
            }
            Some(last) if (&last.who, &last.arrangement) == (&spell.who, &spell.arrangement) => {
                last.span.until = span.until;
            }
            _ => chain.push(Spell { span, ..spell }),
        }
    }
    Ok(chain)
}

impl Walk<'_> {
    pub fn stored_version(&self) -> u64 {
        let rotation = reads::rotation(self.app, &caller(), &self.id);
        rotation.expect("the rotation").stamps.version
    }

    fn key_of(&self, cell: &str) -> Key {
        let known = self
            .cells
            .iter()
            .position(|known| known.as_deref() == Some(cell));
        known.expect("a known cell")
    }

    fn arrangement_id(&self, index: usize) -> String {
        self.arrangements[index].clone()
    }

    /// The model's history of a cell in a range.
    fn remembered(&self, cell: &Cell, range: Span) -> Result<Vec<Spell>, TestCaseError> {
        let ends = cell.history.iter().skip(1).map(|past| past.from);
        let ends = ends.chain([cell.ended.unwrap_or(Minute::MAX)]);
        let spell = |(past, until): (&Past, Minute)| Spell {
            span: Span {
                from: past.from,
                until,
            },
            who: past.who.map(|who| person(who).to_string()),
            arrangement: past.arrangement.map(|index| self.arrangement_id(index)),
        };
        chain(cell.history.iter().zip(ends).map(spell).collect(), range)
    }

    /// The schedule of a range, by cell.
    pub fn planned(&self, range: Span) -> Result<Vec<CellSpells>, TestCaseError> {
        let interval = self.interval(range);
        let planned = duties::schedule(
            self.app,
            &caller(),
            &self.id,
            interval,
            &duties::PlanFilter::default(),
        );
        let (rotation, turns) = planned.expect("a plan");
        let of_cell = |index: usize| {
            let turns = turns.iter().filter(|turn| turn.slot == Some(index));
            let spells = turns.map(|turn| Spell {
                span: self.span(turn.entry.start, turn.end),
                who: turn.entry.user.as_ref().map(ToString::to_string),
                arrangement: turn.entry.arrangement.as_ref().map(ToString::to_string),
            });
            let key = self.key_of(rotation.cells[index].id.as_str());
            Ok((key, chain(spells.collect(), range)?))
        };
        (0..rotation.cells.len()).map(of_cell).collect()
    }

    fn span(&self, from: Timestamp, until: Option<Timestamp>) -> Span {
        Span {
            from: self.minute(from),
            until: until.map_or(Minute::MAX, |until| self.minute(until)),
        }
    }

    /// The history, by cell.
    fn recorded(&self, range: Span) -> Result<Vec<CellSpells>, TestCaseError> {
        let interval = self.interval(range);
        let entries = duties::history(self.app, &caller(), &self.id, interval).expect("a record");
        let mut cells: Vec<CellSpells> = Vec::new();
        for entry in entries {
            let key = self.key_of(entry.cell.as_str());
            let spell = Spell {
                span: self.span(entry.entry.start, entry.end),
                who: entry.entry.user.map(|user| user.to_string()),
                arrangement: entry.entry.arrangement.map(|id| id.to_string()),
            };
            match cells.iter_mut().find(|(known, _)| *known == key) {
                Some((_, spells)) => spells.push(spell),
                None => cells.push((key, vec![spell])),
            }
        }
        let chained = cells
            .into_iter()
            .map(|(key, spells)| Ok((key, chain(spells, range)?)));
        let mut cells = chained.collect::<Result<Vec<_>, TestCaseError>>()?;
        cells.sort_by_key(|(key, _)| *key);
        Ok(cells)
    }

    /// Compares schedule, history and model for the time since the last comparison.
    fn compare_plans(&mut self) -> Outcome {
        for (range, planned) in std::mem::take(&mut self.plans) {
            let recorded = self.recorded(range)?;
            for (key, spells) in planned {
                let cells = self.model.cells.iter().chain(&self.model.dropped);
                let cell = cells.into_iter().find(|cell| cell.key == key);
                let model = self.remembered(cell.expect("a cell"), range)?;
                let record = recorded.iter().find(|(known, _)| *known == key);
                let record = record.map_or(&[][..], |(_, record)| record);
                if spells != model || record != model {
                    return fail(format!(
                        "cell {key} in {range:?}\n  planned {spells:?}\n recorded {record:?}\n    model {model:?}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Compares the current state of the rotation.
    pub fn compare(&mut self) -> Outcome {
        due::catch_up_all(self.app).expect("catching up");
        self.overdue = false;
        self.compare_plans()?;
        let rotation = reads::rotation(self.app, &caller(), &self.id).expect("the rotation");
        let model = &self.model;
        let name = |who: Who| person(who).to_string();
        let mut found = Vec::new();
        let mut foreseen = Vec::new();
        for (place, cell) in rotation.cells.iter().enumerate() {
            let holder = cell.holder.as_ref();
            let on_call = resolve::on_call(&rotation, cell);
            let passed = cell.passed_over.iter();
            found.push((
                cell.id.to_string(),
                holder.map(|holder| {
                    let skipped = holder
                        .skipped
                        .iter()
                        .map(|skipped| skipped.user.to_string());
                    let skipped: Vec<String> = skipped.collect();
                    (holder.user.to_string(), self.minute(holder.since), skipped)
                }),
                passed
                    .map(|passed| (passed.user.to_string(), passed.cell.to_string()))
                    .collect::<Vec<_>>(),
                on_call.map(|hold| hold.user().to_string()),
                on_call
                    .and_then(|hold| hold.arrangement())
                    .map(|id| id.to_string()),
            ));
            let cell = &model.cells[place];
            let (who, arrangement) = model.on_call(cell);
            foreseen.push((
                self.cell_id(cell.key).to_string(),
                cell.holder.map(|(who, since)| {
                    let skipped = cell.skipped.iter().map(|who| name(*who)).collect();
                    (name(who), since, skipped)
                }),
                cell.passed
                    .iter()
                    .map(|(who, key)| (name(*who), self.cell_id(*key).to_string()))
                    .collect::<Vec<_>>(),
                who.map(name),
                arrangement.map(|index| self.arrangement_id(index)),
            ));
        }
        if found != foreseen {
            return fail(format!("{found:?}, foreseen {foreseen:?}"));
        }
        let members: Vec<String> = model.members.iter().map(|who| name(*who)).collect();
        let pending = model.requests.iter().zip(&self.requests);
        let pending = pending.filter(|(request, _)| request.state == State::Pending);
        let pending: Vec<String> = pending.map(|(_, id)| id.clone()).collect();
        let foreseen = (
            self.version,
            model.enabled(),
            model.next_turns.clone(),
            members,
            model.windows.iter().map(|window| window.open).collect(),
            pending,
        );
        let users = rotation.members.users.iter().map(ToString::to_string);
        let asked = rotation
            .pending
            .iter()
            .map(|request| request.id.to_string());
        let found = (
            rotation.stamps.version,
            rotation.enabled,
            rotation.rosters[0]
                .next_turns
                .iter()
                .map(|next| next.turn)
                .collect::<Vec<_>>(),
            users.collect::<Vec<_>>(),
            rotation
                .windows
                .iter()
                .map(|window| window.open)
                .collect::<Vec<_>>(),
            asked.collect::<Vec<_>>(),
        );
        if found != foreseen {
            return fail(format!("{found:?}, foreseen {foreseen:?}"));
        }
        self.see(&rotation)
    }

    /// Compares the whole history, every arrangement and every request.
    pub fn compare_records(&self) -> Outcome {
        let all = Span {
            from: 0,
            until: self.model.now + 1,
        };
        let recorded = self.recorded(all)?;
        let mut foreseen = Vec::new();
        for cell in self.model.cells.iter().chain(&self.model.dropped) {
            foreseen.push((cell.key, self.remembered(cell, all)?));
        }
        foreseen.retain(|(_, spells)| !spells.is_empty());
        foreseen.sort_by_key(|(key, _)| *key);
        if recorded != foreseen {
            return fail(format!("recorded {recorded:?}\nforeseen {foreseen:?}"));
        }
        let far = Interval {
            from: self.instant(-1_000_000),
            until: self.instant(1_000_000),
        };
        let whole = Page {
            number: 1,
            size: u32::MAX,
        };
        let (stored, _) =
            arrangements::list(self.app, &caller(), &self.id, far, whole).expect("arrangements");
        let mut found: Vec<_> = stored
            .into_iter()
            .map(|stored| {
                let span = self.span(stored.period.from, Some(stored.period.until));
                let kind = match stored.kind {
                    ArrangementKind::DirectAssignment => Kind::Direct,
                    ArrangementKind::AcceptedCover => Kind::Cover,
                    ArrangementKind::SwapLeg => Kind::Swap,
                };
                (
                    stored.id.to_string(),
                    (stored.cell.to_string(), stored.user.to_string(), span),
                    (format!("{kind:?}"), stored.cancelled, stored.revision),
                )
            })
            .collect();
        found.sort();
        let known = self.model.arrangements.iter().zip(&self.arrangements);
        let mut foreseen: Vec<_> = known
            .map(|(known, id)| {
                let cell = self.cell_id(known.cell).to_string();
                (
                    id.clone(),
                    (cell, person(known.who).to_string(), known.span),
                    (format!("{:?}", known.kind), known.cancelled, known.revision),
                )
            })
            .collect();
        foreseen.sort();
        if found != foreseen {
            return fail(format!("stored {found:?}\nforeseen {foreseen:?}"));
        }
        self.compare_requests()
    }

    fn compare_requests(&self) -> Outcome {
        for (known, id) in self.model.requests.iter().zip(&self.requests) {
            let kind = kind(known.is_cover());
            let stored = self
                .app
                .store()
                .read(|tx| store::load_request(tx, &self.id, kind, &id.as_str().into()));
            let stored = stored.expect("requests").expect("the request");
            let accepted = stored.accepted_by.map(|user| user.to_string());
            let found = (stored.state.name(), stored.revision, accepted);
            let accepted = known.accepted_by.map(|who| person(who).to_string());
            let foreseen = (state_name(known.state), known.revision, accepted);
            let declined: Vec<_> = stored.declined.iter().map(ToString::to_string).collect();
            let declining: Vec<_> = known.declined.iter().map(|who| format!("U{who}")).collect();
            if found != foreseen || declined != declining {
                return fail(format!("{id}: {found:?}, foreseen {foreseen:?}"));
            }
        }
        Ok(())
    }
}
