//! The meaning of warnings.

use record::WarningSubject;

use crate::finding::check_words;

/// The meaning of an aborted run.
const ABORTED: &str = "The run was aborted. Its counts are kept and are no result.";

/// The meaning of a gain beyond the added workers.
const GAIN: &str = "Several jobs did more than as many times what one did: the single job paid for something that \
                               several do not, and the gain is not that of the platform. Remedy: that of the finding, or else \
                               repeat, or measure longer.";

/// The meaning of repeats that drift.
const DRIFT: &str = "The rates of the repeats of a row change in the order in which they were measured, by more than \
                                chance among all rows: the repeats did not measure the same thing. Remedy: a longer warm-up, \
                                more repeats, or a comparison in pairs, in which the drift is on both sides.";

/// The meaning of runs in another state of the database.
const STATE: &str = "The runs of a row are of different states of the database: of another size of the tables, another \
                                filling of the cache, or another part of the log. Remedy: a longer warm-up, a new database, \
                                or settings under which the state stays.";

/// The meaning of a warning about `subject`, and what to do.
pub(super) fn meaning_of(subject: WarningSubject) -> String {
    match subject {
        WarningSubject::Abort => ABORTED.to_owned(),
        WarningSubject::Gain => GAIN.to_owned(),
        WarningSubject::Drift => DRIFT.to_owned(),
        WarningSubject::State => STATE.to_owned(),
        WarningSubject::Check(check) => {
            let words = check_words(check);
            format!("{} Remedy: {}.", words.meaning, words.remedy)
        }
    }
}
