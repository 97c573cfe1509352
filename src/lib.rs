//! rota: on-call rotations for one chat workspace.

pub mod actions;
pub mod api;
pub mod clock;
pub mod dev;
pub mod domain;
pub mod http;
pub mod store;
pub mod timer;
pub mod wake;
pub mod wire;
