//! Schemas that are made by hand.

/// Another schema of an enum of the domain: another name and description, perhaps only some of the values.
macro_rules! shown {
    ($(#[doc = $doc:literal])* $name:ident of $all:expr) => {
        struct $name;

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let description = concat!($($doc),*).trim();
                schemars::json_schema!({ "type": "string", "enum": $all, "description": description })
            }
        }
    };
}

/// Gives a type that is one JSON value an inline schema.
macro_rules! inline_schema {
    ($name:ident, $schema:tt) => {
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

pub(super) use {inline_schema, shown};
