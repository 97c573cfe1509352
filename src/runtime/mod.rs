//! The runtime of threads: clock, wakeups, heartbeats, background loops and their supervisor.
//!
//! | File | Part |
//! |---|---|
//! | `clock` | the system clock, or a frozen one for tests and development |
//! | `wakeup` | wakes waiting threads |
//! | `heartbeat` | whether a thread is busy, idle, hangs or has ended |
//! | `transaction` | rejects network calls in transactions |
//! | `background` | registration of background loops |
//! | `supervisor` | ends the server if a required thread ends; pings the service manager |
//! | `users` | users of the machine |

pub mod background;
pub mod clock;
pub mod heartbeat;
pub mod supervisor;
pub mod transaction;
pub mod users;
pub mod wakeup;
