//! `dbdyno model platform`: the example of the documentation with its output, a record, and mistakes.

use std::fs;
use std::path::Path;

use crate::bench::Bench;

/// The blocks of the page about platforms: the example file, and what is printed for it.
fn documented() -> (String, String) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/how-to/platform.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```toml,file=platform.toml\n").unwrap();
    let (file, rest) = rest.split_once("```").unwrap();
    let (_, rest) = rest.split_once("```text\n").unwrap();
    let (output, _) = rest.split_once("```").unwrap();
    (file.to_owned(), output.to_owned())
}

fn prints(text: &str) -> String {
    let bench = Bench::new();
    fs::write(bench.path().join("platform.toml"), text).unwrap();
    let output = bench.succeed(&["model", "platform", "platform.toml"]).out;
    assert!(output.lines().all(|line| line.chars().count() <= 80), "{output}");
    output
}

#[test]
fn the_documented_example_prints_what_is_documented() {
    let (file, output) = documented();
    assert_eq!(prints(&file), output);
}

#[test]
fn nothing_is_said_of_what_the_file_leaves_out() {
    let output = prints(
        "[[link]]\nname = 'switch'\ngeneration = 3\nlanes = 16\n[[drive]]\ncount = 24\nabove = 'switch'\nread_rate = '1.2GB/s'\n",
    );
    assert!(
        output.contains("- Saturated first, at best: link switch at 14.4 GB/s of reads, link switch at"),
        "{output}"
    );
    assert!(output.contains("2.00 times as much of link switch: 28.8 GB/s of reads in place of 14.4 GB/s"), "{output}");
    for absent in ["Memory", "Volume", "Endurance", "Commits", "Clients", "Cache", "Cost", "required"] {
        assert!(!output.contains(absent), "{absent} in\n{output}");
    }
    assert_eq!(prints(""), "Platform\n\n- No part has figures from which a bound follows.\n");
}

#[test]
fn a_record_is_a_platform_with_measured_rates() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--tests", "M11,S11", "--jobs", "1", "--record", "platform.jsonl"]);
    let output = bench.succeed(&["model", "platform", "platform.jsonl"]).out;
    let memory = output.lines().find(|line| line.starts_with("memory")).unwrap_or_else(|| panic!("{output}"));
    assert!(memory.contains("measured") && memory.contains("M11"), "{output}");
    // Of a volume on several devices the rates of none are known.
    if let Some(drives) = output.lines().find(|line| line.starts_with("drives") && line.contains("S11")) {
        assert!(drives.contains("MB/s") || drives.contains("GB/s"), "bytes, and not requests: {output}");
    }
    // What a file requires is held against the machine of the record.
    fs::write(bench.path().join("required.toml"), "[required]\nthroughput = \"1TB/s\"\n").unwrap();
    let output = bench.succeed(&["model", "platform", "required.toml", "--record", "platform.jsonl"]).out;
    let memory = output.lines().find(|line| line.starts_with("memory")).unwrap_or_else(|| panic!("{output}"));
    assert!(memory.contains("measured") && memory.contains("1.00 TB/s") && output.contains("bottleneck"), "{output}");
    let refused = bench.run(&["model", "platform", "platform.jsonl", "--record", "platform.jsonl"]);
    assert!(
        refused.code == 2 && refused.err.contains("is a record, and --record gives another one"),
        "{}",
        refused.err
    );
}

#[test]
fn a_price_book_prices_the_parts_that_it_names() {
    let bench = Bench::new();
    let platform = "[[drive]]\nname = 'data'\ncount = 4\nread_rate = '1GB/s'\n[required]\nthroughput = '5GB/s'\n";
    fs::write(bench.path().join("platform.toml"), platform).unwrap();
    let book = |currency: &str| {
        format!(
            "currency = '{currency}'\ndate = '2026'\nsource = 'us'\nyears = 2\n\
             [[item]]\nname = 'Data'\nlist_price = 1000\ndiscount = '25 %'\nkind = 'once'\n\
             [[item]]\nname = 'support'\nlist_price = 500\nkind = 'per_year'\n"
        )
    };
    fs::write(bench.path().join("prices.toml"), book("CHF")).unwrap();
    let priced = ["model", "platform", "platform.toml", "--prices", "prices.toml"];
    let output = bench.succeed(&priced).out;
    for said in [
        "CHF 4.000 k; prices as of 2026: us.",
        "Of no part of this platform, and the same whatever is bought: support.",
        "5 drives data in place of 4, CHF 750.0 more",
        "as many drives, 1.25 times as fast (1.25 GB/s each)",
    ] {
        let line = output.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(said), "{said} in\n{output}");
    }
    let platform = format!("currency = 'EUR'\ndate = '2025'\nsource = 'them'\n{platform}");
    fs::write(bench.path().join("platform.toml"), platform).unwrap();
    let refused = bench.run(&priced);
    let said = "error: price book prices.toml is in CHF, and the platform in EUR\nhint: give both in one currency\n";
    assert_eq!((refused.code, refused.err.as_str()), (2, said));
}

#[test]
fn mistakes_of_the_user_end_with_2_and_name_thing_value_and_limit() {
    for (text, said) in [
        (
            "[[link]]\nname = 'a'\ngeneration = 4\nlanes = -4\n",
            "error: platform platform.toml line 4: lanes of link -4 is not a whole number in 1..=32\nhint: use a whole \
             number from 1 to 32\n",
        ),
        (
            "[procesor]\ncores = 8\n",
            "error: platform platform.toml line 1: section \"procesor\" is not known\nhint: did you mean processor?\n",
        ),
        (
            "[[drive]]\ncount = 2\n[volume]\nlevel = 'raid5'\n",
            "error: platform platform.toml line 3: count of drive \"drives\" 2 is too few for the volume, at least 3 are \
             required\nhint: give more drives or another level\n",
        ),
        (
            "[[drive]]\nread_iops = nan\n",
            "error: platform platform.toml line 2: read_iops of drive NaN is not a finite number\nhint: write it as in \
             read_iops = \"900k\"\n",
        ),
    ] {
        let bench = Bench::new();
        fs::write(bench.path().join("platform.toml"), text).unwrap();
        let refused = bench.run(&["model", "platform", "platform.toml"]);
        assert_eq!((refused.code, refused.err.as_str()), (2, said));
    }
    let refused = Bench::new().run(&["model", "platform", "absent.toml"]);
    assert!(refused.code == 2 && refused.err.contains("platform absent.toml cannot be read"), "{}", refused.err);
}
