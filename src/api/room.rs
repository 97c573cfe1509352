//! The memory that each operation takes before it starts.
//!
//! GET on-call takes none: its responses are shared, and it must not wait.

use super::routes::{Handler, Needs, Row};
use super::{on_call, preview};
use crate::server::room::{LIMITS, STEP};

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// The memory of one byte of a JSON body once parsed.
const PARSED: usize = 8;

/// The memory of a preview of edits beside its body.
const PREVIEW: usize = 20 * MIB;

/// The memory of warnings: with it, a credential can still make every other request.
const WARNINGS: usize = 4 * MIB;

/// The memory of an operation, in bytes, with a body of `sent` bytes.
pub fn needed(row: &Row, sent: usize) -> usize {
    if row.operation.id == on_call::READ.id {
        return 0;
    }
    let paged = row.operation.parameters().any(|one| one.name == "pageSize");
    let parsed = sent.saturating_mul(PARSED);
    if row.operation.id == preview::READ.id {
        // Two plans with the turns of both. A body takes what is left of one credential's budget at the most,
        // so that the largest still fits.
        return PREVIEW + parsed.min(LIMITS.credential - PREVIEW);
    }
    parsed
        + match (row.method, row.handler) {
            // Metrics grow with the number of rotations; other operations without a credential are small or shared.
            (_, Handler::Open(_)) if row.needs == Needs::Watching => MIB,
            (_, Handler::Open(_)) => 0,
            // All turns of the range are computed before a page is rendered.
            ("GET", _) if row.pattern.ends_with("/schedule") => 20 * MIB,
            ("GET", _) if row.pattern.ends_with("/shifts") => 20 * MIB,
            ("GET", _) if row.pattern.ends_with("/history") => 8 * MIB,
            // The stretches of a whole report are held.
            ("GET", _) if row.pattern.starts_with("/v1/reports/") => 20 * MIB,
            // What was found. The plans are made for one caller at a time, so that they are there once.
            ("GET", _) if row.pattern.ends_with("/warnings") => WARNINGS,
            // A forecast, and steps with the names of many people.
            ("GET", _) if row.pattern.ends_with("/explain") => 16 * MIB,
            ("GET", _) if paged || row.pattern.ends_with("/attempts") => STEP,
            ("GET", _) => MIB,
            // Previews compute a forecast.
            _ if row.pattern.ends_with("/preview") => 4 * MIB,
            ("POST", _) if row.pattern.ends_with("/availability") => 4 * MIB,
            _ => 256 * KIB,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::routes::ROUTES;

    #[test]
    fn warnings_leave_room_for_every_other_reading() {
        let of = |id: &str| {
            let row = ROUTES.iter().find(|row| row.operation.id == id);
            needed(row.expect("a route"), 0)
        };
        for row in ROUTES.iter().filter(|row| row.method == "GET") {
            for beside in ["listWarnings", "getWarnings"] {
                let both = of(beside) + needed(row, 0);
                assert!(both <= LIMITS.credential, "{beside} and {}", row.pattern);
            }
        }
    }

    #[test]
    fn every_operation_fits_and_on_call_costs_nothing() {
        for row in ROUTES {
            let needed = needed(row, 0);
            assert!(needed <= LIMITS.credential, "{}", row.pattern);
            let free = [
                "getOnCall",
                "getOpenApi",
                "getHealth",
                "getReadiness",
                "getEpoch",
            ];
            let free = free.contains(&row.operation.id);
            assert_eq!(needed == 0, free, "{} {}", row.method, row.operation.id);
        }
        for (id, expected) in [
            ("listUsers", STEP),
            ("listWarnings", WARNINGS),
            ("getWarnings", WARNINGS),
            ("getWarningSettings", MIB),
            ("explain", 16 * MIB),
        ] {
            let row = ROUTES.iter().find(|row| row.operation.id == id);
            assert_eq!(needed(row.expect("a route"), 0), expected, "{id}");
        }
    }
}
