//! What Little's law and the interactive response time law bound (Denning and Buzen 1978).

/// What bounds a closed system: demands in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asymptotes {
    /// D: service demand of an operation at all stations together, above 0.
    pub demand_seconds: f64,
    /// D_max: its demand at the busiest station, in (0, D].
    pub demand_seconds_max: f64,
    /// Z: think time between two operations of a client, at least 0.
    pub think_seconds: f64,
}

impl Asymptotes {
    /// X(N) <= min(1/D_max, N/(D + Z)), in operations per second.
    pub fn rate_max(&self, clients: f64) -> f64 {
        (1.0 / self.demand_seconds_max).min(clients / (self.demand_seconds + self.think_seconds))
    }

    /// R(N) >= max(D, N D_max - Z), in seconds.
    pub fn response_seconds_min(&self, clients: f64) -> f64 {
        self.demand_seconds.max(clients * self.demand_seconds_max - self.think_seconds)
    }

    /// N* = (D + Z)/D_max: with fewer clients the station idles, with more they queue.
    pub fn knee(&self) -> f64 {
        (self.demand_seconds + self.think_seconds) / self.demand_seconds_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_meet_at_the_knee() {
        let bounds = Asymptotes { demand_seconds: 0.05, demand_seconds_max: 0.02, think_seconds: 1.0 };
        assert!((bounds.knee() - 52.5).abs() < 1e-12);
        assert!((bounds.rate_max(bounds.knee()) - 50.0).abs() < 1e-9 && bounds.rate_max(1e3) == 50.0);
        assert!((bounds.response_seconds_min(bounds.knee()) - 0.05).abs() < 1e-12);
        assert!((bounds.response_seconds_min(100.0) - 1.0).abs() < 1e-12);
        assert!((bounds.rate_max(21.0) - 20.0).abs() < 1e-9);
    }
}
