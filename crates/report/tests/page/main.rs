//! The page of a record: its figures against the record, and its rendering in a browser.

mod activity;
#[path = "../views/activity_sample.rs"]
mod activity_sample;
mod agents;
mod browser;
mod content;
#[path = "../views/data_sample.rs"]
mod data_sample;
mod disclosure;
mod document;
#[path = "../views/drawn.rs"]
mod drawn;
#[path = "../views/finding_sample.rs"]
mod finding_sample;
mod hostile;
mod layers;
#[path = "../views/layers_sample.rs"]
mod layers_sample;
mod look;
mod nodes;
#[path = "../views/platform_sample.rs"]
mod platform_sample;
mod published;
#[path = "../views/run_sample.rs"]
mod run_sample;
#[path = "../views/sample.rs"]
mod sample;
mod samples;
mod series;
#[path = "../views/test_sample.rs"]
mod test_sample;
mod topology;
#[path = "../views/topology_sample.rs"]
mod topology_sample;
