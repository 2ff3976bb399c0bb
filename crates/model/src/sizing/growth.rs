//! Growth of a load over years.

/// So much more each year, for so many years.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The share that a year adds; above -1.
    pub per_year: f64,
    /// The years that are planned for.
    pub years: f64,
}

impl Growth {
    /// None.
    pub const NONE: Growth = Growth { per_year: 0.0, years: 0.0 };

    /// How many times as much there is after all years.
    pub fn factor(self) -> f64 {
        (1.0 + self.per_year).powf(self.years)
    }

    /// The years until there is `multiple` times as much; absent where it never is.
    pub fn years_until(self, multiple: f64) -> Option<f64> {
        if multiple <= 1.0 {
            return Some(0.0);
        }
        let years = multiple.ln() / self.per_year.ln_1p();
        (self.per_year > 0.0 && years.is_finite()).then_some(years)
    }
}
