//! Random worlds of swaps on the real binary: offers, answers, absences, people who leave and join, and time, compared with a
//! model that only knows who has which day.

use crate::record::walk::Dice;
use crate::support::*;
use jiff::ToSpan;
use serde_json::json;

/// The number of days for which the schedule is compared, and the limit for offered shifts.
const AHEAD: i64 = 8;

/// Everyone who is or may become a member.
const PEOPLE: usize = 6;

/// The hand-over of a day; day 0 is the Monday of the tests, an hour after they begin.
fn hand_over(day: i64) -> String {
    short(at("2026-01-05T09:00Z") + (24 * day).hours())
}

fn name(person: usize) -> String {
    format!("U{}", person + 1)
}

/// A person who is away from 06:00 of the first day to 06:00 of the other.
struct Absence {
    who: usize,
    from: i64,
    until: i64,
}

/// A day that a person has by a swap.
struct Swapped {
    day: i64,
    who: usize,
    by: usize,
}

struct Swap {
    requester: usize,
    recipient: usize,
    /// Each leg's day and holder.
    legs: [(i64, usize); 2],
    state: &'static str,
}

/// One slot, handed over daily; now is always noon.
struct Model {
    today: i64,
    members: Vec<usize>,
    next: usize,
    holder: usize,
    absences: Vec<Absence>,
    swapped: Vec<Swapped>,
    swaps: Vec<Swap>,
}

impl Model {
    fn is_away(&self, who: usize, day: i64) -> bool {
        let away = |a: &Absence| a.who == who && a.from <= day && day < a.until;
        self.absences.iter().any(away)
    }

    /// Who is dealt a day from a next turn, and the next turn after it; `None` if everyone is away.
    fn deal(&self, next: usize, day: i64) -> Option<(usize, usize)> {
        let many = self.members.len();
        let mut turns = (0..many).map(|step| (next + step) % many);
        let turn = turns.find(|turn| !self.is_away(self.members[*turn], day))?;
        Some((self.members[turn], (turn + 1) % many))
    }

    /// Who is dealt each day from today on; `None` if a day would find nobody, which these worlds avoid.
    fn dealt(&self) -> Option<Vec<usize>> {
        let (mut days, mut next) = (vec![self.holder], self.next);
        for day in self.today + 1..=self.today + 3 * AHEAD {
            let (who, then) = self.deal(next, day)?;
            days.push(who);
            next = then;
        }
        Some(days)
    }

    /// Who has a day, as planned.
    fn has(&self, day: i64) -> usize {
        let swapped = self.swapped.iter().find(|swapped| swapped.day == day);
        let dealt = || self.dealt().expect("people")[(day - self.today) as usize];
        swapped.map_or_else(dealt, |swapped| swapped.who)
    }

    /// Offers expire once their day is over or no longer their giver's.
    fn expire(&mut self) {
        for index in 0..self.swaps.len() {
            let lost = |&(day, who): &(i64, usize)| day < self.today || self.has(day) != who;
            if self.swaps[index].state == "pending" && self.swaps[index].legs.iter().any(lost) {
                self.swaps[index].state = "expired";
            }
        }
    }

    fn pass(&mut self, days: i64) {
        for _ in 0..days {
            self.today += 1;
            (self.holder, self.next) = self.deal(self.next, self.today).expect("people");
        }
        self.swapped.retain(|swapped| swapped.day >= self.today);
        self.expire();
    }

    fn offer(&mut self, swap: Swap) -> u16 {
        let [(_, one), (_, other)] = swap.legs;
        let theirs = [swap.requester, swap.recipient];
        let wrong = |&(day, who): &(i64, usize)| {
            day <= self.today || self.has(day) != who || !theirs.contains(&who)
        };
        if one == other || swap.requester == swap.recipient || swap.legs.iter().any(wrong) {
            return 400;
        }
        self.swaps.push(swap);
        200
    }

    /// Whether the new holder of a day is away in its remaining part.
    fn conflicts(&self, index: usize) -> bool {
        let swap = &self.swaps[index];
        swap.legs.iter().any(|&(day, holder)| {
            let taker = swap.requester + swap.recipient - holder;
            let meets = |a: &Absence| a.who == taker && a.from <= day + 1 && a.until > day;
            self.absences.iter().any(meets)
        })
    }

    fn accept(&mut self, index: usize) {
        let swap = &mut self.swaps[index];
        swap.state = "accepted";
        let both = swap.requester + swap.recipient;
        for (day, holder) in swap.legs {
            self.swapped.retain(|swapped| swapped.day != day);
            let who = both - holder;
            self.swapped.push(Swapped {
                day,
                who,
                by: index,
            });
        }
        self.expire();
    }

