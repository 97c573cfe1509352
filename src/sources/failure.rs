//! Why a reading failed.

use crate::domain::partner::ReadFailure;
use std::fmt;
use std::time::Duration;

/// Why a partner could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: ReadFailure,
    /// A sentence for the operator, without secrets.
    pub detail: String,
    /// How long to wait before the next request, where the partner said so.
    pub wait: Option<Duration>,
    /// The status of the partner's answer, where that is the failure.
    pub status: Option<u16>,
}

impl Failure {
    /// A failure without a stated wait.
    pub fn new(kind: ReadFailure, detail: impl Into<String>) -> Failure {
        Failure {
            kind,
            detail: detail.into(),
            wait: None,
            status: None,
        }
    }

    /// An answer that does not say what it should.
    pub fn invalid(detail: impl Into<String>) -> Failure {
        Failure::new(ReadFailure::InvalidResponse, detail)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

impl std::error::Error for Failure {}
