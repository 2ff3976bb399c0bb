//! The list of tests.

use std::sync::OnceLock;

use crate::test::Test;

macro_rules! files {
    ($($code:literal)*) => {
        &[$(($code, include_str!(concat!("../catalogue/", $code, ".toml")))),*]
    };
}

/// Every test file, in the order of lists and runs: from the processor to the whole database.
const FILES: &[(&str, &str)] = files! {
    "T131" "T132" "T133" "T141" "T151" "T152"
    "T161" "T421" "T611" "T621" "T641" "T651" "T652" "T461" "T462" "T463" "T741"
    "T211" "T426" "T626" "T721" "T722" "T751" "T752" "T753" "T755"
    "T331" "T332" "T341" "T342" "T343" "T344" "T351" "T352" "T361" "T362" "T363" "T431" "T441" "T512" "T311" "T321"
    "T322" "T616" "T716" "T731" "C100" "C110" "H100"
};

/// Every built-in test, in the order of lists and runs.
pub fn catalogue() -> &'static [Test] {
    static TESTS: OnceLock<Vec<Test>> = OnceLock::new();
    TESTS.get_or_init(|| {
        let parse = |(code, text): &(&str, &str)| {
            // They are part of the program: tests of this crate find a mistake in one.
            Test::parse(text, &format!("catalogue/{code}.toml")).unwrap_or_else(|error| panic!("{error}"))
        };
        FILES.iter().map(parse).collect()
    })
}

