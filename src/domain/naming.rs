//! How sentences about a rotation name what people have named.

/// The names of people, rotations, lanes and windows in a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// The name that people use.
    #[default]
    Names,
    /// Their ids. What people wrote stays out of sentences that a model reads as ours.
    Ids,
}
