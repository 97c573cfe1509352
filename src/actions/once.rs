//! Idempotent writes: each runs once under the caller's `operationId`, and a retry returns the original
//! response, byte for byte.

use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::mutation::Operation;
use super::{App, Result};
use crate::domain::access::Principal;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::{self, Error, OperationRecord, ReadTx, WriteTx};
use crate::wire::etag;
use jiff::{SignedDuration, Timestamp};

/// How long an operation is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The identity of a write.
#[derive(Clone, Debug)]
pub struct OperationKey {
    /// The caller's `operationId`.
    pub id: String,
    /// SHA-256 of method, path and body in canonical form.
    pub body_hash: [u8; 32],
}

/// The stored response of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// As rendered by the edge.
    pub answer: String,
    pub etag: String,
    /// Whether this call did it; `false` if an earlier one had.
    pub is_new: bool,
}

/// Renders the output of an operation, given the caller's `operationId`. It runs within the write, because the response is
/// stored with the change.
pub type Render<T> = fn(&str, &T) -> Result<String, Error>;

/// An operation that runs once under its key.
pub struct Once<O: Operation> {
    pub key: OperationKey,
    pub operation: O,
    pub render: Render<O::Output>,
}

impl<O: Operation> Operation for Once<O> {
    const NAME: &'static str = O::NAME;
    const PREPARES: bool = O::PREPARES;
    type Output = Receipt;

    fn replay(
        &self,
        tx: &ReadTx,
        rotation: &Rotation,
        caller: &Principal,
        now: Timestamp,
    ) -> Result<Option<Receipt>> {
        caller.check_see(rotation)?;
        let record = store::load_operation(tx, caller.credential(), &self.key.id)?;
        match record.filter(|record| record.created_at >= expired_before(now)) {
            None => Ok(None),
            Some(record) if record.body_hash != self.key.body_hash => {
                Err(Refusal::OperationIdReused.into())
            }
            Some(record) => Ok(Some(Receipt {
                answer: record.answer,
                etag: record.etag,
                is_new: false,
            })),
        }
    }

    fn admit(&self, tx: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        self.operation.admit(tx, rotation, caller)
    }

    fn named(&self) -> NamedIds {
        self.operation.named()
    }

    fn prepare(&mut self, app: &App, rotation: &Rotation) -> Result<()> {
        self.operation.prepare(app, rotation)
    }

    fn changes_duty(&self, rotation: &Rotation) -> bool {
        self.operation.changes_duty(rotation)
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, caller: &Principal) -> Result<Receipt> {
        let output = self.operation.apply(tx, draft, caller)?;
        let record = OperationRecord {
            body_hash: self.key.body_hash,
            answer: (self.render)(&self.key.id, &output)?,
            etag: etag::tag(&draft.rotation, draft.calendar),
            created_at: tx.now(),
        };
        let (credential, rotation) = (caller.credential(), &draft.rotation.id);
        store::insert_operation(tx, credential, &self.key.id, rotation, &record)?;
        Ok(Receipt {
            answer: record.answer,
            etag: record.etag,
            is_new: true,
        })
    }
}

/// Operations before this instant have expired.
pub(super) fn expired_before(now: Timestamp) -> Timestamp {
    now.checked_sub(KEPT).unwrap_or(Timestamp::MIN)
}
