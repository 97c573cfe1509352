//! A partner's schedule, and who is on call in it: computed a quarter of an hour at a time, by nothing of the product.

use jiff::civil::{DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};

/// The grid on which layers and hours begin and end.
const STEP: i64 = 15 * 60;

/// A schedule.
#[derive(Clone, Debug)]
pub struct Plan {
    pub name: String,
    /// As the partner writes it.
    pub zone: String,
    /// The city that it means.
    pub city: String,
    /// The uppermost first where only one of them is on call (PagerDuty).
    pub layers: Vec<Layer>,
    pub overrides: Vec<Override>,
    pub forwards: Vec<Forward>,
    /// Shifts that belong to no layer; only shift-based schedules have them.
    pub customs: Vec<Override>,
    /// A shift-based schedule of PagerDuty, which only v3 has.
    pub shift_based: bool,
}

/// A layer or a rotation.
#[derive(Clone, Debug)]
pub struct Layer {
    pub id: String,
    /// Ids of people, or of what `TEAM-x`, `ESC-x` and `NONE` stand for.
    pub people: Vec<String>,
    pub turns: Turns,
    /// The start of the first turn.
    pub anchor: Timestamp,
    pub until: Option<Timestamp>,
    /// Always, if empty.
    pub hours: Vec<Hours>,
}

/// How long turns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Hours that pass.
    Hours(i64),
    /// The same, but hand-overs keep their local times when the clocks change.
    LocalHours(i64),
    Days(i64),
    Weeks(i64),
}

/// When a layer is on call: every day, or from a day of the week on, in local minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    pub day: Option<Weekday>,
    pub from: i64,
    pub minutes: i64,
}

/// Somebody takes over, in all layers or in some; or is on call beside them.
#[derive(Clone, Debug)]
pub struct Override {
    pub id: String,
    /// `NONE` for nobody.
    pub person: String,
    pub from: Timestamp,
    pub until: Timestamp,
    pub layers: Vec<String>,
}

/// Somebody forwards their shifts.
#[derive(Clone, Debug)]
pub struct Forward {
    pub whose: String,
    pub to: String,
    pub from: Timestamp,
    pub until: Timestamp,
}

/// Somebody on call without a break, from one turn of one layer, or by one override.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub from: Timestamp,
    pub until: Timestamp,
    pub person: String,
    pub origin: Origin,
}

/// What a run comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Turn {
        layer: usize,
        number: i64,
    },
    Override(usize),
    Forward {
        layer: usize,
        number: i64,
        rule: usize,
    },
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).expect("an instant")
}

impl Plan {
    /// A schedule of one layer `id-1` of people who take turns of a week from an instant on, in a zone.
    pub fn weekly(id: &str, zone: &str, anchor: &str, people: &[&str]) -> Plan {
        Plan {
            name: format!("Schedule {id}"),
            zone: zone.to_owned(),
            city: zone.to_owned(),
            layers: vec![Layer {
                id: format!("{id}-1"),
                people: people.iter().map(|&id| id.to_owned()).collect(),
                turns: Turns::Weeks(1),
                anchor: anchor.parse().expect("an instant"),
                until: None,
                hours: Vec::new(),
            }],
            overrides: Vec::new(),
            forwards: Vec::new(),
            customs: Vec::new(),
            shift_based: false,
        }
    }

    /// With an override of all layers.
    pub fn override_by(mut self, id: &str, person: &str, from: &str, until: &str) -> Plan {
        self.overrides.push(Override {
            id: id.to_owned(),
            person: person.to_owned(),
            from: from.parse().expect("an instant"),
            until: until.parse().expect("an instant"),
            layers: Vec::new(),
        });
        self
    }

    pub fn tz(&self) -> TimeZone {
        TimeZone::get(&self.city).expect("a zone")
    }

    /// The plan of one layer, without overrides.
    pub fn base(&self, layer: usize, from: Timestamp, until: Timestamp) -> Vec<Run> {
        self.runs(from, until, |instant| {
            let (person, number) = self.turn(layer, instant)?;
            Some((person, Origin::Turn { layer, number }))
        })
    }

    /// Who is on call in one layer in the end.
    pub fn last(&self, layer: usize, from: Timestamp, until: Timestamp) -> Vec<Run> {
        self.runs(from, until, |instant| {
            self.overriding(Some(layer), instant)
                .or_else(|| self.forwarded(layer, instant))
                .or_else(|| {
                    let (person, number) = self.turn(layer, instant)?;
                    Some((person, Origin::Turn { layer, number }))
                })
        })
    }

    /// Who is on call where the uppermost layer with somebody counts.
    pub fn layered(&self, from: Timestamp, until: Timestamp) -> Vec<Run> {
        self.runs(from, until, |instant| {
            self.overriding(None, instant).or_else(|| {
                (0..self.layers.len()).find_map(|layer| {
                    let (person, number) = self.turn(layer, instant)?;
                    Some((person, Origin::Turn { layer, number }))
                })
            })
        })
    }

    /// What forwarding shows for one layer.
    pub fn forwarding(&self, layer: usize, from: Timestamp, until: Timestamp) -> Vec<Run> {
        self.runs(from, until, |instant| self.forwarded(layer, instant))
    }

