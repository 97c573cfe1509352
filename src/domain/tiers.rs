//! Limits of the workspace's tier.

use super::refusal::Refusal;
use crate::domain::words::words;

words! {
    /// The tier of the workspace: `[plan]` in the config file.
    pub enum Tier {
        Free = "free",
        Pro = "pro",
    }
}

/// Why the Free tier has no on-duty groups.
pub const NEEDS_PRO: &str = "on-duty groups need the Pro plan";

/// A tier with its quotas. `None` is unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TierLimits {
    pub tier: Tier,
    pub max_rotations: Option<u64>,
    /// People are counted once, however many rotations they are in.
    pub max_people: Option<u64>,
}

impl TierLimits {
    /// The default limits: free 3 rotations and 15 people, pro unlimited.
    pub fn of(tier: Tier) -> TierLimits {
        match tier {
            Tier::Free => TierLimits {
                tier,
                max_rotations: Some(3),
                max_people: Some(15),
            },
            Tier::Pro => TierLimits {
                tier,
                max_rotations: None,
                max_people: None,
            },
        }
    }

    /// Whether the lane with this index in dealing order runs. Other lanes are kept and not dealt.
    pub fn runs_lane(&self, lane: usize) -> bool {
        self.tier == Tier::Pro || lane == 0
    }

    /// Refuses more lanes than the tier runs. A rotation that already has `had` lanes may keep that many.
    pub fn check_lanes(&self, had: usize, wanted: usize) -> Result<(), Refusal> {
        match wanted > had && !self.runs_lane(wanted - 1) {
            false => Ok(()),
            true => Err(Refusal::PaymentRequired(
                "lanes".into(),
                "more than one lane needs the Pro plan; send one lane or change the plan".into(),
            )),
        }
    }

    /// Refuses user groups on a tier without them.
    ///
    /// # Errors
    /// [`Refusal::PaymentRequired`].
    pub fn check_groups(&self, wanted: bool) -> Result<(), Refusal> {
        match wanted && !self.has_user_groups() {
            true => Err(Refusal::PaymentRequired(
                "userGroupIds".into(),
                "user groups need the Pro plan".into(),
            )),
            false => Ok(()),
        }
    }

    /// Refuses on-duty groups on a tier without them.
    ///
    /// # Errors
    /// [`Refusal::PaymentRequired`].
    pub fn check_duty_groups(&self) -> Result<(), Refusal> {
        match self.has_user_groups() {
            true => Ok(()),
            false => Err(Refusal::PaymentRequired("".into(), NEEDS_PRO.into())),
        }
    }

    /// Refuses more people in rotations than the `most` of the tier, unless they become fewer.
    ///
    /// # Errors
    /// [`Refusal::PaymentRequired`].
    pub fn check_people(&self, most: u64, then: usize, now: usize) -> Result<(), Refusal> {
        match then as u64 > most && then > now {
            true => Err(Refusal::PaymentRequired(
                "".into(),
                format!(
                    "the plan includes {most} people across all rotations; this would make {then}"
                ),
            )),
            false => Ok(()),
        }
    }

    /// Whether webhook endpoints may be written, and are sent to.
    pub fn has_webhooks(&self) -> bool {
        self.tier == Tier::Pro
    }

    /// Whether rotations may use chat user groups.
    pub fn has_user_groups(&self) -> bool {
        self.tier == Tier::Pro
    }
}
