//! rota: on-call rotations for one chat workspace.

pub mod domain;