    fn overriding(&self, layer: Option<usize>, instant: Timestamp) -> Option<(String, Origin)> {
        let concerns = |one: &Override| match layer {
            Some(layer) => one.layers.is_empty() || one.layers.contains(&self.layers[layer].id),
            None => true,
        };
        // The newest counts.
        let found = self.overrides.iter().enumerate().rev();
        let mut found = found.filter(|(_, one)| concerns(one));
        found
            .find(|(_, one)| one.from <= instant && instant < one.until)
            .map(|(number, one)| (one.person.clone(), Origin::Override(number)))
    }

    fn forwarded(&self, layer: usize, instant: Timestamp) -> Option<(String, Origin)> {
        let (person, number) = self.turn(layer, instant)?;
        let rules = self.forwards.iter().enumerate();
        let mut rules = rules.filter(|(_, rule)| rule.whose == person);
        let (rule, forward) =
            rules.find(|(_, rule)| rule.from <= instant && instant < rule.until)?;
        Some((
            forward.to.clone(),
            Origin::Forward {
                layer,
                number,
                rule,
            },
        ))
    }

    /// Whose turn it is in a layer, and which one, if the layer is on call.
    fn turn(&self, layer: usize, instant: Timestamp) -> Option<(String, i64)> {
        let (tz, layer) = (self.tz(), &self.layers[layer]);
        let ended = layer.until.is_some_and(|until| instant >= until);
        if instant < layer.anchor || ended || layer.people.is_empty() {
            return None;
        }
        let local = tz.to_datetime(instant);
        if !layer.hours.is_empty() && !layer.hours.iter().any(|hours| hours.contain(local)) {
            return None;
        }
        let number = layer.number(instant, &tz);
        let place = number.rem_euclid(layer.people.len() as i64);
        Some((layer.people[place as usize].clone(), number))
    }

    /// Looks at every quarter of an hour, and at the edges of overrides.
    fn runs(
        &self,
        from: Timestamp,
        until: Timestamp,
        who: impl Fn(Timestamp) -> Option<(String, Origin)>,
    ) -> Vec<Run> {
        let first = from.as_second() / STEP * STEP;
        let grid = (first..until.as_second()).step_by(STEP as usize).map(at);
        let edges = (self.overrides.iter()).flat_map(|one| [one.from, one.until]);
        let more = (self.forwards.iter()).flat_map(|one| [one.from, one.until]);
        let mut instants: Vec<Timestamp> = grid.chain(edges).chain(more).chain([from]).collect();
        instants.retain(|instant| (from..until).contains(instant));
        instants.sort();
        instants.dedup();
        let mut runs: Vec<Run> = Vec::new();
        for (place, &instant) in instants.iter().enumerate() {
            let end = instants.get(place + 1).copied().unwrap_or(until);
            let Some((person, origin)) = who(instant) else {
                continue;
            };
            match runs.last_mut() {
                Some(run)
                    if run.until == instant && run.origin == origin && run.person == person =>
                {
                    run.until = end;
                }
                _ => runs.push(Run {
                    from: instant,
                    until: end,
                    person,
                    origin,
                }),
            }
        }
        runs
    }

    /// How far before and after a span a run may reach.
    pub fn longest(&self) -> SignedDuration {
        let length = |layer: &Layer| match layer.turns {
            Turns::Hours(n) => n,
            Turns::LocalHours(n) => n + 2,
            Turns::Days(n) => 24 * n + 2,
            Turns::Weeks(n) => 7 * 24 * n + 2,
        };
        let hours = self.layers.iter().map(length).max().unwrap_or(0);
        SignedDuration::from_hours(hours)
    }
}

impl Layer {
    /// Which turn an instant lies in, from 0.
    fn number(&self, instant: Timestamp, tz: &TimeZone) -> i64 {
        let days = match self.turns {
            Turns::Hours(n) => {
                let passed = instant.as_second() - self.anchor.as_second();
                return passed.div_euclid(n * 3600);
            }
            Turns::LocalHours(n) => {
                let local = |at: Timestamp| tz.to_datetime(at);
                let passed = local(instant).duration_since(local(self.anchor));
                return passed.as_secs().div_euclid(n * 3600);
            }
            Turns::Days(n) => n,
            Turns::Weeks(n) => 7 * n,
        };
        let anchor = tz.to_datetime(self.anchor);
        let begins = |number: i64| {
            let local: DateTime = anchor + Span::new().days(number * days);
            tz.to_timestamp(local).expect("an instant")
        };
        let passed = (tz.to_datetime(instant).date() - anchor.date()).get_days();
        let mut number = i64::from(passed) / days + 1;
        while begins(number) > instant {
            number -= 1;
        }
        number
    }
}

impl Hours {
    fn contain(self, local: DateTime) -> bool {
        let minutes = |time: Time| i64::from(time.hour()) * 60 + i64::from(time.minute());
        let (now, begins, period) = match self.day {
            None => (minutes(local.time()), self.from, 24 * 60),
            Some(day) => {
                let of = |day: Weekday| i64::from(day.to_monday_zero_offset()) * 24 * 60;
                let now = of(local.date().weekday()) + minutes(local.time());
                (now, of(day) + self.from, 7 * 24 * 60)
            }
        };
        (now - begins).rem_euclid(period) < self.minutes
    }
}
