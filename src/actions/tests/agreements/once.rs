//! Agreements written as the API writes them: idempotent, with the response stored.

use crate::actions::mutation::{Mutation, Operation};
use crate::actions::once::{Once, OperationKey, Receipt, Render};
use crate::actions::tests::*;
use crate::domain::arrangement::ArrangementWritten;
use crate::domain::request::RequestWritten;
use crate::wire::arrangement;
use crate::wire::request::{self, Record};
use serde::Serialize;

fn text<T: Serialize>(value: &T) -> Result<String, Error> {
    Ok(serde_json::to_string(value).expect("JSON"))
}

fn run<O: Operation>(
    app: &App,
    caller: &Principal,
    rotation: &RotationId,
    (key, operation, render): (OperationKey, O, Render<O::Output>),
) -> Result<Receipt, ActionError> {
    let mutation = Mutation {
        author: &by(caller.clone()),
        rotation,
        precondition: &Precondition::Any,
        operation: Once {
            key,
            operation,
            render,
        },
    };
    Ok(mutation.run(app)?.output)
}

/// Writes arrangements.
pub fn arranged(
    app: &App,
    caller: &Principal,
    rotation: &RotationId,
    key: OperationKey,
    operation: impl Operation<Output = ArrangementWritten>,
) -> Result<Receipt, ActionError> {
    let render = |id: &str, written: &_| text(&arrangement::written(id, written));
    run(app, caller, rotation, (key, operation, render))
}

/// Writes a request.
pub fn requested<T: Record + Serialize, O: Operation<Output = RequestWritten>>(
    app: &App,
    caller: &Principal,
    rotation: &RotationId,
    key: OperationKey,
    operation: O,
) -> Result<Receipt, ActionError> {
    let render = |id: &str, written: &_| text(&request::written::<T>(id, written));
    run(app, caller, rotation, (key, operation, render))
}
