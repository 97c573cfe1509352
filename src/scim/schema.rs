//! The attributes of Users and Groups, and of what describes them (RFC 7643). Discovery, parsing and filters all read these tables.

use serde_json::{Map, Value, json};

/// The schema of Users.
pub const USER_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
/// The schema of Groups.
pub const GROUP_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:Group";

/// What an attribute holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// Compared with its case.
    Exact,
    Flag,
    Number,
    Instant,
    Reference,
    Complex(&'static [Attribute]),
}

/// Who writes an attribute, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutability {
    ReadWrite,
    ReadOnly,
    Immutable,
}

/// An attribute, or a part of a complex one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub name: &'static str,
    pub kind: Kind,
    pub many: bool,
    pub required: bool,
    pub mutability: Mutability,
    is_unique: bool,
    /// What a reference leads to, or the values that are usual.
    words: &'static [&'static str],
    about: &'static str,
}

impl Attribute {
    const fn new(name: &'static str, kind: Kind, about: &'static str) -> Attribute {
        Attribute {
            name,
            kind,
            many: false,
            required: false,
            mutability: Mutability::ReadWrite,
            is_unique: false,
            words: &[],
            about,
        }
    }

    const fn many(self) -> Attribute {
        Attribute { many: true, ..self }
    }

    const fn required(self) -> Attribute {
        Attribute {
            required: true,
            ..self
        }
    }

    const fn unique(self) -> Attribute {
        Attribute {
            is_unique: true,
            ..self
        }
    }

    const fn being(self, mutability: Mutability) -> Attribute {
        Attribute { mutability, ..self }
    }

    const fn read_only(self) -> Attribute {
        self.being(Mutability::ReadOnly)
    }

    const fn words(self, words: &'static [&'static str]) -> Attribute {
        Attribute { words, ..self }
    }

    /// The part of a complex attribute with this name, in any case.
    pub fn part(&self, name: &str) -> Option<&'static Attribute> {
        match self.kind {
            Kind::Complex(parts) => find(parts, name),
            _ => None,
        }
    }

    fn described(&self) -> Value {
        let (kind, exact) = match self.kind {
            Kind::Text => ("string", false),
            Kind::Exact => ("string", true),
            Kind::Flag => ("boolean", false),
            Kind::Number => ("integer", false),
            Kind::Instant => ("dateTime", false),
            Kind::Reference => ("reference", true),
            Kind::Complex(_) => ("complex", false),
        };
        let mutability = match self.mutability {
            Mutability::ReadWrite => "readWrite",
            Mutability::ReadOnly => "readOnly",
            Mutability::Immutable => "immutable",
        };
        let mut found = json!({
            "name": self.name, "type": kind, "multiValued": self.many, "description": self.about,
            "required": self.required, "caseExact": exact, "mutability": mutability, "returned": "default",
            "uniqueness": if self.is_unique { "server" } else { "none" }
        });
        if let Kind::Complex(parts) = self.kind {
            found["subAttributes"] = parts.iter().map(Attribute::described).collect();
        }
        match (self.words, self.kind) {
            ([], _) => {}
            (words, Kind::Reference) => found["referenceTypes"] = json!(words),
            (words, _) => found["canonicalValues"] = json!(words),
        }
        found
    }
}

fn find(attributes: &'static [Attribute], name: &str) -> Option<&'static Attribute> {
    let named = |attribute: &&Attribute| attribute.name.eq_ignore_ascii_case(name);
    attributes.iter().find(named)
}

/// A kind of resource.
#[derive(Debug, PartialEq, Eq)]
pub struct Resource {
    /// `User`.
    pub name: &'static str,
    /// `/Users`.
    pub endpoint: &'static str,
    pub schema: &'static str,
    attributes: &'static [Attribute],
    about: &'static str,
}

impl Resource {
    /// The attribute with this name, in any case: one of its own, or one that all resources have.
    pub fn attribute(&self, name: &str) -> Option<&'static Attribute> {
        find(self.attributes, name).or_else(|| find(COMMON, name))
    }
}

const fn text(name: &'static str, about: &'static str) -> Attribute {
    Attribute::new(name, Kind::Text, about)
}

