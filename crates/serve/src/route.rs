//! What a request asks for, by its path and query. Everything in them was written by others.

use model::archive::{ArchiveFilter, Shown};
use model::history::Metric;
use record::Preset;

/// The longest value in a query, in characters.
const VALUE_LENGTH_MAX: usize = 300;

/// Fields of a query, at most.
const FIELDS_MAX: usize = 200;

/// Systems that are put together, at most: they are named by letters.
const SYSTEMS_MAX: usize = 26;

/// The highest number of a page.
const PAGE_MAX: usize = 1_000_000;

/// By what a record or a published system is found: lower-case letters, digits and `-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(String);

impl Id {
    /// The identifier that `text` is; none where it is no identifier.
    pub fn of(text: &str) -> Option<Id> {
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_id = (1..=64).contains(&text.len()) && text.bytes().all(is_letter) && !text.starts_with('-');
        is_id.then(|| Id(text.to_owned()))
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Route {
    /// The list.
    List(ListQuery),
    /// The page of a record or of a published system.
    Record(Id),
    /// A comparison of two and more, the base first.
    Compare(Vec<Id>),
    /// The history of a test.
    History {
        /// The code of the test.
        test: String,
        /// The host; empty for all.
        host: String,
        /// The figure.
        metric: Metric,
    },
    /// Systems side by side.
    Side {
        /// The systems.
        ids: Vec<Id>,
        /// The codes of the tests.
        tests: Vec<String>,
    },
    /// A run to plan.
    Plan(PlanQuery),
    /// A month of a target in production.
    Month {
        /// The name of the file of its history.
        history: String,
        /// The target.
        target: String,
        /// The month.
        month: String,
    },
    /// What goes on.
    Live,
    /// What goes on, as events.
    LiveEvents,
    /// The note on a record.
    Note(Id),
    /// All records as JSON.
    ApiRecords,
    /// A record as JSON.
    ApiRecord(Id),
}

/// Which entries of the list are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListQuery {
    /// What is looked for.
    pub filter: ArchiveFilter,
    /// The number of the page, from 1.
    pub page: usize,
}

/// The run that is to be planned, in words that are still to be checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanQuery {
    /// The target.
    pub target: String,
    /// The preset; none where none was chosen.
    pub preset: Option<Preset>,
    /// The codes of the tests.
    pub tests: Vec<String>,
    /// Degrees of parallelism.
    pub jobs: String,
}

/// Why a request asks for nothing that there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRoute {
    /// There is no such page.
    Unknown,
    /// The query of a page is wrong.
    Query(String),
}

/// What `target`, the path and query of a request, asks for.
///
/// # Errors
/// Where there is no such page, and where a value is none that it can have.
pub fn route(target: &str) -> Result<Route, NoRoute> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let fields = fields(query)?;
    let all =
        |name: &'static str| fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str());
    let one = |name: &'static str| all(name).next_back().unwrap_or_default();
    let id = |text: &str| Id::of(text).ok_or(NoRoute::Unknown);
    match path.strip_prefix('/').ok_or(NoRoute::Unknown)? {
        "" | "index.html" => Ok(Route::List(ListQuery {
            filter: ArchiveFilter {
                engine: one("engine").to_owned(),
                host: one("host").to_owned(),
                preset: preset(one("preset"))?,
                tag: one("tag").to_owned(),
                text: one("text").to_owned(),
                shown: shown(one("shown"))?,
            },
            page: page(one("page"))?,
        })),
        "compare" if one("as") == "side" => Ok(Route::Side { ids: ids(all("id"), 1)?, tests: Vec::new() }),
        "compare" => {
            let named = ["a", "b"].into_iter().flat_map(all);
            Ok(Route::Compare(ids(named.chain(all("id")), 2)?))
        }
        "history" => match one("test") {
            "" => Err(NoRoute::Query("a history is of a test; give test=CODE".to_owned())),
            test => Ok(Route::History {
                test: test.to_owned(),
                host: one("host").to_owned(),
                metric: metric(one("metric"))?,
            }),
        },
        "side" => {
            let named = all("ids").flat_map(|ids| ids.split(',')).filter(|id| !id.is_empty());
            let tests = all("tests").flat_map(|tests| tests.split_whitespace());
            Ok(Route::Side { ids: ids(named, 1)?, tests: tests.map(str::to_owned).collect() })
        }
        "plan" => plan_query(&fields).map(Route::Plan),
        "month" => Ok(Route::Month {
            history: one("history").to_owned(),
            target: one("target").to_owned(),
            month: one("month").to_owned(),
        }),
        "live" => Ok(Route::Live),
        "live/events" => Ok(Route::LiveEvents),
        "note" => id(one("id")).map(Route::Note),
        "api/v1/records" => Ok(Route::ApiRecords),
        other => match other.split_once('/') {
            Some(("r", text)) => id(text).map(Route::Record),
            Some(("api", rest)) => id(rest.strip_prefix("v1/records/").ok_or(NoRoute::Unknown)?).map(Route::ApiRecord),
            _ => Err(NoRoute::Unknown),
        },
    }
}

