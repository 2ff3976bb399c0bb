//! A simulated server with a known limit, for tests and for `examples/coverage.rs`: a single queue whose capacity and
//! response times vary between runs.

use crate::simulation::Simulation;

/// The variation. Deviations are of logarithms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    /// Deviation of the capacity from one run to the next.
    pub capacity: f64,
    /// Additional deviation of the response times of a run.
    pub times: f64,
    /// Share of the runs with a burst of noise, whose response times are 2 to 20 times as long.
    pub bursts: f64,
    /// Share of the runs with steal, which are invalid and as slow as in a burst.
    pub stolen: f64,
    /// Deviation of a correlated variation of the capacity,
    pub wandering: f64,
    /// and its autocorrelation from run to run.
    pub keeps: f64,
    /// The capacity falls by this share over a hundred runs.
    pub falls: f64,
}

/// No variation.
pub(crate) const QUIET: Surroundings =
    Surroundings { capacity: 0.0, times: 0.0, bursts: 0.0, stolen: 0.0, wandering: 0.0, keeps: 0.0, falls: 0.0 };

/// The limit on the 0.99 quantile of the response times, in seconds.
const LIMIT_SECONDS: f64 = 0.005;

/// Mean capacity of the server, steps per second.
pub(crate) const CAPACITY: f64 = 10_000.0;

/// The server.
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

    /// One run: whether it met the level, and whether it was disturbed.
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

/// The rate at which half of the runs without steal meet the level, by bisection over many runs.
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
