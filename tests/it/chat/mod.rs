//! Chat: messages, reminders, topics, on-duty groups.

mod bindings;
mod directory;
mod down;
mod groups;
mod hours;
mod late_calls;
mod messages;
mod own_reminders;
mod refusals;
mod reminders;
mod requests;
mod restoring;
mod retries;
mod status;
mod stored;
mod summaries;
mod topics;
mod withheld;
