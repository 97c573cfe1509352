//! Tests that mostly wait, in real time: for a time-out, a lock, a retry. The first test of a run that starts a server begins all of
//! them that were asked for, beside everything else. By the time that the runner comes to their names, they have ended.

use crate::{calendars, faults, operator, partners, slack, sources, web, webhooks};
use std::collections::BTreeMap;
use std::env;
use std::panic;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::{self, Builder, JoinHandle};

/// A test for each row, of the name of its function.
macro_rules! tests {
    ($($name:ident in $($module:ident)::+;)+) => {
        const ALL: &[(&str, fn())] = &[$((stringify!($name), $($module)::+::$name)),+];
        $(
            #[test]
            fn $name() {
                outcome(stringify!($name));
            }
        )+
    };
}

tests! {
    a_slack_that_hangs_does_not_hold_up_the_start_or_a_move_of_the_clock in slack::starting;
    a_move_of_the_clock_waits_for_a_slack_that_hangs_no_longer_than_half_a_minute in slack::starting;
    a_slow_message_holds_up_nobody_else in slack::outgoing;
    failures_of_slack_are_tried_again_on_the_clock in slack::outgoing;
    a_team_lives_through_a_week in slack::team_scenario;
    what_is_due_and_cannot_be_done_makes_it_unready in operator::readiness;
    a_locked_file_makes_it_unready_although_nobody_writes in operator::readiness;
    a_service_manager_hears_nothing_of_a_server_that_hangs in operator::supervision;
    a_lane_that_hangs_is_told in operator::supervision;
    one_schedule_that_hangs_does_not_keep_the_others_from_being_read in partners::outages;
    few_requests_wait_for_a_partner_that_hangs in partners::faults;
    a_partner_that_hangs_delays_nobody_else in partners::faults;
    a_partner_that_hangs_costs_ten_seconds in sources::faults;
    a_receiver_that_hangs_has_ten_seconds in webhooks::sending;
    answers_that_break_off in webhooks::deliveries::answers;
    a_stop_waits_no_longer_than_its_grace in faults::in_flight;
    a_server_that_hangs_delays_nobody_else in calendars::reading;
    a_provider_that_misbehaves_signs_nobody_in in web::oidc::faults;
    a_hand_over_waits_for_room_on_a_full_disk in faults::disk;
    a_database_that_somebody_else_has_locked in faults::disk;
    a_start_on_a_locked_database_says_what_is_wrong in faults::disk;
    told_to_stop_while_a_receiver_hangs in faults::process;
    a_timer_that_panics_looks_again in faults::process;
}

/// The tests under way.
static BEGUN: LazyLock<Mutex<BTreeMap<&str, JoinHandle<()>>>> = LazyLock::new(|| {
    let filters: Vec<String> = env::args().skip(1).collect();
    let filters: Vec<&String> = filters.iter().filter(|arg| !arg.starts_with('-')).collect();
    let is_asked_for = |name: &str| {
        let path = format!("{}::{name}", module_path!());
        filters.is_empty() || filters.iter().any(|filter| path.contains(*filter))
    };
    keep_panics();
    let asked_for = ALL.iter().filter(|(name, _)| is_asked_for(name));
    Mutex::new(asked_for.map(spawn).collect())
});

/// Begins those that the filters of the run show, once.
pub fn begin() {
    LazyLock::force(&BEGUN);
}

fn spawn((name, test): &(&'static str, fn())) -> (&'static str, JoinHandle<()>) {
    let thread = Builder::new().name((*name).to_owned());
    (*name, thread.spawn(*test).expect("a thread"))
}

/// What those that failed said.
static PANICS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Has panics of these tests told by the test that they belong to. The runner would show them with the one that began all.
fn keep_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let current = thread::current();
        match current.name() {
            Some(name) if ALL.iter().any(|(known, _)| *known == name) => {
                let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
                panics.insert(name.to_owned(), panic.to_string());
            }
            _ => usual(panic),
        }
    }));
}

/// Waits for a test, and fails as it does.
#[track_caller]
fn outcome(name: &'static str) {
    let begun = BEGUN.lock().expect("tests").remove(name);
    // One that the filters do not show, as with options that have a value.
    let test = || {
        spawn(
            ALL.iter()
                .find(|(known, _)| *known == name)
                .expect("a test"),
        )
        .1
    };
    if begun.unwrap_or_else(test).join().is_err() {
        let why = PANICS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(name);
        panic!("{}", why.unwrap_or_default());
    }
}
