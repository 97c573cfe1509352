//! Answers of pages: HTML, redirects, and the problems that only pages have.

use crate::domain::refusal::Refusal;
use crate::server::{Body, Problem, Response};
use maud::Markup;

/// A page.
pub fn html(status: u16, page: Markup) -> Response {
    let body = Body::from_data(page.into_string());
    Response::new(status, "text/html; charset=utf-8", body).with("Cache-Control", "no-store")
}

/// Sends the browser to where the result is seen.
pub fn see(path: impl Into<String>) -> Response {
    Response::empty(303)
        .with("Location", path.into())
        .with("Cache-Control", "no-store")
}

/// No page at this path.
pub fn nothing_here() -> Problem {
    Refusal::NotFound("page").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_not_kept() {
        let response = see("/rotations/A");
        assert_eq!(response.status, 303);
        let header = |name: &str| {
            let found = response.headers.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.to_string())
        };
        assert_eq!(header("Location").as_deref(), Some("/rotations/A"));
        assert_eq!(header("Cache-Control").as_deref(), Some("no-store"));
    }
}
