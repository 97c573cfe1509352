//! What is wrong with a member of a request. `problem` words it for the API.

/// The path of a member in a request, such as `legs[0].cellId`. It is empty for the request as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberPath(String);

impl MemberPath {
    /// The path as the API writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path in a larger body that has what it is relative to at `prefix`.
    pub fn under(self, prefix: &str) -> MemberPath {
        MemberPath(match self.0.as_str() {
            "" => prefix.to_owned(),
            inner if prefix.is_empty() || inner.starts_with('[') => format!("{prefix}{inner}"),
            inner => format!("{prefix}.{inner}"),
        })
    }

    /// The path relative to the member at `prefix`; `None` if it is not within that member.
    pub fn within(&self, prefix: &str) -> Option<&str> {
        let inner = self.0.strip_prefix(prefix)?;
        match inner.chars().next() {
            None | Some('[') => Some(inner),
            Some('.') => Some(&inner[1..]),
            Some(_) => None,
        }
    }
}

impl From<&str> for MemberPath {
    fn from(path: &str) -> MemberPath {
        MemberPath(path.to_owned())
    }
}

impl From<String> for MemberPath {
    fn from(path: String) -> MemberPath {
        MemberPath(path)
    }
}

/// What is wrong with a member. Each edge words it for its own readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No member has the name. The text advises which may be meant.
    Unknown(String),
    /// What no edge tells apart, in the words of the API.
    Other(String),
}

impl From<&str> for Fault {
    fn from(text: &str) -> Fault {
        Fault::Other(text.to_owned())
    }
}

impl From<String> for Fault {
    fn from(text: String) -> Fault {
        Fault::Other(text)
    }
}
