//! From what is asked for to the answer. It waits for files; the server calls it on threads that may.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use hyper::StatusCode;
use model::history::HistoryQuery;

use crate::answer::Answer;
use crate::index::{AGE_MAX, Index};
use crate::note_form::note_form;
use crate::route::{Id, ListQuery, NoRoute, Route, cancel_form, route, run_form};
use crate::runs::Runs;
use crate::selection::{ENTRIES_MAX, live_items, records_of, selection};
use crate::settings::JSON_BYTES_MAX;
use crate::snapshot::{Item, Snapshot, Source};
use crate::views::{Depth, HistoryPage, ListPage, Medium, Problem, ProblemKind, Rendered, Views};

/// Histories that are kept until the directory changes.
const HISTORIES_MAX: usize = 16;

/// What answers requests.
pub(crate) struct Handler {
    pub(crate) index: Index,
    pub(crate) views: Box<dyn Views>,
    pub(crate) allows_notes: bool,
    /// What carries out runs; absent where none may be started.
    runs: Option<Arc<dyn Runs>>,
    histories: Mutex<VecDeque<History>>,
}

/// A record whose file has changed within so many seconds is being measured, as a rule.
const QUIET_MIN: u64 = 3600;

/// A history that was made: of which snapshot, test, host and figure.
struct History {
    of: (u64, HistoryQuery, String),
    page: Rendered,
}

/// A request without what the guard has looked at.
pub(crate) struct Asked {
    pub(crate) target: String,
    /// The body of a form; none of a request that only reads.
    pub(crate) form: Option<String>,
    /// Whether a page of somebody else led to it.
    pub(crate) is_led_by_others: bool,
}

impl Handler {
    pub(crate) fn new(index: Index, views: Box<dyn Views>, allows_notes: bool, runs: Option<Arc<dyn Runs>>) -> Handler {
        Handler { index, views, allows_notes, runs, histories: Mutex::default() }
    }

    /// The answer to `asked`.
    pub(crate) fn answer(&self, asked: &Asked) -> Answer {
        let target = &asked.target;
        if let Some(form) = &asked.form {
            return self.write(target, form).unwrap_or_else(|problem| self.problem(&problem, target));
        }
        let route = match route(target) {
            Ok(route) => route,
            Err(error) => return self.no_route(error, target),
        };
        self.read(route, asked.is_led_by_others).unwrap_or_else(|problem| self.problem(&problem, target))
    }

    fn read(&self, route: Route, is_led_by_others: bool) -> Result<Answer, Problem> {
        let snapshot = self.index.current(AGE_MAX);
        let page = match route {
            Route::List(query) => self.list(&snapshot, &query),
            Route::Record(id) => self.views.record(find(&snapshot, &id)?, Medium::Served)?,
            Route::Compare(ids) => self.views.compare(&find_all(&snapshot, &ids)?, Medium::Served)?,
            Route::History { test, host, metric } => {
                self.history(&snapshot, HistoryQuery { test, jobs: None, metric }, host)?
            }
            Route::Side { ids, tests } => self.views.side(&find_all(&snapshot, &ids)?, &tests)?,
            Route::Plan(query) => {
                // A plan is made by a process: not for a page of somebody else, and not beside a run.
                self.views.plan(&query, !is_led_by_others && !is_measuring(&snapshot))?
            }
            Route::Month { history, target, month } => self.views.month(&history, &target, &month)?,
            Route::Live => {
                let [page, _] = self.views.live(&live_items(&snapshot, SystemTime::now()));
                page
            }
            Route::Note(id) => self.views.note(find(&snapshot, &id)?, &snapshot, self.allows_notes),
            Route::ApiRecords => return Ok(Answer::json(self.views.list_json(&snapshot))),
            Route::ApiRecord(id) => return self.record_json(find(&snapshot, &id)?).map(Answer::json),
            // They are answered elsewhere, by events.
            Route::LiveEvents => return Ok(self.no_route(NoRoute::Unknown, "/live/events")),
        };
        Ok(Answer::page(page))
    }

    fn list(&self, snapshot: &Snapshot, query: &ListQuery) -> String {
        let chosen = selection(snapshot, &query.filter, query.page, ENTRIES_MAX);
        self.views.list(&ListPage {
            medium: Medium::Served,
            snapshot,
            filter: &query.filter,
            items: &chosen.items,
            found: chosen.found,
            pages: chosen.pages,
            compared_max: usize::MAX,
        })
    }

    fn record_json(&self, item: &Item) -> Rendered {
        if let Source::Record { path, .. } = &item.source {
            let size = std::fs::metadata(path).map_or(0, |file| file.len());
            if size > JSON_BYTES_MAX {
                let message =
                    format!("the record has {size} bytes, more than {JSON_BYTES_MAX}\nhint: take the file itself");
                return Err(Problem::refused(message));
            }
        }
        self.views.record_json(item)
    }

