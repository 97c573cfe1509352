//! Keeps network calls out of transactions: a server that does not answer would hold up every writer, or keep an old snapshot
//! alive. Debug builds panic where a thread within a transaction sends a request; release builds check nothing.

#[cfg(debug_assertions)]
use std::cell::Cell;

#[cfg(debug_assertions)]
thread_local! {
    /// How many transactions this thread is in: a read may stand within a write.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Held while a thread is in a transaction.
#[must_use]
pub struct TransactionGuard(());

impl TransactionGuard {
    /// The thread enters a transaction.
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

/// To be called before anything is sent.
///
/// # Panics
/// In debug builds, when the thread is in a transaction.
#[inline(always)]
pub fn assert_network_allowed() {
    #[cfg(debug_assertions)]
    assert!(
        DEPTH.get() == 0,
        "a network call within a transaction: send before or after it"
    );
}
