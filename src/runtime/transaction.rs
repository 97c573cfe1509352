//! Rejects network calls in transactions: a server that does not respond would block every writer, or keep an old snapshot
//! alive. Debug builds panic if a thread in a transaction sends a request. Release builds check nothing.

#[cfg(debug_assertions)]
use std::cell::Cell;

#[cfg(debug_assertions)]
thread_local! {
    /// How many transactions this thread is in: a read may be nested in a write.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Held while a thread is in a transaction.
#[must_use]
pub struct TransactionGuard(());

impl TransactionGuard {
    /// Marks the thread as being in a transaction.
    #[inline(always)]
    pub fn enter() -> TransactionGuard {
        #[cfg(debug_assertions)]
        DEPTH.set(DEPTH.get() + 1);
        TransactionGuard(())
    }
}

impl Drop for TransactionGuard {
    #[inline(always)]
    fn drop(&mut self) {
        #[cfg(debug_assertions)]
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Called before anything is sent.
///
/// # Panics
/// In debug builds, if the thread is in a transaction.
#[inline(always)]
pub fn assert_network_allowed() {
    #[cfg(debug_assertions)]
    assert!(
        DEPTH.get() == 0,
        "a network call within a transaction: send before or after it"
    );
}
