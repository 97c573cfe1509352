//! Reading schedules of partner paging systems: PagerDuty, Opsgenie and Jira Service Management. Nothing is ever written there.
//!
//! Each partner is a [`Source`]. It sends requests and turns the answers into [`external`](crate::domain::external) values;
//! parsing is pure and apart from the requests. A request takes at most 10 s and reads at most 10 MB. Limits of requests that
//! a partner states are kept to a half, and a wait that it asks for is waited out.
//!
//! | File | Part |
//! |---|---|
//! | `settings` | what the operator sets |
//! | `failure` | why a reading failed |

mod failure;
mod settings;

pub use failure::Failure;
pub use settings::{DeskSettings, KeySettings, Settings};

use crate::domain::external::{Definition, OutsidePerson, Partner, ScheduleSummary, Timeline};
use crate::domain::time::Interval;
use std::time::Duration;

/// A partner whose schedules can be read.
///
/// A call sends one or more requests and blocks its thread meanwhile: no longer than a request takes for each of them, and as
/// long as the partner's limit asks for between them.
pub trait Source: Send + Sync {
    /// Which partner it is.
    fn partner(&self) -> Partner;

    /// All schedules, in the partner's order.
    ///
    /// # Errors
    /// [`Failure`].
    fn schedules(&self) -> Result<Vec<ScheduleSummary>, Failure>;

    /// How a schedule is made, with the overrides that overlap a span.
    ///
    /// # Errors
    /// [`Failure`], `not_found` for a schedule that there is not.
    fn definition(&self, schedule: &str, span: Interval) -> Result<Definition, Failure>;

    /// Who is on call over a span.
    ///
    /// # Errors
    /// [`Failure`], `not_found` for a schedule that there is not.
    fn timeline(&self, schedule: &str, span: Interval) -> Result<Timeline, Failure>;

    /// Names and addresses of people, in the order of the ids. What was read is kept for some minutes. Somebody whom the
    /// partner does not know has neither.
    ///
    /// # Errors
    /// [`Failure`].
    fn people(&self, ids: &[String]) -> Result<Vec<OutsidePerson>, Failure>;

    /// Forgets what is kept of people, so that the next call reads them.
    fn forget_people(&self);

    /// How long until a request may be sent: zero, or what is left of a wait that the partner asked for. Until then every call
    /// that needs a request fails at once with `rate_limited`.
    fn wait(&self) -> Duration;
}
