//! The parameters of the queries: drawn by the rules of clause 2.4, or those by which answers are validated.

use std::fmt::Arguments;

use engine::IsoDate;
use tpchgen::distribution::{Distribution, Distributions};

use crate::script::Random;

/// The names of all parameters: variables of the scripts.
pub(crate) const PARAMETERS: [&str; 42] = [
    "brand",
    "brand1",
    "brand2",
    "brand3",
    "code1",
    "code2",
    "code3",
    "code4",
    "code5",
    "code6",
    "code7",
    "color",
    "container",
    "date",
    "date_end",
    "discount_high",
    "discount_low",
    "fraction",
    "mode1",
    "mode2",
    "nation",
    "nation1",
    "nation2",
    "quantity",
    "quantity1",
    "quantity2",
    "quantity3",
    "region",
    "segment",
    "size",
    "size1",
    "size2",
    "size3",
    "size4",
    "size5",
    "size6",
    "size7",
    "size8",
    "type",
    "word1",
    "word2",
    "type_end",
];

/// 1998-12-01, in days since 1970-01-01.
const LAST_DAY: i32 = 10_561;

/// Words of comments that query 13 leaves out (clause 2.4.13.3).
const WORDS: [[&str; 4]; 2] =
    [["special", "pending", "unusual", "express"], ["packages", "requests", "accounts", "deposits"]];

/// How parameters are chosen.
pub(crate) enum Choose<'a> {
    /// Those whose answers are known.
    Validation,
    /// By random numbers.
    Drawn(&'a mut Random),
}

/// Receives the values of parameters by their names.
type Set<'a> = dyn FnMut(&'static str, Arguments<'_>) + 'a;

impl Choose<'_> {
    /// From `low` to `high`, each with the same probability.
    fn number(&mut self, (low, high): (u32, u32), validation: u32) -> u32 {
        match self {
            Choose::Validation => validation,
            Choose::Drawn(random) => low + random.below(u64::from(high - low) + 1) as u32,
        }
    }

    fn word<'w>(&mut self, words: &[&'w str], validation: &'w str) -> &'w str {
        match self {
            Choose::Validation => validation,
            Choose::Drawn(random) => words[random.below(words.len() as u64) as usize],
        }
    }

    fn of(&mut self, words: &'static Distribution, validation: &'static str) -> &'static str {
        self.word(words.get_values(), validation)
    }

    /// Two different ones.
    fn two_of(&mut self, words: &'static Distribution, validation: [&'static str; 2]) -> [&'static str; 2] {
        let Choose::Drawn(random) = self else { return validation };
        let words = words.get_values();
        let first = random.below(words.len() as u64) as usize;
        let second = random.below(words.len() as u64 - 1) as usize;
        [words[first], words[if second < first { second } else { second + 1 }]]
    }

    /// The first of a month, from and to these inclusive; months are counted from 1993-01, from 0.
    fn month(&mut self, from_to: (u32, u32), validation: u32) -> Month {
        Month(self.number(from_to, validation))
    }

    /// The first of January of a year from 1993 to 1997.
    fn year(&mut self, validation: u32) -> Month {
        Month(12 * (self.number((1993, 1997), validation) - 1993))
    }

    /// `COUNT` numbers from `low` on out of `OF`, all of them different.
    fn different<const COUNT: usize, const OF: usize>(&mut self, low: u32, validation: [u32; COUNT]) -> [u32; COUNT] {
        let Choose::Drawn(random) = self else { return validation };
        let mut all: [u32; OF] = std::array::from_fn(|index| low + index as u32);
        for place in 0..COUNT {
            let other = place + random.below((OF - place) as u64) as usize;
            all.swap(place, other);
        }
        std::array::from_fn(|index| all[index])
    }

    /// The digits of a brand.
    fn brand(&mut self, validation: u32) -> u32 {
        10 * self.number((1, 5), validation / 10) + self.number((1, 5), validation % 10)
    }
}

/// The first of a month, counted from 1993-01, from 0.
#[derive(Clone, Copy)]
struct Month(u32);

impl Month {
    fn after(self, months: u32) -> Month {
        Month(self.0 + months)
    }

    /// `name` is it.
    fn set(self, name: &'static str, set: &mut Set<'_>) {
        set(name, format_args!("{}-{:02}-01", 1993 + self.0 / 12, self.0 % 12 + 1));
    }
}

