//! What threads run on: the clock, wakeups, heartbeats, background loops and their supervisor.
//!
//! | File | Part |
//! |---|---|
//! | `clock` | the system's clock, or one that is frozen for tests and development |
//! | `wakeup` | waking a thread that waits |
//! | `heartbeat` | whether a thread is at work, waits, hangs or has ended |
//! | `transaction` | keeps network calls out of transactions |
//! | `background` | the list of background loops: the one place where each is registered |
//! | `supervisor` | ends the server when one of its threads ends, and pings the service manager while all is well |

pub mod background;
pub mod clock;
pub mod heartbeat;
pub mod supervisor;
pub mod transaction;
pub mod wakeup;