    /// A person who leaves loses future swapped days, and the other day of the same swap is lost too.
    fn leave(&mut self, who: usize) {
        let today = self.today;
        let gone = |swapped: &&Swapped| swapped.who == who && swapped.day > today;
        let undone: Vec<usize> = self.swapped.iter().filter(gone).map(|s| s.by).collect();
        let stays = |swapped: &Swapped| {
            swapped.who != who && (swapped.day == today || !undone.contains(&swapped.by))
        };
        self.swapped.retain(stays);
        let old = self.members.clone();
        self.members.retain(|member| *member != who);
        let mut round = (0..old.len()).map(|step| old[(self.next + step) % old.len()]);
        let next = round.find_map(|p| self.members.iter().position(|member| *member == p));
        self.next = next.expect("somebody stays");
        if self.holder == who {
            (self.holder, self.next) = self.deal(self.next, today).expect("people");
        }
        self.expire();
    }
}

/// A rotation and its model.
struct World<'a> {
    rotation: Rot<'a>,
    model: Model,
    asked: Vec<Asked<'a>>,
    dice: Dice,
    /// The kinds of operations that happened.
    seen: Vec<&'static str>,
}

impl World<'_> {
    fn roll(&mut self, sides: usize) -> usize {
        self.dice.roll(sides as u64) as usize
    }

    fn somebody(&mut self) -> usize {
        let index = self.roll(self.model.members.len());
        self.model.members[index]
    }

    fn pass(&mut self) {
        let days = 1 + self.roll(2) as i64;
        self.model.pass(days);
        let noon = plus(&hand_over(self.model.today), 3 * HOUR);
        self.rotation.by.rota.to(&noon);
    }

    /// Mostly two days of two people; occasionally days that are not theirs.
    fn offer(&mut self) {
        let today = self.model.today;
        let days = [(); 2].map(|()| today + 1 + self.roll(AHEAD as usize) as i64);
        let mut legs = days.map(|day| (day, self.model.has(day)));
        if self.roll(10) == 0 {
            legs[1].1 = self.somebody();
        }
        let (requester, recipient) = (legs[0].1, legs[1].1);
        let swap = Swap {
            requester,
            recipient,
            legs,
            state: "pending",
        };
        let verdict = self.model.offer(swap);
        let periods = days.map(|day| format!("{} {}", hand_over(day), hand_over(day + 1)));
        let names = [name(requester), name(recipient)];
        let body = self.rotation.swap_body(
            &names[1],
            &[
                ("one", &names[0], 0, &periods[0]),
                ("other", &names[1], 0, &periods[1]),
            ],
        );
        let by = self.rotation.seen_by(&names[0]);
        let answer = by.request("swap-requests", body).is(verdict);
        if verdict == 200 {
            self.seen.push("offer");
            self.asked.push(Asked {
                on: self.rotation.clone(),
                sort: "swap-requests",
                id: text(&answer.json()["request"]["request"]["id"]).to_owned(),
            });
        }
    }

    fn answer(&mut self) {
        if self.asked.is_empty() {
            return;
        }
        let latest = self.asked.len().min(4);
        let index = self.asked.len() - 1 - self.roll(latest);
        let step = ["accept", "accept", "accept", "decline", "cancel"][self.roll(5)];
        let swap = &self.model.swaps[index];
        let by = match step {
            "cancel" => swap.requester,
            _ => swap.recipient,
        };
        let parties = [swap.requester, swap.recipient];
        if parties.iter().any(|who| !self.model.members.contains(who)) {
            return;
        }
        let (by, asked) = (name(by), self.asked[index].clone());
        if swap.state != "pending" {
            asked.step(&by, step).refused(409, "requestNotPending");
            return;
        }
        if step != "accept" {
            asked.step(&by, step).is(200);
            let (state, seen) = match step {
                "decline" => ("declined", "decline"),
                _ => ("cancelled", "cancel"),
            };
            self.model.swaps[index].state = state;
            self.seen.push(seen);
            return;
        }
        let keys = swap.legs.iter().zip(["one", "other"]);
        let started: Vec<&str> = keys
            .filter(|((day, _), _)| *day <= self.model.today)
            .map(|(_, key)| key)
            .collect();
        if !started.is_empty() {
            self.seen.push("started");
        }
        let mut body = json!({ "acknowledgedStartedLegKeys": started });
        if self.model.conflicts(index) {
            let answer = asked.step_with(&by, step, body.clone());
            let response = answer.refused(409, "conflictsNotAcknowledged");
            body["acknowledgedConflictIds"] = json!(conflicts(&response["conflicts"]).1);
            self.seen.push("conflict");
        }
        asked.step_with(&by, step, body).is(200);
        self.model.accept(index);
        self.seen.push("accept");
    }

    /// A person goes away, unless a day would then have nobody.
    fn away(&mut self) {
        let who = self.somebody();
        let from = self.model.today + self.roll(5) as i64;
        let until = from + 1 + self.roll(4) as i64;
        self.model.absences.push(Absence { who, from, until });
        if self.model.dealt().is_none() {
            self.model.absences.pop();
            return;
        }
        self.model.expire();
        let [from, until] = [from, until].map(|day| plus(&hand_over(day), -3 * HOUR));
        let body = json!({ "userId": name(who), "from": rfc(&from), "until": rfc(&until) });
        let path = self.rotation.path("/availability");
        let answer = self.rotation.by.post(&path, body);
        assert!(matches!(answer.reply.status, 200 | 201), "an absence");
        self.seen.push("away");
    }

    fn leave_or_join(&mut self) {
        let who = self.roll(PEOPLE);
        let stay = self.model.members.iter().filter(|member| **member != who);
        let here = |member: &&usize| {
            let days = self.model.today..self.model.today + 3 * AHEAD;
            !days
                .into_iter()
                .any(|day| self.model.is_away(**member, day))
        };
        if !self.model.members.contains(&who) {
            self.model.members.push(who);
            self.model.expire();
        } else if stay.filter(here).count() > 0 && self.model.members.len() > 3 {
            self.model.leave(who);
            self.seen.push("leave");
        } else {
            return;
        }
        let users: Vec<String> = self.model.members.iter().map(|who| name(*who)).collect();
        self.rotation.patch(json!({ "userIds": users })).is(200);
    }

    fn compare(&self, did: &str) {
        let today = self.model.today;
        let response = format!("after {did} on day {today}");
        assert_eq!(
            self.rotation.on_call(),
            name(self.model.has(today)),
            "{response}"
        );
        let end = hand_over(today + AHEAD + 1);
        let now = self.rotation.by.rota.now();
        let turns = self.rotation.turns("schedule", &now, &end);
        let planned: Vec<String> = turns
            .iter()
            .filter(|turn| at(text(&turn["start"])) > at(&now))
            .map(|turn| format!("{} {}", instant(&turn["start"]), text(&turn["userId"])))
            .collect();
        let expected: Vec<String> = (today + 1..=today + AHEAD)
            .map(|day| format!("{} {}", hand_over(day), name(self.model.has(day))))
            .collect();
        assert_eq!(planned, expected, "{response}");
        // A settled request does not change, so the latest are enough.
        let from = self.asked.len().saturating_sub(8);
        let all = self.rotation.by.get("/v1/requests?pageSize=200").is(200);
        let all = all.json();
        let all = all["data"].as_array().expect("requests");
        let state = |asked: &Asked| {
            let mut same = all.iter().filter(|request| request["id"] == *asked.id);
            same.next()
                .map(|request| text(&request["state"]).to_owned())
        };
        let states: Vec<String> = (self.asked[from..].iter())
            .map(|asked| state(asked).unwrap_or_else(|| asked.state()))
            .collect();
        let latest = self.model.swaps[from..].iter();
        let expected: Vec<&str> = latest.map(|swap| swap.state).collect();
        assert_eq!(states, expected, "{response}");
    }
}