/// Tells `set` the parameters of query `query`, from 1, at a scale of `scale_percent` hundredths.
pub(crate) fn substitute(query: usize, choose: &mut Choose<'_>, scale_percent: u32, set: &mut Set<'_>) {
    let words = Distributions::static_default();
    let mut span = |from: Month, months: u32| {
        from.set("date", set);
        from.after(months).set("date_end", set);
    };
    match query {
        4 => return span(choose.month((0, 57), 6), 3),
        10 => return span(choose.month((1, 24), 9), 3),
        14 => return span(choose.month((0, 59), 32), 1),
        15 => return span(choose.month((0, 57), 36), 3),
        _ => {}
    }
    match query {
        1 => {
            let days = choose.number((60, 120), 90) as i32;
            let end = IsoDate::of(LAST_DAY - days);
            set("date_end", format_args!("{}", end.as_ref().map_or("", IsoDate::as_str)));
        }
        2 => {
            set("size", format_args!("{}", choose.number((1, 50), 15)));
            let kind = choose.of(words.part_types(), "LARGE BURNISHED BRASS");
            set("type_end", format_args!("{}", kind.rsplit(' ').next().unwrap_or(kind)));
            set("region", format_args!("{}", choose.of(words.regions(), "EUROPE")));
        }
        3 => {
            set("segment", format_args!("{}", choose.of(words.market_segments(), "BUILDING")));
            set("date", format_args!("1995-03-{:02}", choose.number((1, 31), 15)));
        }
        5 => {
            set("region", format_args!("{}", choose.of(words.regions(), "ASIA")));
            set_year(choose.year(1994), set);
        }
        6 => {
            set_year(choose.year(1994), set);
            let hundredths = choose.number((2, 9), 6);
            set("discount_low", format_args!("0.{:02}", hundredths - 1));
            set("discount_high", format_args!("0.{:02}", hundredths + 1));
            set("quantity", format_args!("{}", choose.number((24, 25), 24)));
        }
        7 => {
            let [first, second] = choose.two_of(words.nations(), ["FRANCE", "GERMANY"]);
            set("nation1", format_args!("{first}"));
            set("nation2", format_args!("{second}"));
        }
        8 => {
            // Brazil.
            let nation = choose.number((0, 24), 2) as usize;
            let region = words.nations().get_weight(nation) as usize;
            set("nation", format_args!("{}", words.nations().get_value(nation)));
            set("region", format_args!("{}", words.regions().get_value(region)));
            set("type", format_args!("{}", choose.of(words.part_types(), "ECONOMY ANODIZED STEEL")));
        }
        9 => set("color", format_args!("{}", choose.of(words.part_colors(), "green"))),
        11 => {
            set("nation", format_args!("{}", choose.of(words.nations(), "GERMANY")));
            set("fraction", format_args!("{}", 0.01 / f64::from(scale_percent)));
        }
        12 => {
            let [first, second] = choose.two_of(words.ship_modes(), ["MAIL", "SHIP"]);
            set("mode1", format_args!("{first}"));
            set("mode2", format_args!("{second}"));
            set_year(choose.year(1994), set);
        }
        13 => {
            set("word1", format_args!("{}", choose.word(&WORDS[0], "special")));
            set("word2", format_args!("{}", choose.word(&WORDS[1], "requests")));
        }
        16 => {
            set("brand", format_args!("{}", choose.brand(45)));
            let kind = choose.of(words.part_types(), "MEDIUM POLISHED TIN");
            set("type", format_args!("{}", kind.rsplit_once(' ').map_or(kind, |(two, _)| two)));
            let sizes = choose.different::<8, 50>(1, [49, 14, 23, 45, 19, 3, 36, 9]);
            let names = ["size1", "size2", "size3", "size4", "size5", "size6", "size7", "size8"];
            names.into_iter().zip(sizes).for_each(|(name, size)| set(name, format_args!("{size}")));
        }
        17 => {
            set("brand", format_args!("{}", choose.brand(23)));
            set("container", format_args!("{}", choose.of(words.part_containers(), "MED BOX")));
        }
        18 => set("quantity", format_args!("{}", choose.number((312, 315), 300))),
        19 => {
            let quantities = [((1, 10), 1, "quantity1"), ((10, 20), 10, "quantity2"), ((20, 30), 20, "quantity3")];
            for (range, validation, name) in quantities {
                set(name, format_args!("{}", choose.number(range, validation)));
            }
            for (name, validation) in [("brand1", 12), ("brand2", 23), ("brand3", 34)] {
                set(name, format_args!("{}", choose.brand(validation)));
            }
        }
        20 => {
            set("color", format_args!("{}", choose.of(words.part_colors(), "forest")));
            set_year(choose.year(1994), set);
            set("nation", format_args!("{}", choose.of(words.nations(), "CANADA")));
        }
        21 => set("nation", format_args!("{}", choose.of(words.nations(), "SAUDI ARABIA"))),
        _ => {
            // The code of a country is 10 more than its key.
            let codes = choose.different::<7, 25>(10, [13, 31, 23, 29, 30, 18, 17]);
            let names = ["code1", "code2", "code3", "code4", "code5", "code6", "code7"];
            names.into_iter().zip(codes).for_each(|(name, code)| set(name, format_args!("{code}")));
        }
    }
}

