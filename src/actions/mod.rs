//! One file a use case. Whoever asks (a request, the timer, a command), the same action runs, so a rule exists once.

pub mod absences;
pub mod creation;
pub mod development;
pub mod directory;
pub mod due;
pub mod duty;
pub mod frame;
pub mod keys;
mod membership;
pub mod plan;
pub mod reads;
pub mod rotations;

use crate::clock::Clock;
use crate::domain::holidays::Calendar;
use crate::domain::tiers::Plan;
use crate::store::Store;
use jiff::Timestamp;
use std::sync::{Arc, PoisonError, RwLock};

pub use crate::store::{Fault, Stop};

/// What every use case works on. Cheap to clone; all clones are the same workspace.
#[derive(Clone)]
pub struct Desk {
    store: Arc<Store>,
    calendar: Arc<Calendar>,
    clock: Arc<Clock>,
    plan: Arc<RwLock<Plan>>,
}

impl Desk {
    /// Brings the parts together.
    pub fn new(store: Store, calendar: Calendar, clock: Arc<Clock>, plan: Plan) -> Desk {
        Desk {
            store: Arc::new(store),
            calendar: Arc::new(calendar),
            clock,
            plan: Arc::new(RwLock::new(plan)),
        }
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Weekends and holidays.
    pub fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// The one clock.
    pub fn clock(&self) -> &Arc<Clock> {
        &self.clock
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The workspace's plan.
    pub fn plan(&self) -> Plan {
        *self.plan.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::actions) fn set_plan(&self, plan: Plan) {
        *self.plan.write().unwrap_or_else(PoisonError::into_inner) = plan;
    }
}

#[cfg(test)]
mod tests;
