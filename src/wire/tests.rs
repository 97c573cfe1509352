//! Property tests of everything that is read from a request. Table tests are beside the code.

mod fuzz;
