//! What the OpenAPI document says of an operation, and what dispatch needs of the same.

use schemars::{Schema, SchemaGenerator};

/// How a type becomes a schema.
pub type Shape = fn(&mut SchemaGenerator) -> Schema;

/// The schema of a type, by reference where it has a name.
pub fn shape<T: schemars::JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// An operation as its readers see it. Refusals that every operation of its kind gives are not repeated here.
pub struct Operation {
    /// Unique, for generated clients.
    pub id: &'static str,
    /// The resource that it belongs to.
    pub tag: &'static str,
    pub summary: &'static str,
    pub about: &'static str,
    pub query: &'static [Parameter],
    pub body: Body,
    pub gives: &'static [Gives],
    /// Status and code of refusals of its own; without a code the text is empty.
    pub refuses: &'static [(u16, &'static str)],
}

/// What stands in the request's body.
pub enum Body {
    None,
    /// May be absent or null.
    Optional(Shape),
    Required(Shape),
}

/// One answer that carries out the request.
pub struct Gives {
    pub status: u16,
    pub about: &'static str,
    /// `None` has no body.
    pub shape: Option<Shape>,
    /// Response headers besides Content-Type.
    pub headers: &'static [&'static str],
    /// Of the body.
    pub media_type: &'static str,
}

/// The media type of most bodies.
pub const JSON: &str = "application/json";

/// A query parameter.
pub struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
    pub about: &'static str,
}

/// What a query parameter holds.
pub enum Kind {
    Text,
    /// Text that must be there.
    NeededText,
    Flag,
    /// A date-time that may be left out.
    Instant,
    /// A date-time that must be there.
    NeededInstant,
    OneOf(&'static [&'static str]),
    /// A whole number from 1 up to the first, by default the second.
    Whole(u32, u32),
}

/// The most items on a page.
pub const LARGEST_PAGE: u32 = 200;

/// Pages are told as int32.
pub const LAST_PAGE: u32 = i32::MAX.unsigned_abs();

/// The paging of every collection.
pub const PAGE: Parameter = parameter("page", Kind::Whole(LAST_PAGE, 1), "Which page, from 1.");
/// The same.
pub const PAGE_SIZE: Parameter = parameter(
    "pageSize",
    Kind::Whole(LARGEST_PAGE, 50),
    "How many items are on a page at most.",
);

/// A query parameter.
pub const fn parameter(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, kind, about }
}

/// An answer with a JSON body.
pub const fn gives(status: u16, about: &'static str, shape: Shape) -> Gives {
    Gives {
        status,
        about,
        shape: Some(shape),
        headers: &[],
        media_type: JSON,
    }
}

/// An answer with a JSON body and its validator.
pub const fn gives_tagged(status: u16, about: &'static str, shape: Shape) -> Gives {
    Gives {
        status,
        about,
        shape: Some(shape),
        headers: &["ETag"],
        media_type: JSON,
    }
}

/// 304, with the validator and no body.
pub const NOT_MODIFIED: Gives = Gives {
    status: 304,
    about: "What the caller has, as If-None-Match names it, is current.",
    shape: None,
    headers: &["ETag"],
    media_type: JSON,
};

/// 204, with no body.
pub const fn gives_nothing(about: &'static str) -> Gives {
    Gives {
        status: 204,
        about,
        shape: None,
        headers: &[],
        media_type: JSON,
    }
}
