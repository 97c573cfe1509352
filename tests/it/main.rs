//! One integration binary: it starts the real `rota` and speaks HTTP to it.
//!
//! | Subject | Module |
//! |---|---|
//! | Rotations: members, cadence, coverage, covered hours, rosters, absences, Free and Pro, people from outside | `rotations` |
//! | Who is on call: setting and clearing it, and how turns are dealt | `duty` |
//! | History, schedule, and both compared with a second implementation over years | `record` |
//! | Assignments, and every conflict and effect of an arrangement | `arrangements` |
//! | Cover requests | `covers` |
//! | Swap requests | `swaps` |
//! | Turns that are traded: messages, calendars, reports, explanations, pages | `trades` |
//! | Requests answered at the same moment | `races` |
//! | Who did what: the audit log | `audit` |
//! | People, user groups and channels that are written one by one | `people` |
//! | Providers of identities: Users and Groups by SCIM, how rotations follow, recorded requests | `scim` |
//! | Calendars of people: reading them, and what their absences do | `calendars` |
//! | Mentions | `mentions` |
//! | What is wrong with plans | `warnings` |
//! | Telling people of what moved in their own plan | `notices` |
//! | Which events a change emits | `events` |
//! | Webhook endpoints, secrets, addresses, deliveries and retries, `rota verify` | `webhooks` |
//! | Inbound webhooks | `inbound` |
//! | Rotations that follow schedules of partners | `partners` |
//! | Chat: messages, reminders, topics, user groups, the directory | `chat` |
//! | Slack: settings, what goes out, what comes in, the directory | `slack` |
//! | Matrix: settings, and a start while nothing answers | `matrix` |
//! | Mail, incoming webhooks, the list of messages and the inbox | `relay` |
//! | HTTP, credentials, entity tags, instants, problems, OpenAPI, reverse proxies | `api` |
//! | Reading partner systems: their stand-ins, their documents, failures | `sources` |
//! | Tools for assistants: messages, versions, rights, writes | `mcp` |
//! | The pages: signing in, forms, rights, what they show | `web` |
//! | Rotations as code: export, plan, apply, who, next | `code` |
//! | Commands, imports of the directory, migration, replication, retention, metrics, logs, readiness | `operator` |
//! | `rota dev`: clock, demo workspace, receiver | `dev` |
//! | Kills, stops and restarts, full disks, damaged or lost files, clock steps | `faults`, with one module for each subject |
//! | What waits in real time; it is begun with the run | `waits` |
//! | Random requests | `fuzz` |
//! | README and manual | `docs` |
//! | Imports between the modules of `src` | `architecture` |
//! | Starting the server, HTTP, builders, receivers | `support` |

mod support;

mod api;
mod architecture;
mod arrangements;
mod audit;
mod calendars;
mod chat;
mod code;
mod covers;
mod dev;
mod docs;
mod duty;
mod events;
mod faults;
mod fuzz;
mod inbound;
mod matrix;
mod mcp;
mod mentions;
mod notices;
mod operator;
mod partners;
mod people;
mod races;
mod record;
mod relay;
mod rotations;
mod scim;
mod slack;
mod sources;
mod swaps;
mod trades;
mod waits;
mod warnings;
mod web;
mod webhooks;

use support::cli;
