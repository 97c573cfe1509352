//! Who is on call: set through the API, and chosen by dealing.

mod cleared;
mod dealing;
mod on_call;
