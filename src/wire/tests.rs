//! Properties of everything that is read from a request. The tables are beside the code.

mod fuzz;
