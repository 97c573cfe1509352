//! How long things of the socket may take, on real time.

use crate::failpoint;
use std::time::Duration;

/// How long things of the socket may take.
#[derive(Clone, Copy, Debug)]
pub struct Timings {
    /// For connecting, the handshake and Slack's hello, each.
    pub opening: Duration,
    /// A connection on which nothing arrived for that long is asked whether it is still there.
    pub quiet: Duration,
    /// One on which nothing arrived for that long is dead.
    pub dead: Duration,
    /// How long a connection is read after the next one is open, unless Slack closes it before.
    pub overlap: Duration,
    /// After that long a connection was a good one, and the next failure is the first again.
    pub healthy: Duration,
    /// The wait after the first failure; it doubles with each further one.
    pub first_wait: Duration,
    /// The longest wait.
    pub longest_wait: Duration,
}

impl Timings {
    /// Those that Slack's own libraries have, about.
    pub fn usual() -> Timings {
        let seconds = |seconds| failpoint::hurried(Duration::from_secs(seconds));
        Timings {
            // Not hurried: tests share a busy machine.
            opening: Duration::from_secs(10),
            quiet: seconds(30),
            dead: seconds(60),
            overlap: seconds(30),
            healthy: seconds(60),
            first_wait: seconds(1),
            longest_wait: seconds(60),
        }
    }

    /// How long to wait before the next attempt, after a number of failures in a row. `share`, of 0 to 1, spreads the attempts of
    /// many servers whose connections ended at the same moment.
    pub fn wait(&self, failures: u32, share: f64) -> Duration {
        if failures == 0 {
            return Duration::ZERO;
        }
        let doubled = 2_u32.saturating_pow(failures - 1);
        let wait = self.first_wait.saturating_mul(doubled);
        let spread = wait.min(self.longest_wait).mul_f64(1.0 + share / 2.0);
        spread.min(self.longest_wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// rules.md 21.6.
    #[test]
    fn waits_double_up_to_a_minute() {
        let timings = Timings::usual();
        for (failures, share, expected) in [
            (0, 0.5, 0),
            (1, 0.0, 1_000),
            (1, 1.0, 1_500),
            (2, 0.0, 2_000),
            (3, 0.5, 5_000),
            (6, 0.0, 32_000),
            (6, 1.0, 48_000),
            (7, 0.0, 60_000),
            (7, 1.0, 60_000),
            (1_000, 0.0, 60_000),
        ] {
            let wait = timings.wait(failures, share);
            assert_eq!(wait.as_millis(), expected, "{failures} {share}");
        }
    }
}