/// The run that the `body` of a form describes: its fields are those of a plan, and no others.
///
/// # Errors
/// Where it has another field, or a value that it cannot have.
pub(crate) fn run_form(body: &str) -> Result<PlanQuery, NoRoute> {
    let fields = fields(body)?;
    match fields.iter().find(|(name, _)| !["target", "preset", "tests", "jobs"].contains(&name.as_str())) {
        Some(_) => Err(NoRoute::Query("a run is described by target, preset, tests and jobs".to_owned())),
        None => plan_query(&fields),
    }
}

/// The number of the run that the `body` of a form is about.
///
/// # Errors
/// Where it says something else.
pub(crate) fn cancel_form(body: &str) -> Result<u64, NoRoute> {
    let fields = fields(body)?;
    let number = match &fields[..] {
        [(name, number)] if name == "run" => number.parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| NoRoute::Query("what is cancelled is named by its number".to_owned()))
}

fn plan_query(fields: &[(String, String)]) -> Result<PlanQuery, NoRoute> {
    let all =
        |name: &'static str| fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str());
    let one = |name: &'static str| all(name).next_back().unwrap_or_default();
    Ok(PlanQuery {
        target: one("target").to_owned(),
        preset: preset(one("preset"))?,
        tests: all("tests").filter(|test| !test.is_empty()).map(str::to_owned).collect(),
        jobs: one("jobs").trim().to_owned(),
    })
}

/// The fields of a query or of a form.
pub(crate) fn fields(text: &str) -> Result<Vec<(String, String)>, NoRoute> {
    let mut fields = Vec::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        if fields.len() == FIELDS_MAX {
            return Err(NoRoute::Query(format!("the query has more than {FIELDS_MAX} fields")));
        }
        if value.chars().count() > VALUE_LENGTH_MAX && !is_long(&name) {
            return Err(NoRoute::Query(format!("a value of the query has more than {VALUE_LENGTH_MAX} characters")));
        }
        fields.push((name.into_owned(), value.into_owned()));
    }
    Ok(fields)
}

/// Fields whose values may be longer: they list systems, or are the text of a note, which are limited elsewhere.
fn is_long(name: &str) -> bool {
    matches!(name, "ids" | "note")
}

