//! Systems side by side, curves, plans of loads and published systems, as a reader and a pipeline see them.

#[path = "../page/browser.rs"]
#[expect(dead_code, reason = "keys are pressed on the page of a record")]
mod browser;
#[path = "../page/document.rs"]
mod document;
mod fixture;
mod format;
mod load_plan;
mod look;
mod page;
mod reference;
mod scale;
mod text;
