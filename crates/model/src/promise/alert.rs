//! Alerts: what somebody is told, and how soon.

/// Something that is wrong with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Alert {
    /// An outage: several bad events in a row.
    Down,
    /// The budget is used 14.4 times too fast.
    FastBurn,
    /// The budget is used 6 times too fast.
    SlowBurn,
    /// The budget will not last.
    BudgetBurn,
    /// Slower than the baseline.
    DriftFromBaseline,
    /// Slower than at the same hour of the weeks before.
    DriftFromHistory,
}

/// Who has to act, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Now.
    Page,
    /// In working hours.
    Ticket,
}

impl Severity {
    /// Its name in files, labels and views.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Page => "page",
            Severity::Ticket => "ticket",
        }
    }
}

impl Alert {
    /// All of them.
    pub const ALL: [Alert; 6] = [
        Alert::Down,
        Alert::FastBurn,
        Alert::SlowBurn,
        Alert::BudgetBurn,
        Alert::DriftFromBaseline,
        Alert::DriftFromHistory,
    ];

    /// Who has to act: a drift never wakes anybody.
    pub fn severity(self) -> Severity {
        match self {
            Alert::Down | Alert::FastBurn | Alert::SlowBurn => Severity::Page,
            Alert::BudgetBurn | Alert::DriftFromBaseline | Alert::DriftFromHistory => Severity::Ticket,
        }
    }

    /// Its name in files, labels and views.
    pub fn word(self) -> &'static str {
        match self {
            Alert::Down => "down",
            Alert::FastBurn => "fast burn",
            Alert::SlowBurn => "slow burn",
            Alert::BudgetBurn => "budget burn",
            Alert::DriftFromBaseline => "drift from baseline",
            Alert::DriftFromHistory => "drift from history",
        }
    }

    /// The alert of this name.
    pub fn of_word(word: &str) -> Option<Alert> {
        Alert::ALL.into_iter().find(|alert| alert.word() == word)
    }
}
