//! Chat: messages, reminders, topics, on-duty groups.

mod bindings;
mod directory;
mod down;
mod groups;
mod hours;
mod meanwhile;
mod messages;
mod refusals;
mod reminders;
mod requests;
mod restoring;
mod standing;
mod stored;
mod topics;
mod trouble;
mod withheld;