#[test]
fn random_worlds_of_swaps_agree_with_the_model() {
    let mut seen: Vec<&str> = Vec::new();
    for seed in 0..8 {
        let rota = Rota::with_people(PEOPLE);
        let rotation = rota.daily("U1 U2 U3 U4 U5", 1);
        rota.to(&plus(&hand_over(0), 3 * HOUR));
        let mut world = World {
            rotation,
            model: Model {
                today: 0,
                members: (0..5).collect(),
                next: 1,
                holder: 0,
                absences: vec![],
                swapped: vec![],
                swaps: vec![],
            },
            asked: vec![],
            dice: Dice(seed),
            seen: vec![],
        };
        for step in 0..60 {
            let did = match world.roll(12) {
                0..=3 => {
                    world.offer();
                    "an offer"
                }
                4..=7 => {
                    world.answer();
                    "an answer"
                }
                8 => {
                    world.away();
                    "an absence"
                }
                9 => {
                    world.leave_or_join();
                    "leaving or joining"
                }
                _ => {
                    world.pass();
                    "time"
                }
            };
            world.compare(&format!("{did}, step {step} of world {seed},"));
        }
        let states = world.model.swaps.iter().map(|swap| swap.state);
        seen.extend(states.filter(|state| *state == "expired"));
        seen.extend(world.seen);
    }
    for kind in [
        "offer", "accept", "decline", "cancel", "expired", "started", "conflict", "away", "leave",
    ] {
        let times = seen.iter().filter(|found| **found == kind).count();
        assert!(times > 0, "{kind} never happened");
    }
}
