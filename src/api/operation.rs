//! The description of an operation, for the OpenAPI document and for dispatch.

use crate::wire::page::Page;
use schemars::{JsonSchema, Schema, SchemaGenerator};

/// Generates the schema of a type.
pub type Shape = fn(&mut SchemaGenerator) -> Schema;

/// The schema of a type, by reference if it has a name.
pub fn shape<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
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
    query: &'static [Parameter],
    /// Whether [`PAGE`] and [`PAGE_SIZE`] follow the parameters of the query.
    paged: bool,
    pub body: Body,
    gives: [Option<Gives>; 2],
    /// The codes of its own refusals.
    pub refuses: Codes,
}

/// The request body.
#[derive(Clone, Copy)]
pub enum Body {
    None,
    /// May be absent or null.
    Optional(Shape),
    Required(Shape),
}

/// A successful response.
#[derive(Clone, Copy)]
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

/// An operation that takes no query and no body. What it gives has to be added.
pub const fn operation(id: &'static str, tag: &'static str, summary: &'static str) -> Operation {
    Operation {
        id,
        tag,
        summary,
        about: "",
        query: &[],
        paged: false,
        body: Body::None,
        gives: [None; 2],
        refuses: &[],
    }
}

impl Operation {
    /// What it does, in sentences.
    pub const fn about(mut self, about: &'static str) -> Operation {
        self.about = about;
        self
    }

    /// Its query.
    pub const fn query(mut self, query: &'static [Parameter]) -> Operation {
        self.query = query;
        self
    }

    /// It needs a body.
    pub const fn takes<T: JsonSchema>(mut self) -> Operation {
        self.body = Body::Required(shape::<T>);
        self
    }

    /// It takes a body, which may be absent or null.
    pub const fn may_take<T: JsonSchema>(mut self) -> Operation {
        self.body = Body::Optional(shape::<T>);
        self
    }

    /// Its own refusals.
    pub const fn refuses(mut self, codes: Codes) -> Operation {
        self.refuses = codes;
        self
    }

    /// A JSON response.
    pub const fn gives<T: JsonSchema>(self, status: u16, about: &'static str) -> Operation {
        self.answers(status, about, Some(shape::<T>), &[])
    }

    /// A JSON response with its ETag.
    pub const fn gives_tagged<T: JsonSchema>(self, about: &'static str) -> Operation {
        self.answers(200, about, Some(shape::<T>), &["ETag"])
    }

    /// A page of a collection, and the parameters that choose it.
    pub const fn gives_page<T: JsonSchema>(mut self, about: &'static str) -> Operation {
        self.paged = true;
        self.gives::<Page<T>>(200, about)
    }

    /// 204, with no body.
    pub const fn gives_nothing(self, about: &'static str) -> Operation {
        self.answers(204, about, None, &[])
    }

    /// 304 with the ETag and without a body.
    pub const fn or_not_modified(self) -> Operation {
        let about = "The version named in If-None-Match is current.";
        self.answers(304, about, None, &["ETag"])
    }

    /// Another JSON response, with headers.
    pub const fn gives_with<T: JsonSchema>(
        self,
        status: u16,
        about: &'static str,
        headers: &'static [&'static str],
    ) -> Operation {
        self.answers(status, about, Some(shape::<T>), headers)
    }

    /// A file of this media type, with its ETag.
    pub const fn gives_file(self, about: &'static str, media_type: &'static str) -> Operation {
        let mut this = self.gives_text(about, media_type);
        if let Some(gives) = &mut this.gives[0] {
            gives.headers = &["ETag"];
        }
        this
    }

    /// A text of another media type.
    pub const fn gives_text(mut self, about: &'static str, media_type: &'static str) -> Operation {
        let at = self.gives[0].is_some() as usize;
        self = self.gives::<String>(200, about);
        if let Some(gives) = &mut self.gives[at] {
            gives.media_type = media_type;
        }
        self
    }

    const fn answers(
        mut self,
        status: u16,
        about: &'static str,
        shape: Option<Shape>,
        headers: &'static [&'static str],
    ) -> Operation {
        self.gives[self.gives[0].is_some() as usize] = Some(Gives {
            status,
            about,
            shape,
            headers,
            media_type: JSON,
        });
        self
    }

    /// The parameters of its query.
    pub fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        let pages: &[Parameter] = if self.paged { PAGES } else { &[] };
        self.query.iter().chain(pages)
    }

    /// Its successful responses.
    pub fn responses(&self) -> impl Iterator<Item = &Gives> {
        self.gives.iter().flatten()
    }
}

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
const PAGES: &[Parameter] = &[PAGE, PAGE_SIZE];

const START: &str = "Start of the range.";
/// The start of a range.
pub const FROM: Parameter = parameter("from", Kind::NeededInstant, START);
/// The end of a range.
pub const TO: Parameter = parameter("to", Kind::NeededInstant, "End of the range, exclusive.");
/// A range that may be open at both ends.
pub const OPEN_RANGE: &[Parameter] = &[
    instant("from", "Start of the range; unlimited if omitted."),
    instant("to", "End of the range, exclusive; unlimited if omitted."),
];
/// The rotation of what is listed.
pub const OF_ROTATION: Parameter = text("rotationId", "Only those of this rotation.");

/// A query parameter.
pub const fn parameter(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, kind, about }
}

/// A query parameter that is an optional text.
pub const fn text(name: &'static str, about: &'static str) -> Parameter {
    parameter(name, Kind::Text, about)
}

