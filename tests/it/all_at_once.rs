//! Tests that mostly wait, in real time: for a time-out, a lock, a retry. All run at once, in the time of one worker of the test
//! runner, which begins with the first name.

use crate::{calendars, faults, operator, partners, slack, sources, web, webhooks};
use std::panic::{catch_unwind, resume_unwind};
use std::thread;

/// A function for each row, with its name for the output.
macro_rules! rows {
    ($($test:path),+ $(,)?) => {
        [$((stringify!($test), $test as fn())),+]
    };
}

#[test]
fn what_takes_its_time() {
    let rows = rows![
        slack::starting::a_slack_that_hangs_does_not_hold_up_the_start_or_a_move_of_the_clock,
        slack::starting::a_move_of_the_clock_waits_for_a_slack_that_hangs_no_longer_than_half_a_minute,
        slack::outgoing::a_slow_message_holds_up_nobody_else,
        slack::outgoing::failures_of_slack_are_tried_again_on_the_clock,
        slack::team_scenario::a_team_lives_through_a_week,
        operator::readiness::what_is_due_and_cannot_be_done_makes_it_unready,
        operator::readiness::a_locked_file_makes_it_unready_although_nobody_writes,
        operator::supervision::a_service_manager_hears_nothing_of_a_server_that_hangs,
        operator::supervision::a_lane_that_hangs_is_told,
        partners::outages::one_schedule_that_hangs_does_not_keep_the_others_from_being_read,
        partners::faults::few_requests_wait_for_a_partner_that_hangs,
        partners::faults::a_partner_that_hangs_delays_nobody_else,
        sources::faults::a_partner_that_hangs_costs_ten_seconds,
        webhooks::sending::a_receiver_that_hangs_has_ten_seconds,
        webhooks::deliveries::answers::answers_that_break_off,
        faults::in_flight::a_stop_waits_no_longer_than_its_grace,
        calendars::reading::a_server_that_hangs_delays_nobody_else,
        web::oidc::faults::a_provider_that_misbehaves_signs_nobody_in,
        faults::disk::a_hand_over_waits_for_room_on_a_full_disk,
        faults::disk::a_database_that_somebody_else_has_locked,
        faults::disk::a_start_on_a_locked_database_says_what_is_wrong,
        faults::process::told_to_stop_while_a_receiver_hangs,
        faults::process::a_timer_that_panics_looks_again,
    ];
    thread::scope(|scope| {
        for (name, test) in rows {
            scope.spawn(move || {
                if let Err(why) = catch_unwind(test) {
                    eprintln!("{name} failed");
                    resume_unwind(why);
                }
            });
        }
    });
}
