//! Conventions of the whole API: HTTP itself, credentials, validators, problems, the OpenAPI document.

mod credentials;
mod etags;
mod http;
mod openapi;
mod problems;
mod slow_readers;
