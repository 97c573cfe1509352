//! GET explain with `userId`: why somebody was not chosen.