    /// The history of a test, made once for each state of the directory.
    fn history(&self, snapshot: &Snapshot, query: HistoryQuery, host: String) -> Rendered {
        let of = (snapshot.generation, query, host);
        let mut kept = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.iter().find(|history| history.of == of) {
            return found.page.clone();
        }
        let has_test = |item: &&Arc<Item>| item.entry.tests.contains(&of.1.test) && !item.entry.host.is_empty();
        let hosts: BTreeSet<&str> =
            snapshot.items.iter().filter(has_test).map(|item| item.entry.host.as_str()).collect();
        let hosts: Vec<&str> = hosts.into_iter().collect();
        let page = HistoryPage { query: &of.1, hosts: &hosts, host: &of.2, medium: Medium::Served };
        let page = self.views.history(&page, &mut records_of(snapshot, &of.1.test, &of.2));
        kept.retain(|history| history.of.0 == of.0);
        if kept.len() == HISTORIES_MAX {
            kept.pop_front();
        }
        kept.push_back(History { of, page: page.clone() });
        page
    }

    /// Carries out a form.
    fn write(&self, target: &str, form: &str) -> Result<Answer, Problem> {
        match target {
            "/note" => self.write_note(target, form),
            "/run" => self.start_run(target, form),
            "/cancel" => self.cancel_run(target, form),
            _ => Ok(self.no_route(NoRoute::Unknown, target)),
        }
    }

    fn start_run(&self, target: &str, form: &str) -> Result<Answer, Problem> {
        let runs = self.runs()?;
        let query = match run_form(form) {
            Ok(query) => query,
            Err(error) => return Ok(self.no_route(error, target)),
        };
        if is_measuring(&self.index.current(AGE_MAX)) {
            let message = "a record of this directory is unfinished, and has changed within the last hour\n\
                           hint: wait until it has ended; the live page shows it";
            return Err(Problem { kind: ProblemKind::Busy, message: message.to_owned() });
        }
        runs.start(&query)?;
        self.index.expire();
        Ok(Answer::redirect("live".to_owned()))
    }

    fn cancel_run(&self, target: &str, form: &str) -> Result<Answer, Problem> {
        let runs = self.runs()?;
        let number = match cancel_form(form) {
            Ok(number) => number,
            Err(error) => return Ok(self.no_route(error, target)),
        };
        runs.cancel(number)?;
        Ok(Answer::redirect("live".to_owned()))
    }

    fn runs(&self) -> Result<&dyn Runs, Problem> {
        self.runs.as_deref().ok_or_else(|| {
            Problem::refused(
                "this server runs nothing\nhint: dbdyno serve --allow-run TARGETS.toml lets runs be started",
            )
        })
    }

    fn write_note(&self, target: &str, form: &str) -> Result<Answer, Problem> {
        if !self.allows_notes {
            return Err(Problem::refused(
                "notes can be read only\nhint: dbdyno serve --allow-notes lets them be written",
            ));
        }
        let (id, note) = match note_form(form) {
            Ok(read) => read,
            Err(error) => return Ok(self.no_route(error, target)),
        };
        find(&self.index.current(AGE_MAX), &id)?;
        let failed =
            |error| Problem { kind: ProblemKind::Failed, message: format!("the note cannot be written: {error}") };
        store::write_note(self.index.directory(), id.text(), note).map_err(failed)?;
        self.index.expire();
        Ok(Answer::redirect(format!("note?id={}", id.text())))
    }

    fn no_route(&self, error: NoRoute, target: &str) -> Answer {
        let (status, message) = match error {
            NoRoute::Unknown => {
                (StatusCode::NOT_FOUND, "there is no such page\nhint: the list of records has links to all".to_owned())
            }
            NoRoute::Query(message) => (StatusCode::BAD_REQUEST, message),
        };
        self.refuse(status, &message, target)
    }

    fn problem(&self, problem: &Problem, target: &str) -> Answer {
        let status = match problem.kind {
            ProblemKind::Gone => StatusCode::NOT_FOUND,
            ProblemKind::Refused => StatusCode::UNPROCESSABLE_ENTITY,
            ProblemKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
            ProblemKind::Busy => StatusCode::CONFLICT,
        };
        self.refuse(status, &problem.message, target)
    }

    /// An answer that says why there is no other one to a request for `target`, for a program where that is one for
    /// programs.
    pub(crate) fn refuse(&self, status: StatusCode, message: &str, target: &str) -> Answer {
        let answer = match target.starts_with("/api/") {
            true => Answer::json(format!("{}\n", serde_json::json!({ "error": message }))),
            false => Answer::page(self.views.problem(message, Medium::Served, depth(target))),
        };
        answer.with(status)
    }
}

/// Whether a record is being measured, as far as its file tells.
fn is_measuring(snapshot: &Snapshot) -> bool {
    live_items(snapshot, SystemTime::now()).iter().any(|live| live.quiet_seconds < QUIET_MIN)
}

fn find<'a>(snapshot: &'a Snapshot, id: &Id) -> Result<&'a Arc<Item>, Problem> {
    snapshot.find(id.text()).ok_or_else(|| Problem {
        kind: ProblemKind::Gone,
        message: format!(
            "there is no record {}\nhint: it was removed, or its file is read as another one now",
            id.text()
        ),
    })
}

fn find_all(snapshot: &Snapshot, ids: &[Id]) -> Result<Vec<Arc<Item>>, Problem> {
    ids.iter().map(|id| find(snapshot, id).cloned()).collect()
}

/// Whether a page is in a folder.
fn depth(target: &str) -> Depth {
    let path = target.split('?').next().unwrap_or_default();
    if path.matches('/').count() > 1 { Depth::Below } else { Depth::Root }
}