const fn exact(name: &'static str, about: &'static str) -> Attribute {
    Attribute::new(name, Kind::Exact, about)
}

const fn flag(name: &'static str, about: &'static str) -> Attribute {
    Attribute::new(name, Kind::Flag, about)
}

const fn reference(name: &'static str, about: &'static str) -> Attribute {
    Attribute::new(name, Kind::Reference, about)
}

const fn complex(
    name: &'static str,
    parts: &'static [Attribute],
    about: &'static str,
) -> Attribute {
    Attribute::new(name, Kind::Complex(parts), about)
}

/// What every resource has.
const COMMON: &[Attribute] = &[
    exact("id", "The id of the record in rota.").read_only(),
    exact("externalId", "The id that the provider gave it."),
    complex(
        "meta",
        &[
            exact("resourceType", "User or Group.").read_only(),
            Attribute::new("created", Kind::Instant, "When it was made.").read_only(),
            Attribute::new("lastModified", Kind::Instant, "When it last changed.").read_only(),
            reference("location", "Its address.").read_only(),
            exact("version", "Its ETag.").read_only(),
        ],
        "What is known of the record itself.",
    )
    .read_only(),
];

const EMAIL: &[Attribute] = &[
    text("value", "The address."),
    text("type", "What it is for.").words(&["work", "home", "other"]),
    flag("primary", "Whether it is the one that rota uses."),
];

const PHONE: &[Attribute] = &[
    text("value", "The number, such as +4722334455."),
    text("type", "What it is for.").words(&["work", "home", "mobile", "other"]),
    flag("primary", "Whether it is the one that rota uses."),
];

/// People.
pub static USER: Resource = Resource {
    name: "User",
    endpoint: "/Users",
    schema: USER_SCHEMA,
    attributes: &[
        text("userName", "Names the person at the provider.")
            .required()
            .unique(),
        complex(
            "name",
            &[
                text("formatted", "The whole name."),
                text("familyName", "The family name."),
                text("givenName", "The given name."),
            ],
            "The name of the person.",
        ),
        text("displayName", "What the person is called in rota."),
        text(
            "timezone",
            "The time zone of the person, such as Europe/Oslo.",
        ),
        flag("active", "Whether the person can be on call and sign in."),
        complex("emails", EMAIL, "Mail addresses.").many(),
        complex("phoneNumbers", PHONE, "Telephone numbers.").many(),
    ],
    about: "A person",
};

/// User groups.
pub static GROUP: Resource = Resource {
    name: "Group",
    endpoint: "/Groups",
    schema: GROUP_SCHEMA,
    attributes: &[
        text("displayName", "The name of the group.").required(),
        complex(
            "members",
            &[
                exact("value", "The id of a User.").being(Mutability::Immutable),
                reference("$ref", "The address of the User.")
                    .being(Mutability::Immutable)
                    .words(&["User"]),
                text("type", "User.")
                    .being(Mutability::Immutable)
                    .words(&["User"]),
            ],
            "The people of the group.",
        )
        .many(),
    ],
    about: "A user group",
};

/// The resources that are kept.
pub static RESOURCES: [&Resource; 2] = [&USER, &GROUP];

const SUPPORTED: &[Attribute] = &[flag("supported", "Whether it is supported.")
    .required()
    .read_only()];

