//! Writes that may be retried: each is carried out once under the caller's `operationId`, and a retry is answered as the
//! first try was (contract section 10 and section 17 "General").

use super::mutation::{self, Draft};
use super::{App, Stop};
use crate::domain::access::Principal;
use crate::domain::ids::RotationId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::{self, Fault, OperationRecord, ReadTx, WriteTx};
use crate::wire::etag::{self, Precondition};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// How long an operation is remembered.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How a caller names a write.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The caller's `operationId`.
    pub id: String,
    /// SHA-256 of method, path and body in canonical form.
    pub body_hash: [u8; 32],
}

/// What a write answered, the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// JSON.
    pub answer: String,
    pub etag: String,
}

/// Carries a write out once. `part` judges what the path names and whether the caller has a part in it; `act` does the work,
/// settles the draft and answers.
pub fn run<A: Serialize>(
    app: &App,
    caller: &Principal,
    rotation: &RotationId,
    precondition: &Precondition,
    operation: Operation,
    part: impl FnOnce(&ReadTx, &Rotation) -> Result<(), Stop> + Send + 'static,
    act: impl FnOnce(&mut WriteTx, &mut Draft) -> Result<A, Stop> + Send + 'static,
) -> Result<Receipt, Stop> {
    let (caller, id, hash) = (caller.clone(), operation.id.clone(), operation.body_hash);
    let credential = caller.credential().to_owned();
    let now = app.now();
    let admit = move |tx: &ReadTx, rotation: &Rotation| {
        caller.check_see(rotation)?;
        if let Some(record) = remembered(tx, caller.credential(), &id, now)? {
            return replay(record, hash).map(Some);
        }
        part(tx, rotation)?;
        Ok(None)
    };
    mutation::admitted(app, rotation, precondition, admit, move |tx, mut draft| {
        let answer = act(tx, &mut draft)?;
        let answer =
            serde_json::to_string(&answer).map_err(|error| Fault::Corrupt(error.to_string()))?;
        let record = OperationRecord {
            body_hash: operation.body_hash,
            answer,
            etag: etag::tag(&draft.rotation, draft.calendar),
            created_at: tx.now(),
        };
        let id = &draft.rotation.id;
        store::insert_operation(tx, &credential, &operation.id, id, &record)?;
        Ok(Receipt {
            answer: record.answer,
            etag: record.etag,
        })
    })
}

/// What was carried out before this instant no longer counts.
pub(super) fn forgotten(now: Timestamp) -> Timestamp {
    now.checked_sub(KEPT).unwrap_or(Timestamp::MIN)
}

/// What was carried out under an id, unless that is too long ago to count.
fn remembered(
    tx: &ReadTx,
    credential: &str,
    id: &str,
    now: Timestamp,
) -> Result<Option<OperationRecord>, Fault> {
    let record = store::load_operation(tx, credential, id)?;
    Ok(record.filter(|record| record.created_at >= forgotten(now)))
}

fn replay(record: OperationRecord, hash: [u8; 32]) -> Result<Receipt, Stop> {
    if record.body_hash != hash {
        return Err(Refusal::OperationIdReused.into());
    }
    Ok(Receipt {
        answer: record.answer,
        etag: record.etag,
    })
}
