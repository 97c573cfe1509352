//! Conventions of the whole API: HTTP itself, credentials, validators, problems, the OpenAPI document.

mod credentials;
mod etags;
mod http;
mod instants;
mod openapi;
mod problems;
mod slow_readers;
mod validators;
