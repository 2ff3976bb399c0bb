//! Runs that readers may start, where the server was started so: what carries them out is handed over, as what makes pages.

use crate::route::PlanQuery;
use crate::views::Problem;

/// What carries out runs, one at a time. Each is called on a thread that may wait.
pub trait Runs: Send + Sync + 'static {
    /// Starts the run that `query` describes, whose words are still to be checked.
    ///
    /// # Errors
    /// For what is in no list of this server, and where another run goes on.
    fn start(&self, query: &PlanQuery) -> Result<(), Problem>;

    /// Stops the run with this `number`, as Ctrl-C does.
    ///
    /// # Errors
    /// Where it does not go on.
    fn cancel(&self, number: u64) -> Result<(), Problem>;
}
