//! Webhook endpoints and the deliveries to them: registration, addresses, secrets, sending, and how receivers verify.

pub mod deliveries;
mod endpoints;
mod receivers;
mod secrets;
pub mod sending;
mod urls;
mod verify;
