//! The description of an operation, for the OpenAPI document and for dispatch.

use schemars::{Schema, SchemaGenerator};

/// Generates the schema of a type.
pub type Shape = fn(&mut SchemaGenerator) -> Schema;

/// The schema of a type, by reference if it has a name.
pub fn shape<T: schemars::JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The description of an operation. Refusals that all operations of its kind have are not repeated.
pub struct Operation {
    /// Unique; generated clients use it.
    pub id: &'static str,
    /// Its resource.
    pub tag: &'static str,
    pub summary: &'static str,
    pub about: &'static str,
    pub query: &'static [Parameter],
    pub body: Body,
    pub gives: &'static [Gives],
    /// Status and code of its own refusals; the code is empty if there is none.
    pub refuses: &'static [(u16, &'static str)],
}

/// The request body.
pub enum Body {
    None,
    /// May be absent or null.
    Optional(Shape),
    Required(Shape),
}

/// A successful response.
pub struct Gives {
    pub status: u16,
    pub about: &'static str,
    /// `None` without a body.
    pub shape: Option<Shape>,
    /// Response headers in addition to Content-Type.
    pub headers: &'static [&'static str],
    /// The media type of the body.
    pub media_type: &'static str,
}

/// The default media type.
pub const JSON: &str = "application/json";

/// A query parameter.
pub struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
    pub about: &'static str,
}

/// The type of a query parameter.
pub enum Kind {
    Text,
    /// Required text.
    NeededText,
    Flag,
    /// An optional date-time.
    Instant,
    /// A required date-time.
    NeededInstant,
    OneOf(&'static [&'static str]),
    /// Some of these words: the parameter may be there several times.
    SomeOf(&'static [&'static str]),
    /// A whole number from 1 up to the first, by default the second.
    Whole(u32, u32),
}

/// The largest page size.
pub const LARGEST_PAGE: u32 = 200;

/// Page numbers are int32.
pub const LAST_PAGE: u32 = i32::MAX.unsigned_abs();

/// The page number of every collection.
pub const PAGE: Parameter = parameter("page", Kind::Whole(LAST_PAGE, 1), "Which page, from 1.");
/// The page size of every collection.
pub const PAGE_SIZE: Parameter = parameter(
    "pageSize",
    Kind::Whole(LARGEST_PAGE, 50),
    "The maximum number of items on a page.",
);

/// A query parameter.
pub const fn parameter(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, kind, about }
}

/// A JSON response.
pub const fn gives(status: u16, about: &'static str, shape: Shape) -> Gives {
    Gives {
        status,
        about,
        shape: Some(shape),
        headers: &[],
        media_type: JSON,
    }
}

/// A JSON response with its ETag.
pub const fn gives_tagged(status: u16, about: &'static str, shape: Shape) -> Gives {
    Gives {
        status,
        about,
        shape: Some(shape),
        headers: &["ETag"],
        media_type: JSON,
    }
}

/// 304 with the ETag and without a body.
pub const NOT_MODIFIED: Gives = Gives {
    status: 304,
    about: "The version named in If-None-Match is current.",
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
