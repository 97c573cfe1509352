//! Conventions of the whole API: HTTP, credentials, ETags, problems, the OpenAPI document.

mod credentials;
mod etags;
mod examples;
mod http;
mod instants;
mod openapi;
mod problems;
mod proxies;
mod slow_readers;
mod strict;
mod validators;
