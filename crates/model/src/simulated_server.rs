//! A server with a known limit, for tests and for `examples/coverage.rs`: a single queue whose capacity and response times
//! vary from run to run.

use crate::simulation::Simulation;

/// What varies. Deviations are of logarithms; the seed of the noise is that of its [`Simulation`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    /// Deviation of the capacity from one run to the next.
    pub capacity: f64,
    /// Deviation of the response times of a run beside that.
    pub times: f64,
    /// Share of the runs that meet with a burst of noise: their response times are 2 to 20 times as long.
    pub bursts: f64,
    /// Share of the runs of which the hypervisor takes so much that they are invalid, and as slow as in a burst.
    pub stolen: f64,
    /// Deviation of a capacity that wanders,
    pub wandering: f64,
    /// of which each run keeps this share of that of the run before.
    pub keeps: f64,
    /// The capacity falls by this share over a hundred runs.
    pub falls: f64,
}

/// Nothing varies.
pub(crate) const QUIET: Surroundings =
    Surroundings { capacity: 0.0, times: 0.0, bursts: 0.0, stolen: 0.0, wandering: 0.0, keeps: 0.0, falls: 0.0 };

/// The limit on the 0.99 quantile of the response times, in seconds.
const LIMIT_SECONDS: f64 = 0.005;

/// Steps per second that the server does at most, on average.
pub(crate) const CAPACITY: f64 = 10_000.0;

/// The server while it is searched.
pub(crate) struct Server<'a> {
    simulation: &'a mut Simulation,
    surroundings: Surroundings,
    wandering: f64,
    runs: u32,
}

impl<'a> Server<'a> {
    pub(crate) fn new(simulation: &'a mut Simulation, surroundings: Surroundings) -> Server<'a> {
        let wandering = simulation.normal();
        Server { simulation, surroundings, wandering, runs: 0 }
    }

    /// One run: whether it kept the level, and whether its surroundings disturbed it.
    pub(crate) fn run(&mut self, rate: f64) -> (bool, bool) {
        let Surroundings { capacity, times, bursts, stolen, wandering, keeps, falls } = self.surroundings;
        self.wandering = keeps * self.wandering + (1.0 - keeps * keeps).sqrt() * self.simulation.normal();
        let level = wandering * self.wandering + capacity * self.simulation.normal();
        let capacity = CAPACITY * (1.0 - falls * f64::from(self.runs) / 100.0) * level.exp();
        self.runs += 1;
        let is_stolen = self.simulation.uniform() < stolen;
        let noise = (times * self.simulation.normal()).exp();
        let is_burst = self.simulation.uniform() < bursts || is_stolen;
        let burst = if is_burst { 2.0 * 10f64.powf(self.simulation.uniform()) } else { 1.0 };
        // The response times of M/M/1 are exponential with the mean 1 / (capacity - rate).
        let quantile = if rate < capacity { 100f64.ln() / (capacity - rate) } else { f64::INFINITY };
        (quantile * noise * burst <= LIMIT_SECONDS, is_stolen)
    }
}

/// The rate at which half of the runs that are not stolen keep the level, by bisection of a share of many.
pub(crate) fn truth(surroundings: Surroundings) -> f64 {
    let calm = Surroundings { stolen: 0.0, falls: 0.0, keeps: 0.0, ..surroundings };
    let (mut low, mut high) = (CAPACITY / 4.0, CAPACITY * 2.0);
    for _ in 0..24 {
        let middle: f64 = low * high;
        let middle = middle.sqrt();
        let mut simulation = Simulation::new(77);
        let mut server = Server::new(&mut simulation, calm);
        let runs = 20_000;
        let kept = (0..runs).filter(|_| server.run(middle).0).count();
        if 2 * kept > runs { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}
