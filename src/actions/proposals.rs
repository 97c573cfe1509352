//! Proposals: an assignment, a cover request or a swap request is previewed, weighed and written in one way, whoever makes it.

use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::mutation::Operation;
use super::request_writes::{Notify, Outcome, ask, written};
use super::{App, Result, reads};
use crate::domain::access::Principal;
use crate::domain::agreement::{AgreementContext, Preview, check_unblocked};
use crate::domain::ids::RotationId;
use crate::domain::request::{Request, RequestWritten};
use crate::domain::rotation::Rotation;
use crate::store::{ReadTx, WriteTx};

/// Something that people agree on. What its preview checks, its write checks again.
pub trait Proposal: Clone + Send + 'static {
    /// The name in the log.
    const NAME: &'static str;
    /// The result of the write.
    type Output: Send + 'static;

    /// The people that it names.
    fn named(&self) -> NamedIds;

    /// Refuses callers who may not see what would come of it, and names that do not exist. By default people may.
    fn permit(&self, _: &ReadTx, _: &Rotation, by: &Principal) -> Result<()> {
        Ok(by.person().map(drop)?)
    }

    /// Refuses callers who may not write it, and names that do not exist. By default everyone may who may ask others for something.
    fn admit(&self, _: &ReadTx, rotation: &Rotation, by: &Principal) -> Result<()> {
        Ok(by.check_ask(rotation)?)
    }

    /// Checks it against a rotation and its forecast.
    fn check(&self, context: &AgreementContext, by: &Principal) -> Result<Preview>;

    /// With the turn that the preview found, and all conflicts in it acknowledged if `acknowledges`.
    fn previewed(self, preview: &Preview, acknowledges: bool) -> Self;

    /// Writes what was just checked.
    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        by: &Principal,
        checked: Preview,
    ) -> Result<Self::Output>;
}

/// The write of a proposal.
pub struct Propose<P>(pub P);

impl<P: Proposal> Operation for Propose<P> {
    const NAME: &'static str = P::NAME;
    type Output = P::Output;

    fn named(&self) -> NamedIds {
        self.0.named()
    }

    fn admit(&self, tx: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        self.0.admit(tx, rotation, caller)
    }

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, caller: &Principal) -> Result<P::Output> {
        let checked = self.0.check(&draft.context(tx), caller)?;
        self.0.apply(tx, draft, caller, checked)
    }
}

/// Previews a proposal without changing anything. Returns the rotation for its ETag.
pub fn preview<P: Proposal>(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    proposal: &P,
) -> Result<(Rotation, Preview)> {
    reads::in_context(app, caller, id, |tx, context| {
        proposal.permit(tx, context.rotation, caller)?;
        context.rotation.check_own()?;
        proposal.check(context, caller)
    })
}

/// What whoever proposes says to a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Write nothing yet.
    Weigh,
    /// Write it with the conflicts acknowledged that the proposal names.
    Write,
    /// Write it with all conflicts acknowledged.
    Acknowledge,
}

/// What came of a proposal.
pub struct Proposed<T> {
    /// The rotation before the write.
    pub rotation: Rotation,
    pub preview: Preview,
    /// `None` where nothing was written.
    pub written: Option<T>,
}

/// Previews a proposal, and writes it as previewed if `weigh` says so. `write` runs the operation as its edge does.
///
/// # Errors
/// Those of the preview, of `weigh` and of the write.
pub fn propose<P: Proposal, T>(
    (app, caller): (&App, &Principal),
    id: &RotationId,
    proposal: P,
    weigh: impl FnOnce(&Rotation, &Preview) -> Result<Decision>,
    write: impl FnOnce(Propose<P>) -> Result<T>,
) -> Result<Proposed<T>> {
    let (rotation, preview) = self::preview(app, caller, id, &proposal)?;
    let decision = weigh(&rotation, &preview)?;
    let written = match decision {
        Decision::Weigh => None,
        Decision::Write | Decision::Acknowledge => {
            let acknowledges = decision == Decision::Acknowledge;
            let proposal = proposal.previewed(&preview, acknowledges);
            Some(write(Propose(proposal))?)
        }
    };
    Ok(Proposed {
        rotation,
        preview,
        written,
    })
}

/// Makes a request, unless a conflict blocks it. Who is on call does not change until it is accepted.
pub(super) fn request(
    tx: &mut WriteTx,
    draft: &mut Draft,
    by: &Principal,
    (request, checked): (Request, Preview),
) -> Result<RequestWritten> {
    check_unblocked(&checked.conflicts())?;
    ask(tx, draft, &request)?;
    written(tx, draft, by, &request, Outcome::beside(Notify::Asked))
}
