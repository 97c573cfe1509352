//! The model's grid of a rotation.

use super::model::{Model, Window};
use super::ops::Grid;
use super::time::{Cadence, DAY, HOUR, Hours, Minute};
use super::walk::Walk;
use crate::actions::tests::*;
use crate::domain::coverage::Stretch;
use crate::domain::time::HhMm;
use jiff::civil::Weekday;

/// The maximum number of lanes here.
const MOST_LANES: usize = 3;

/// Changes the model's grid.
pub fn regrid(model: &mut Model, change: Grid) {
    let mut lanes = model.lanes.clone();
    match change {
        Grid::AddLane if lanes.len() < MOST_LANES => {
            lanes.push(model.next_key);
            model.next_key += 1;
        }
        Grid::DropLane(which) if lanes.len() > 1 => {
            lanes.remove(which % lanes.len());
        }
        Grid::AddLane | Grid::DropLane(_) => (),
        Grid::SwapLanes => lanes.reverse(),
        Grid::Double(double) => model.double_cover = double,
        Grid::Hours(which, hours) => {
            let which = which % model.windows.len();
            if model.windows[which].cadence.is_some() {
                model.windows[which].hours = hours;
            }
        }
        Grid::Cadence(which, day) => {
            let (which, now) = (which % model.windows.len(), model.now);
            if let Some(cadence) = &mut model.windows[which].cadence {
                *cadence = Cadence::Counted {
                    times: vec![12 * HOUR],
                    period: 1,
                    starts: now - now.rem_euclid(DAY) + day * DAY + 12 * HOUR,
                };
            }
        }
    }
    model.lay_out(lanes);
}

fn hh_mm(at: Minute) -> HhMm {
    let at = at.rem_euclid(DAY);
    HhMm::parse(&format!("{:02}:{:02}", at / HOUR, at % HOUR)).expect("a time")
}

fn coverage(hours: &Hours) -> Vec<Stretch> {
    let day = |at: Minute| {
        let day = at.div_euclid(DAY) % 7;
        Weekday::from_monday_zero_offset(day as i8).expect("a day")
    };
    let stretches = hours.stretches().into_iter();
    stretches
        .map(|stretch| Stretch {
            start_day: day(stretch.from),
            start_time: hh_mm(stretch.from),
            end_day: day(stretch.until),
            end_time: hh_mm(stretch.until),
        })
        .collect()
}

impl Walk<'_> {
    fn window(&self, index: usize, window: &Window) -> WindowSpec {
        let utc = ZoneName::parse("UTC").expect("a zone");
        let cadence = window.cadence.as_ref().map(|cadence| {
            let Cadence::Counted {
                times,
                period,
                starts,
            } = cadence
            else {
                panic!("hand-overs that are not counted");
            };
            let kind = if times.is_empty() {
                Kind::DayOfWeek
            } else {
                Kind::Daily {
                    times: times.iter().map(|time| hh_mm(*time)).collect(),
                }
            };
            crate::domain::cadence::Cadence {
                kind,
                zone: utc,
                starts_at: self.instant(*starts),
                period: *period as u32,
                skips: Skips::default(),
            }
        });
        let id = self.windows.get(index).cloned();
        WindowSpec {
            handle: HandleSpec::id(&id.unwrap_or_else(|| format!("window{index}"))),
            name: None,
            zone: cadence
                .as_ref()
                .map_or(ZoneSpec::Empty, |_| ZoneSpec::Named(utc)),
            coverage: coverage(&window.hours),
            cadence: cadence.map_or(CadenceSpec::Manual, CadenceSpec::Timed),
        }
    }

    /// Gives the rotation the model's grid, and records the new ids.
    pub fn replace_grid(&mut self) -> Result<Rotation, ActionError> {
        let lane = |key: &usize| {
            let known = self.lanes.get(*key).cloned().flatten();
            known.unwrap_or_else(|| format!("lane{key}"))
        };
        let lanes: Vec<String> = self.model.lanes.iter().map(lane).collect();
        let windows = self.model.windows.iter().enumerate();
        let windows: Vec<WindowSpec> = windows
            .map(|(index, window)| self.window(index, window))
            .collect();
        let mut cells = Vec::new();
        for window in &windows {
            for lane in &lanes {
                cells.push(CellSpec {
                    id: None,
                    lane: lane.clone(),
                    window: window.handle.id.clone().expect("a name"),
                    roster: None,
                });
            }
        }
        let spec = GridSpec {
            lanes: lanes
                .into_iter()
                .map(|id| LaneSpec {
                    handle: HandleSpec::id(&id),
                    name: Some(None),
                })
                .collect(),
            windows: Some(windows),
            cells,
            double_cover: self.model.double_cover,
            rosters: Vec::new(),
        };
        let any = Precondition::Any;
        let laid = write(self.app, &caller(), &self.id, &any, ReplaceCoverage(spec))?;
        let known = self.model.lanes.iter().zip(&laid.lanes);
        for (key, lane) in known {
            set(&mut self.lanes, *key, lane.id.to_string());
        }
        self.windows = laid
            .windows
            .iter()
            .map(|window| window.id.to_string())
            .collect();
        for (cell, stored) in self.model.cells.iter().zip(&laid.cells) {
            set(&mut self.cells, cell.key, stored.id.to_string());
        }
        Ok(laid)
    }
}

fn set(list: &mut Vec<Option<String>>, key: usize, id: String) {
    if list.len() <= key {
        list.resize(key + 1, None);
    }
    list[key] = Some(id);
}
