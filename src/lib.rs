//! rota: on-call rotations for one chat workspace.

pub mod clock;
pub mod domain;
pub mod http;
pub mod wire;
