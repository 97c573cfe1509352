//! Properties of what has its tables beside the code.

mod fuzz;