fn ids<'a>(named: impl Iterator<Item = &'a str>, least: usize) -> Result<Vec<Id>, NoRoute> {
    let mut ids: Vec<Id> = Vec::new();
    for text in named {
        let id = Id::of(text).ok_or_else(|| NoRoute::Query("what is compared is named by its id".to_owned()))?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    match ids.len() {
        count if count < least => {
            let what = if least > 1 { "a comparison takes two systems and more" } else { "no system is chosen" };
            Err(NoRoute::Query(format!("{what}; check them in the list")))
        }
        count if count > SYSTEMS_MAX => {
            Err(NoRoute::Query(format!("{count} systems are too many; choose at most {SYSTEMS_MAX}")))
        }
        _ => Ok(ids),
    }
}

fn preset(word: &str) -> Result<Option<Preset>, NoRoute> {
    if word.is_empty() {
        return Ok(None);
    }
    let preset = serde_json::from_value(word.into()).ok();
    preset.map(Some).ok_or_else(|| NoRoute::Query("there is no such preset".to_owned()))
}

fn shown(word: &str) -> Result<Shown, NoRoute> {
    match word {
        "" => Ok(Shown::All),
        "measured" => Ok(Shown::Measured),
        "published" => Ok(Shown::Published),
        _ => Err(NoRoute::Query("shown is measured, published or nothing".to_owned())),
    }
}

fn metric(word: &str) -> Result<Metric, NoRoute> {
    match word {
        "" | "throughput" => Ok(Metric::Throughput),
        "p99" => Ok(Metric::P99),
        "efficiency" => Ok(Metric::Efficiency),
        _ => Err(NoRoute::Query("metric is throughput, p99 or efficiency".to_owned())),
    }
}

fn page(word: &str) -> Result<usize, NoRoute> {
    if word.is_empty() {
        return Ok(1);
    }
    let page = word.parse().ok().filter(|page| (1..=PAGE_MAX).contains(page));
    page.ok_or_else(|| NoRoute::Query("page is a number, 1 and higher".to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(text: &str) -> Id {
        Id::of(text).expect("an identifier")
    }

    #[test]
    fn pages_are_found_by_their_paths() {
        assert_eq!(route("/"), Ok(Route::List(ListQuery { page: 1, ..ListQuery::default() })));
        assert_eq!(route("/r/0a1b"), Ok(Route::Record(id("0a1b"))));
        assert_eq!(route("/r/hp-dl980"), Ok(Route::Record(id("hp-dl980"))));
        assert_eq!(route("/compare?a=aa&b=bb"), Ok(Route::Compare(vec![id("aa"), id("bb")])));
        assert_eq!(route("/compare?as=side&id=aa"), Ok(Route::Side { ids: vec![id("aa")], tests: Vec::new() }));
        assert_eq!(route("/live/events"), Ok(Route::LiveEvents));
        assert_eq!(route("/api/v1/records/aa"), Ok(Route::ApiRecord(id("aa"))));
        let history = route("/history?test=L100%40a%2Cb&host=db1&metric=p99");
        let expected = Route::History { test: "L100@a,b".to_owned(), host: "db1".to_owned(), metric: Metric::P99 };
        assert_eq!(history, Ok(expected));
        let Ok(Route::List(query)) = route("/?text=a+b%20c&preset=quick&shown=measured&page=3") else {
            panic!("a list")
        };
        assert_eq!((&*query.filter.text, query.filter.preset, query.page), ("a b c", Some(Preset::Quick), 3));
    }

    #[test]
    fn a_form_of_a_run_has_no_other_fields_than_a_plan() {
        let query = run_form("target=crm&preset=smoke&tests=T611&tests=C11&jobs=1%2C2").unwrap();
        assert_eq!((&*query.target, query.tests.len(), &*query.jobs), ("crm", 2, "1,2"));
        for body in ["target=crm&dir=%2F", "target=crm&--dir=%2F", "target=crm&record=x", "preset=fast"] {
            assert!(run_form(body).is_err(), "{body}");
        }
        assert_eq!(cancel_form("run=7"), Ok(7));
        for body in ["", "run=-1", "run=7&run=8", "number=7", "run=7%3Bx"] {
            assert!(cancel_form(body).is_err(), "{body}");
        }
    }

    #[test]
    fn no_path_leads_out_of_the_pages() {
        for path in [
            "",
            "*",
            "/..",
            "/r/../x",
            "/r/..%2fx",
            "/r/%2e%2e",
            "/r/a/b",
            "/r/",
            "/r/A",
            "/r/-a",
            "//",
            "/r/a.jsonl",
            "http://x/",
            "/api/v1/records/../../x",
            "/api/v2/records",
            "/live/",
            "/notes",
        ] {
            assert_eq!(route(path), Err(NoRoute::Unknown), "{path}");
        }
    }

    #[test]
    fn wrong_values_are_refused() {
        for target in [
            "/?page=0",
            "/?page=x",
            "/?preset=fast",
            "/?shown=none",
            "/history",
            "/history?test=T1&metric=x",
            "/compare?a=aa",
            "/compare?a=aa&b=aa",
            "/compare?a=../x&b=y",
            "/side?ids=",
        ] {
            assert!(matches!(route(target), Err(NoRoute::Query(_))), "{target}");
        }
        let many: Vec<String> = (0..27).map(|number| format!("id=a{number}")).collect();
        assert!(matches!(route(&format!("/compare?{}", many.join("&"))), Err(NoRoute::Query(_))));
        assert!(matches!(route(&format!("/?text={}", "x".repeat(301))), Err(NoRoute::Query(_))));
    }

    proptest! {
        #[test]
        fn any_target_is_a_page_or_refused(target in "\\PC{0,80}", query in "[a-z=&%+0-9]{0,60}") {
            for target in [target.clone(), format!("/?{query}"), format!("/compare?{query}"), format!("/r/{target}")] {
                match route(&target) {
                    Ok(Route::Record(id) | Route::Note(id) | Route::ApiRecord(id)) => {
                        prop_assert!(!id.text().contains(['/', '.', '%', '\\']));
                    }
                    Ok(Route::Compare(ids)) => prop_assert!((2..=SYSTEMS_MAX).contains(&ids.len())),
                    _ => {}
                }
            }
        }
    }
}