/// A query parameter that is an optional instant.
pub const fn instant(name: &'static str, about: &'static str) -> Parameter {
    parameter(name, Kind::Instant, about)
}

/// Codes of refusals, in the order of the document.
pub type Codes = &'static [&'static str];

/// The sets of refusals that operations share, and those with many codes.
#[rustfmt::skip]
pub mod refusals {
    use super::Codes;

    pub const ANSWER: Codes = &[
        "operationIdReused", "requestNotPending", "requestChanged", "rotation_disabled", "external_rotation_is_read_only",
    ];
    pub const DUTY: Codes = &["rotation_disabled", "external_rotation_is_read_only"];
    pub const READ_ONLY: Codes = &["external_rotation_is_read_only"];
    pub const UNSEEN: Codes = &["not_found"];
    pub const FORECAST: Codes = &["not_known_yet"];
    pub const MENTION: Codes = &["mentionNotOpen"];
    pub const PLAN: Codes = &["payment_required"];
    pub const PREVIEW_ASSIGNMENT: Codes = &[
        "payment_required", "rotation_disabled", "repairNotSupported", "external_rotation_is_read_only",
    ];
    pub const ASSIGN: Codes = &[
        "payment_required", "rotation_disabled", "operationIdReused", "conflictsNotAcknowledged", "conflictBlocks",
        "tooManyArrangements", "external_rotation_is_read_only",
    ];
    pub const CHANGE_ASSIGNMENT: Codes = &[
        "payment_required", "rotation_disabled", "operationIdReused", "repairNotSupported", "arrangementChanged",
        "conflictsNotAcknowledged", "conflictBlocks", "tooManyArrangements", "external_rotation_is_read_only",
    ];
    pub const END_ASSIGNMENT: Codes = &[
        "rotation_disabled", "operationIdReused", "repairNotSupported", "arrangementChanged",
        "external_rotation_is_read_only",
    ];
    pub const PREVIEW_COVER: Codes = &[
        "payment_required", "rotation_disabled", "notYourDuty", "external_rotation_is_read_only",
    ];
    pub const ASK_FOR_COVER: Codes = &[
        "payment_required", "rotation_disabled", "operationIdReused", "notYourDuty", "conflictBlocks",
        "tooManyPendingRequests", "external_rotation_is_read_only",
    ];
    pub const ACCEPT_COVER: Codes = &[
        "payment_required", "operationIdReused", "requestNotPending", "coverAlreadyAccepted", "requestChanged",
        "rotation_disabled", "notYourDuty", "conflictsNotAcknowledged", "conflictBlocks", "tooManyArrangements",
        "external_rotation_is_read_only",
    ];
    pub const PREVIEW_SWAP: Codes = &["payment_required", "rotation_disabled", "external_rotation_is_read_only"];
    pub const OFFER_SWAP: Codes = &[
        "payment_required", "rotation_disabled", "operationIdReused", "conflictBlocks", "tooManyPendingRequests",
        "external_rotation_is_read_only",
    ];
    pub const ACCEPT_SWAP: Codes = &[
        "payment_required", "operationIdReused", "requestNotPending", "requestChanged", "rotation_disabled",
        "notYourDuty", "startedLegNotAcknowledged", "conflictsNotAcknowledged", "conflictBlocks", "tooManyArrangements",
        "external_rotation_is_read_only",
    ];
    pub const REGISTER_WEBHOOK: Codes = &[
        "webhook_url_malformed", "webhook_url_scheme_not_allowed", "webhook_url_host_not_resolvable",
        "webhook_url_private_address", "webhook_event_type_unknown", "webhook_event_type_not_subscribable",
        "payment_required", "webhook_endpoint_limit",
    ];
    pub const REPLACE_WEBHOOK: Codes = &[
        "webhook_url_malformed", "webhook_url_scheme_not_allowed", "webhook_url_host_not_resolvable",
        "webhook_url_private_address", "webhook_event_type_unknown", "webhook_event_type_not_subscribable",
        "payment_required",
    ];
    pub const CREATE_ROTATION: Codes = &[
        "payment_required", "rotation_code_taken", "idempotency_key_reused", "idempotency_key_spent",
    ];
    pub const OWNED_DIRECTORY: Codes = &["directory_is_slack", "directory_is_matrix"];
    pub const CREATE_USER: Codes = &[
        "directory_is_slack", "directory_is_matrix", "duplicate_id", "duplicate_address", "duplicate_handle", "no_mail",
        "no_address",
    ];
    pub const PATCH_USER: Codes = &[
        "directory_is_slack", "directory_is_matrix", "duplicate_address", "duplicate_handle", "last_admin",
        "person_is_provisioned", "no_mail", "no_address",
    ];
    pub const CREATE_GROUP: Codes = &[
        "directory_is_slack", "directory_is_matrix", "duplicate_id", "duplicate_handle",
    ];
    pub const PATCH_GROUP: Codes = &[
        "directory_is_slack", "directory_is_matrix", "duplicate_handle", "group_is_provisioned",
    ];
    pub const REMOVE_GROUP: Codes = &["directory_is_slack", "directory_is_matrix", "group_is_provisioned"];
    pub const CREATE_CHANNEL: Codes = &["directory_is_slack", "directory_is_matrix", "duplicate_id"];
    pub const PATCH_ROTATION: Codes = &["payment_required", "rotation_code_taken", "external_rotation_is_read_only"];
}
