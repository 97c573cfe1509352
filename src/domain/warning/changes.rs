//! Changes that wait and would be refused when their time comes.

use super::Warning;
use super::scene::Scene;
use crate::domain::forecast;
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningKind;

/// A change that would be refused as things stand.
pub(super) fn will_fail(scene: &Scene) -> Vec<Warning> {
    let failing = forecast::failing(scene.planned, scene.dealing, scene.range.until);
    let warned = failing.into_iter().map(|change| {
        let from = change.at.max(scene.range.from);
        let period = Interval::new(from, scene.range.until.max(from));
        let text = "A planned change will fail: what it needs is no longer there.".to_owned();
        scene.of_all(WarningKind::ChangeWillFail, period, Vec::new(), text)
    });
    warned.collect()
}
