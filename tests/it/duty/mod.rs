//! Who is on call: set by hand through the API, and chosen by dealing.

mod cleared;
mod dealing;
mod on_call;
