//! `rota dev`: the command, its clock and demo workspace, and the built-in webhook receiver.

mod command;
mod receiver;
