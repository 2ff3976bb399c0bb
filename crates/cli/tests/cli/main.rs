//! The command line, end to end: the program itself, in an empty directory, as a user would run it.

mod bad_input;
mod bench;
mod broken_off;
mod cmd_calibrate;
mod cmd_compare;
mod cmd_export;
mod cmd_history;
mod cmd_inventory;
mod cmd_io;
mod cmd_list;
mod cmd_model;
mod cmd_pair;
mod cmd_report;
mod cmd_run;
mod io_broken_off;
mod io_counts;
mod io_refused;
mod io_truth;
mod local_server;
mod open_loop;
mod repeats;
mod storage_probes;
