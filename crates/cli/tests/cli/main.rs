//! The command line, end to end: the program itself, in an empty directory, as a user would run it.

mod bad_input;
mod bench;
mod broken_off;
mod cmd_inventory;
mod cmd_list;
mod cmd_report;
mod cmd_run;
mod local_server;
mod open_loop;
