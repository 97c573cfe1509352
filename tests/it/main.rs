//! One integration binary: it starts the real `rota` and speaks HTTP to it.