/// The CRC-32C of all test files: equal in programs that measure the same tests.
pub fn catalogue_crc32c() -> u32 {
    FILES.iter().fold(0, |sum, (_, text)| crc32c::crc32c_append(sum, text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use engine::Engine;
    use engine::null::NULL;
    use record::{Layer, Preset, Sweep};

    use super::*;
    use crate::test::Amount;

    #[test]
    fn code_file_name_and_list_entry_agree_and_no_file_is_forgotten() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("catalogue");
        let names = std::fs::read_dir(folder).expect("the folder of tests").map(|entry| {
            let name = entry.expect("a file").file_name().into_string().expect("a name in ASCII");
            name.strip_suffix(".toml").unwrap_or_else(|| panic!("{name} is no .toml file")).to_owned()
        });
        let names: BTreeSet<String> = names.collect();
        let listed: BTreeSet<String> = FILES.iter().map(|(code, _)| (*code).to_owned()).collect();
        assert_eq!(names, listed);
        assert_eq!(FILES.len(), listed.len(), "a test is listed twice");
        for ((code, _), test) in FILES.iter().zip(catalogue()) {
            assert_eq!(*code, test.code);
        }
    }

    #[test]
    fn every_published_code_is_there() {
        let codes: Vec<&str> = catalogue().iter().map(|test| test.code.as_str()).collect();
        for code in [
            "T131", "T132", "T133", "T141", "T151", "T152", "T161", "T211", "T311", "T331", "T332", "T421", "T426",
            "T431", "T441", "T512", "T611", "T616", "T621", "T626", "T716", "T721",
        ] {
            assert!(codes.contains(&code), "{code}");
        }
    }

    #[test]
    fn layers_come_in_the_order_of_the_sheet() {
        let mut layers: Vec<record::Layer> = catalogue().iter().map(|test| test.layer).collect();
        layers.dedup();
        assert_eq!(layers, [Layer::Cpu, Layer::Server, Layer::Storage, Layer::Database]);
        let threads = catalogue().iter().filter(|test| test.sweep == Sweep::Threads);
        assert_eq!(threads.map(|test| test.code.as_str()).collect::<Vec<&str>>(), ["T426", "T431", "T512"]);
    }

    #[test]
    fn the_numbers_are_those_of_the_published_reports() {
        let test = |code: &str| catalogue().iter().find(|test| test.code == code).expect(code);
        let repeat = |code: &str| test(code).statement[0].repeat;
        assert_eq!([repeat("T611"), repeat("T616"), repeat("T716"), repeat("T311")], [1, 32, 32, 2]);
        assert!(["T616", "T716", "T311"].iter().all(|code| test(code).transaction));
        assert_eq!(test("T721").statement[0].expect.changed, Some(Amount::Literal(320)));
        assert_eq!(test("T626").operations, Amount::Literal(320));
        assert!(test("T626").single_block_reads);
        assert!(test("T716").statement[0].ascending.is_some(), "else two jobs could wait for each other for ever");
    }

    #[test]
    fn a_line_of_a_test_file_is_readable() {
        for (code, text) in FILES {
            assert!(text.lines().all(|line| line.len() <= 120), "{code}");
            assert!(!text.contains('\t'), "{code}");
        }
    }

    /// The arithmetic of the processor tests, done here, natively.
    #[test]
    fn the_processor_tests_expect_what_the_processor_computes() {
        use crate::test::Literal;
        let test = |code: &str| catalogue().iter().find(|test| test.code == code).expect(code);
        let parameter = |code: &str, name: &str| test(code).parameters(Preset::Quick)[name];
        let expected = |code: &str| test(code).statement[0].expect.values.clone().expect("values");
        let next = |x: i64| (x * 48_271 + 11) % 2_147_483_647;
        let times = |code: &str| 0..parameter(code, "operations");
        assert_eq!(expected("T131"), [Literal::Int(times("T131").fold(42, |x, _| next(x)))]);
        // In hundredths; a half is rounded away from zero, and nothing is below zero here.
        let interest = |x: i64| ((x * 10_825 + 3_170_000) % 100_000_000_000 + 5_000) / 10_000;
        let cents = times("T132").fold(100_000, |x, _| interest(x));
        assert_eq!(expected("T132"), [Literal::Text(crate::data::decimal(cents.into(), 2))]);
        let logistic = times("T133").fold(0.3, |x: f64, _| x * (1.0 - x) / 0.252 + 0.001);
        assert_eq!(expected("T133"), [Literal::Float(logistic)]);
        assert_eq!(expected("T141"), [Literal::Int(strings(parameter("T141", "operations")))]);
        let is_prime = |number: &i64| (2..).take_while(|divisor| divisor * divisor <= *number).all(|d| number % d != 0);
        let primes = (2..parameter("T152", "numbers") + 2).filter(is_prime).count() as i64;
        assert_eq!(expected("T152"), [Literal::Int(primes)]);
        let elements = parameter("T161", "elements") as usize;
        let mut array: Vec<i64> = std::iter::successors(Some(next(42)), |x| Some(next(*x))).take(elements).collect();
        array.sort_unstable();
        let checksum = array.iter().fold(0, |sum, element| (sum * 31 + element) % 2_147_483_647);
        assert_eq!(expected("T161"), [Literal::Int(checksum)]);
    }

    #[test]
    fn bytes_of_documents_and_values_are_those_that_are_written() {
        use crate::test::Content;
        let test = |code: &str| catalogue().iter().find(|test| test.code == code).expect(code);
        for (code, bind) in [("T351", "doc"), ("T361", "content"), ("T362", "content"), ("T363", "content")] {
            let (_, content) = test(code).statement[0].bind[bind].derived().expect("a value that follows from a key");
            assert_eq!(test(code).row_bytes, Some(content.of(17).len() as u64), "{code}");
        }
        for (code, bind) in [("T651", "doc"), ("T461", "content"), ("T462", "content"), ("T463", "content")] {
            let fill = test(code).table[0].fill.as_ref().expect("a table that is filled");
            let (_, content) = fill.bind[bind].derived().expect("a value that follows from a key");
            assert_eq!(test(code).row_bytes, Some(content.of(17).len() as u64), "{code}");
        }
        assert!(Content::Document.of(17).contains(&format!(r#""city": "{}","#, Content::City.of(17))));
    }

    fn strings(operations: i64) -> i64 {
        let words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"];
        let (mut before, mut checksum) = (String::new(), 0);
        for number in (0..operations).map(|index| index * 7_919 % 1_000_000) {
            let text = format!("item-{number:06}-{}-end", words[(number % 8) as usize]);
            let found = text.find("ch").map_or(0, |at| at as i64 + 1);
            let changed = text.replace('-', "::");
            let part = changed[6..16].to_owned();
            let order = part.cmp(&before) as i64;
            checksum = (checksum * 31 + found * 1_000 + changed.len() as i64 * 10 + order) % 2_147_483_647;
            before = part;
        }
        checksum
    }

    #[test]
    fn fibonacci_numbers_and_calls_are_those_of_n() {
        let test = catalogue().iter().find(|test| test.code == "T151").expect("T151");
        let fibonacci = |n: i64| (0..n).fold((0, 1), |(this, next), _| (next, this + next)).0;
        for preset in [Preset::Smoke, Preset::Quick, Preset::Standard, Preset::Publish] {
            let parameters = test.parameters(preset);
            assert_eq!(parameters["fibonacci"], fibonacci(parameters["n"]));
            assert_eq!(parameters["calls"], 2 * fibonacci(parameters["n"] + 1) - 1);
        }
    }

    #[test]
    fn missing_abilities_are_reported() {
        let target = "null".parse().expect("a target");
        let workspace =
            engine::Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 1 };
        let mut caps = *NULL.open(&target, &workspace).expect("a node").caps();
        let missing = catalogue().iter().filter_map(|test| Some((test.code.as_str(), test.missing(&caps, &NULL)?)));
        let kept = "no answers, which a script keeps".to_owned();
        assert_eq!(missing.collect::<Vec<_>>(), [("C100", kept)]);
        caps.table_compression = false;
        caps.answers = true;
        let missing = |code: &str| {
            let test = catalogue().iter().find(|test| test.code == code).expect(code);
            test.missing(&caps, &NULL)
        };
        assert_eq!(missing("T332").as_deref(), Some("no table compression"));
        assert_eq!(missing("T161").as_deref(), Some("no statement of its own for T161.sort"));
        assert_eq!(missing("T131"), None);
    }
}
