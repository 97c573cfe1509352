//! Property tests for rules whose tables are beside the code.

mod fuzz;
