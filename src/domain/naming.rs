//! How sentences about a rotation name what people have named.

/// What people, rotations, lanes and windows are called in a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// What people call them.
    #[default]
    Names,
    /// Their ids. What people wrote stays out of sentences that a model reads as ours.
    Ids,
}