static SERVICE: Resource = Resource {
    name: "ServiceProviderConfig",
    endpoint: "/ServiceProviderConfig",
    schema: "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
    attributes: &[
        reference("documentationUri", "The manual.")
            .read_only()
            .words(&["external"]),
        complex("patch", SUPPORTED, "PATCH.").required().read_only(),
        complex(
            "bulk",
            &[
                flag("supported", "Whether it is supported.")
                    .required()
                    .read_only(),
                Attribute::new("maxOperations", Kind::Number, "The most operations.")
                    .required()
                    .read_only(),
                Attribute::new(
                    "maxPayloadSize",
                    Kind::Number,
                    "The longest body, in bytes.",
                )
                .required()
                .read_only(),
            ],
            "Several operations in one request.",
        )
        .required()
        .read_only(),
        complex(
            "filter",
            &[
                flag("supported", "Whether it is supported.")
                    .required()
                    .read_only(),
                Attribute::new("maxResults", Kind::Number, "The most results of one page.")
                    .required()
                    .read_only(),
            ],
            "Filters.",
        )
        .required()
        .read_only(),
        complex("changePassword", SUPPORTED, "Changing passwords.")
            .required()
            .read_only(),
        complex("sort", SUPPORTED, "Sorting.")
            .required()
            .read_only(),
        complex("etag", SUPPORTED, "ETags.").required().read_only(),
        complex(
            "authenticationSchemes",
            &[
                text("type", "The kind.").required().read_only().words(&[
                    "oauth",
                    "oauth2",
                    "oauthbearertoken",
                    "httpbasic",
                    "httpdigest",
                ]),
                text("name", "What it is called.").required().read_only(),
                text("description", "What it is.").required().read_only(),
                reference("specUri", "Its specification.")
                    .read_only()
                    .words(&["external"]),
                reference("documentationUri", "Its manual.")
                    .read_only()
                    .words(&["external"]),
                flag("primary", "Whether it is the usual one.").read_only(),
            ],
            "How callers authenticate.",
        )
        .many()
        .required()
        .read_only(),
    ],
    about: "What the server supports",
};

static RESOURCE_TYPE: Resource = Resource {
    name: "ResourceType",
    endpoint: "/ResourceTypes",
    schema: "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
    attributes: &[
        text("id", "Its id.").read_only(),
        text("name", "Its name.").required().read_only(),
        text("description", "What it is.").read_only(),
        reference("endpoint", "Its address below that of the server.")
            .required()
            .read_only()
            .words(&["uri"]),
        reference("schema", "Its schema.")
            .required()
            .read_only()
            .words(&["uri"]),
        complex(
            "schemaExtensions",
            &[
                reference("schema", "The schema of an extension.")
                    .required()
                    .read_only()
                    .words(&["uri"]),
                flag("required", "Whether it must be there.")
                    .required()
                    .read_only(),
            ],
            "Extensions of the schema.",
        )
        .many()
        .read_only(),
    ],
    about: "A kind of resource",
};

macro_rules! described {
    ($($more:expr),*) => {
        &[
            exact("name", "The name.").required().read_only(),
            text("type", "The type.").required().read_only().words(&[
                "string", "boolean", "decimal", "integer", "dateTime", "reference", "complex", "binary",
            ]),
            flag("multiValued", "Whether it has several values.").required().read_only(),
            text("description", "What it is.").read_only(),
            flag("required", "Whether it must be there.").read_only(),
            exact("canonicalValues", "Values that are usual.").many().read_only(),
            flag("caseExact", "Whether case counts.").read_only(),
            exact("mutability", "Who writes it.").required().read_only().words(&[
                "readOnly", "readWrite", "immutable", "writeOnly",
            ]),
            exact("returned", "When it is returned.").required().read_only().words(&[
                "always", "never", "default", "request",
            ]),
            exact("uniqueness", "Whether others may have the same.").required().read_only().words(&[
                "none", "server", "global",
            ]),
            exact("referenceTypes", "What a reference leads to.").many().read_only(),
            $($more,)*
        ]
    };
}

static SCHEMA: Resource = Resource {
    name: "Schema",
    endpoint: "/Schemas",
    schema: "urn:ietf:params:scim:schemas:core:2.0:Schema",
    attributes: &[
        text("id", "The URI of the schema.").required().read_only(),
        text("name", "Its name.").required().read_only(),
        text("description", "What it describes.").read_only(),
        complex(
            "attributes",
            described!(
                complex(
                    "subAttributes",
                    described!(),
                    "The parts of a complex attribute."
                )
                .many()
                .read_only()
            ),
            "The attributes.",
        )
        .many()
        .required()
        .read_only(),
    ],
    about: "A schema",
};