/// The year that begins with `first`.
fn set_year(first: Month, set: &mut Set<'_>) {
    first.set("date", set);
    first.after(12).set("date_end", set);
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::test::QUERIES;

    fn parameters(query: usize, choose: &mut Choose<'_>) -> BTreeMap<&'static str, String> {
        let mut found = BTreeMap::new();
        substitute(query, choose, 100, &mut |name, text| {
            assert!(PARAMETERS.contains(&name), "{name}");
            assert_eq!(found.insert(name, text.to_string()), None, "{name} of query {query} is set twice");
        });
        found
    }

    fn validation(query: usize) -> Vec<String> {
        parameters(query, &mut Choose::Validation).into_values().collect()
    }

    /// Clauses 2.4.1.4 to 2.4.22.4, with the ends of spans.
    #[test]
    fn validation_parameters_are_those_of_the_specification() {
        assert_eq!(validation(1), ["1998-09-02"]);
        assert_eq!(validation(2), ["EUROPE", "15", "BRASS"]);
        assert_eq!(validation(3), ["1995-03-15", "BUILDING"]);
        assert_eq!(validation(4), ["1993-07-01", "1993-10-01"]);
        assert_eq!(validation(5), ["1994-01-01", "1995-01-01", "ASIA"]);
        assert_eq!(validation(6), ["1994-01-01", "1995-01-01", "0.07", "0.05", "24"]);
        assert_eq!(validation(7), ["FRANCE", "GERMANY"]);
        assert_eq!(validation(8), ["BRAZIL", "AMERICA", "ECONOMY ANODIZED STEEL"]);
        assert_eq!(validation(9), ["green"]);
        assert_eq!(validation(10), ["1993-10-01", "1994-01-01"]);
        assert_eq!(validation(11), ["0.0001", "GERMANY"]);
        assert_eq!(validation(12), ["1994-01-01", "1995-01-01", "MAIL", "SHIP"]);
        assert_eq!(validation(13), ["special", "requests"]);
        assert_eq!(validation(14), ["1995-09-01", "1995-10-01"]);
        assert_eq!(validation(15), ["1996-01-01", "1996-04-01"]);
        assert_eq!(validation(16), ["45", "49", "14", "23", "45", "19", "3", "36", "9", "MEDIUM POLISHED"]);
        assert_eq!(validation(17), ["23", "MED BOX"]);
        assert_eq!(validation(18), ["300"]);
        assert_eq!(validation(19), ["12", "23", "34", "1", "10", "20"]);
        assert_eq!(validation(20), ["forest", "1994-01-01", "1995-01-01", "CANADA"]);
        assert_eq!(validation(21), ["SAUDI ARABIA"]);
        assert_eq!(validation(22), ["13", "31", "23", "29", "30", "18", "17"]);
    }

    /// Every value that the rules allow is drawn, and no other one: their numbers, from clause 2.4.
    #[test]
    fn drawn_parameters_are_those_that_the_rules_allow() {
        let counts = [
            (1, "date_end", 61),
            (2, "size", 50),
            (2, "type_end", 5),
            (2, "region", 5),
            (3, "segment", 5),
            (3, "date", 31),
            (4, "date", 58),
            (5, "date", 5),
            (6, "discount_low", 8),
            (6, "quantity", 2),
            (7, "nation1", 25),
            (7, "nation2", 25),
            (8, "nation", 25),
            (8, "type", 150),
            (9, "color", 92),
            (10, "date", 24),
            (11, "nation", 25),
            (12, "mode1", 7),
            (12, "mode2", 7),
            (13, "word1", 4),
            (13, "word2", 4),
            (14, "date", 60),
            (15, "date", 58),
            (16, "brand", 25),
            (16, "type", 30),
            (16, "size8", 50),
            (17, "container", 40),
            (18, "quantity", 4),
            (19, "quantity1", 10),
            (19, "quantity2", 11),
            (19, "quantity3", 11),
            (19, "brand3", 25),
            (20, "date", 5),
            (21, "nation", 25),
            (22, "code7", 25),
        ];
        let mut random = Random::new(42);
        let drawn: Vec<Vec<BTreeMap<&str, String>>> = (1..=QUERIES)
            .map(|query| (0..4_000).map(|_| parameters(query, &mut Choose::Drawn(&mut random))).collect())
            .collect();
        for (query, name, count) in counts {
            let values: BTreeSet<&String> = drawn[query - 1].iter().map(|of| &of[name]).collect();
            assert_eq!(values.len(), count, "{name} of query {query}: {values:?}");
        }
        let first_and_last = |query: usize| {
            let dates = || drawn[query - 1].iter().map(|of| of["date"].as_str());
            (dates().min().unwrap_or(""), dates().max().unwrap_or(""))
        };
        assert_eq!(first_and_last(4), ("1993-01-01", "1997-10-01"));
        assert_eq!(first_and_last(10), ("1993-02-01", "1995-01-01"));
        assert_eq!(first_and_last(14), ("1993-01-01", "1997-12-01"));
        assert_eq!(first_and_last(15), ("1993-01-01", "1997-10-01"));
        for of in &drawn[15] {
            let sizes: BTreeSet<&String> = (1..=8).map(|number| &of[format!("size{number}").as_str()]).collect();
            assert_eq!(sizes.len(), 8, "{of:?}");
        }
        assert!(drawn[6].iter().all(|of| of["nation1"] != of["nation2"]));
        assert!(drawn[7].iter().any(|of| of["nation"] == "CHINA" && of["region"] == "ASIA"));
    }
}
