//! Webhook endpoints and their deliveries: registration, addresses, secrets, sending, and verification by receivers.

pub mod deliveries;
mod endpoints;
mod receivers;
mod secrets;
pub mod sending;
mod urls;
mod verify;