/// GET /ServiceProviderConfig. `base` is the address of the edge.
pub fn service(base: &str, most: usize) -> Value {
    json!({
        "schemas": [SERVICE.schema],
        "patch": { "supported": true },
        "bulk": { "supported": false, "maxOperations": 0, "maxPayloadSize": 0 },
        "filter": { "supported": true, "maxResults": most },
        "changePassword": { "supported": false },
        "sort": { "supported": false },
        "etag": { "supported": true },
        "authenticationSchemes": [{
            "type": "oauthbearertoken", "name": "API key",
            "description": "An API key with the scope manage:directory, as a bearer token", "primary": true
        }],
        "meta": { "resourceType": SERVICE.name, "location": format!("{base}{}", SERVICE.endpoint) }
    })
}

/// GET /ResourceTypes.
pub fn resource_types(base: &str) -> Vec<Value> {
    let described = |resource: &&Resource| {
        let location = format!("{base}{}/{}", RESOURCE_TYPE.endpoint, resource.name);
        json!({
            "schemas": [RESOURCE_TYPE.schema], "id": resource.name, "name": resource.name,
            "description": resource.about, "endpoint": resource.endpoint, "schema": resource.schema,
            "meta": { "resourceType": RESOURCE_TYPE.name, "location": location }
        })
    };
    RESOURCES.iter().map(described).collect()
}

/// GET /Schemas.
pub fn schemas(base: &str) -> Vec<Value> {
    let all = [&USER, &GROUP, &SERVICE, &RESOURCE_TYPE, &SCHEMA];
    let described = |resource: &&Resource| {
        let location = format!("{base}{}/{}", SCHEMA.endpoint, resource.schema);
        // What every resource has is part of no schema, but for the id that the provider gives.
        let own = resource.attributes.iter().map(Attribute::described);
        let is_kept = RESOURCES.contains(resource);
        let external = find(COMMON, "externalId").filter(|_| is_kept);
        json!({
            "schemas": [SCHEMA.schema], "id": resource.schema, "name": resource.name,
            "description": resource.about,
            "attributes": own.chain(external.map(Attribute::described)).collect::<Vec<_>>(),
            "meta": { "resourceType": SCHEMA.name, "location": location }
        })
    };
    all.iter().map(described).collect()
}

/// An attribute, and a part of it, by the name of a query or a path: without the schema, which may stand before it.
pub fn resolve(
    resource: &Resource,
    name: &Name,
) -> Option<(&'static Attribute, Option<&'static Attribute>)> {
    let is_ours = (name.uri.as_deref()).is_none_or(|uri| uri.eq_ignore_ascii_case(resource.schema));
    let attribute = resource.attribute(&name.attribute).filter(|_| is_ours)?;
    match &name.part {
        None => Some((attribute, None)),
        Some(part) => Some((attribute, Some(attribute.part(part)?))),
    }
}

/// The name of an attribute as it is written: `urn:...:User:name.givenName`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub uri: Option<String>,
    pub attribute: String,
    pub part: Option<String>,
}

impl Name {
    /// Reads a name; `None` where it is none.
    pub fn parse(text: &str) -> Option<Name> {
        let (uri, path) = match text.rsplit_once(':') {
            Some((uri, path)) => (Some(uri), path),
            None => (None, text),
        };
        let is_uri = |uri: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || ":.-_".contains(c);
            let begins = uri
                .get(..4)
                .is_some_and(|urn| urn.eq_ignore_ascii_case("urn:"));
            begins && uri.chars().all(plain)
        };
        if uri.is_some_and(|uri| !is_uri(uri)) {
            return None;
        }
        // An extension as a whole: the last piece of its URI is its name.
        let (attribute, part) = match path.split_once('.') {
            Some((attribute, part)) => (attribute, Some(part)),
            None => (path, None),
        };
        let is_name = |name: &str| {
            let bare = name.strip_prefix('$').unwrap_or(name);
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            bare.starts_with(|c: char| c.is_ascii_alphabetic()) && bare.chars().all(plain)
        };
        if !is_name(attribute) || part.is_some_and(|part| !is_name(part)) {
            return None;
        }
        Some(Name {
            uri: uri.map(str::to_owned),
            attribute: attribute.to_owned(),
            part: part.map(str::to_owned),
        })
    }
}

/// The member of an object with a name in any case.
pub fn member<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let mut members = object.iter();
    let found = members.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}
