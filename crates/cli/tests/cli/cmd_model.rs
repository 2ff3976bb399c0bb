//! `dbdyno model scale`: curves of records, files and published systems, and claims beyond the measured range.

use std::fs;

use crate::bench::Bench;

/// The words of a text, independent of line breaks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_published_claim_is_judged_by_default() {
    let bench = Bench::new();
    let output = words(&bench.succeed(&["model", "scale", "datrium"]).out);
    let expected = [
        "claim 7.000 M blk/s at N = 128",
        "verdict UNSUPPORTED",
        "Measured: 165K at N = 3.",
        "it would be 47K to 7.04M",
        "measure up to N = 128 to support the claim, up to 39 for 90 % of linear",
    ];
    for words in expected {
        assert!(output.contains(words), "no {words:?} in\n{output}");
    }
    let asked = bench.succeed(&["model", "scale", "datrium", "--at", "128"]).out;
    assert_eq!(words(&asked), output, "what is claimed of 128 is judged where 128 is asked about");
    bench.succeed(&["model", "scale", "datrium", "--html", "s.html"]);
    let page = fs::read_to_string(bench.path().join("s.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("UNSUPPORTED"));
}

#[test]
fn a_published_sweep_is_fitted() {
    let bench = Bench::new();
    let output = words(&bench.succeed(&["model", "scale", "hp-dl980", "--test", "T626"]).out);
    for words in ["knee N = 10.2", "peak 358.6 k blk/s (95 %: ", "at N = 60.1", "128 339.3 k 1"] {
        assert!(output.contains(words), "no {words:?} in\n{output}");
    }
    let inside = bench.succeed(&["model", "scale", "hp-dl980", "--test", "T626", "--at", "32", "--ceiling", "1M"]).out;
    assert!(inside.contains("At N = 32") && !inside.contains("BEYOND"), "{inside}");
    let drawn = bench.succeed(&["model", "scale", "hp-dl980", "--test", "T626", "--ceiling", "1M"]).out;
    assert!(drawn.contains("ceilings are not used without --at"), "{drawn}");
    let more = bench.succeed(&["model", "scale", "hp-dl980", "--test", "T626", "--at", "256", "--claim", "600K"]);
    assert!(words(&more.out).contains("verdict UNSUPPORTED"), "no estimate there: {}", more.out);
    let linear = bench.succeed(&["model", "scale", "hp-dl980", "--test", "T626", "--at", "256", "--claim", "12M"]);
    assert!(words(&linear.out).contains("verdict CONTRADICTED"), "{}", linear.out);
    let measured = |claim| {
        let all = ["model", "scale", "hp-dl980", "--test", "T626", "--at", "128", "--claim", claim];
        words(&bench.succeed(&all).out)
    };
    for (claim, verdict) in [("330K", "SUPPORTED"), ("350K", "UNSUPPORTED"), ("400K", "CONTRADICTED")] {
        let found = measured(claim);
        assert!(
            found.contains(&format!("verdict {verdict} ")) && found.contains("measured 339.3 k"),
            "{claim}: {found}"
        );
    }
}

#[test]
fn the_weights_of_a_fit_are_chosen() {
    let bench = Bench::new();
    // The data set specsdm91 of the R package usl.
    let file = "load,ops\n1,64.9\n18,995.9\n36,1652.4\n72,1853.2\n108,1828.9\n144,1775.0\n216,1702.2\n";
    fs::write(bench.path().join("sdm.csv"), file).unwrap();
    for (weights, expected) in [
        (
            &["--weights", "absolute"][..],
            ["weights absolute: ", "sigma = 0.02773", "kappa = 1.044e-4", "lambda 90.00 ops"],
        ),
        (&["--weights", "relative"], ["weights relative: ", "sigma = 0.01352", "kappa = 1.151e-4", "lambda 67.71 ops"]),
        (&[], ["weights relative: ", "sigma = 0.01352", "kappa = 1.151e-4", "lambda 67.71 ops"]),
    ] {
        let found = words(&bench.succeed(&[&["model", "scale", "sdm.csv"], weights].concat()).out);
        for expected in expected {
            assert!(found.contains(expected), "no {expected} in\n{found}");
        }
    }
    assert_eq!(bench.run(&["model", "scale", "sdm.csv", "--weights", "none"]).code, 2);
}

#[test]
fn repeats_at_one_degree_are_judged_by_their_own_noise() {
    let bench = Bench::new();
    let file = "vu,nopm\n20,134092\n20,129852\n20,206136\n20,198488\n20,123287\n20,195082\n";
    fs::write(bench.path().join("repeats.csv"), file).unwrap();
    let found = words(&bench.succeed(&["model", "scale", "repeats.csv", "--at", "20", "--claim", "190k"]).out);
    for expected in
        ["verdict UNSUPPORTED", "164.5 k nopm, the mean of 6 runs", "interval 123.4 k to 205.5 k", "from the repeats"]
    {
        assert!(found.contains(expected), "no {expected} in\n{found}");
    }
}

#[test]
fn a_file_of_two_columns_is_a_curve() {
    let bench = Bench::new();
    let file = "hosts,IOPS\n1,55000\n2,110500\n2,109800\n4,218000\n8,430000\n";
    fs::write(bench.path().join("hosts.csv"), file).unwrap();
    let output = bench.succeed(&["model", "scale", "hosts.csv", "--at", "12", "--claim", "600_000"]);
    for words in ["Scalability: hosts.csv\nIOPS over hosts", "N = hosts", "verdict"] {
        assert!(output.out.contains(words), "no {words} in\n{}", output.out);
    }
    // Two points do not decide a claim.
    fs::write(bench.path().join("two.csv"), "n,rate\n1,55000\n2,110000\n").unwrap();
    let judged = bench.succeed(&["model", "scale", "two.csv", "--at", "128", "--claim", "7M"]);
    assert!(words(&judged.out).contains("verdict UNSUPPORTED"), "{}", judged.out);
    let shared =
        bench.succeed(&["model", "scale", "two.csv", "--at", "128", "--claim", "7M", "--ceiling", "switch=2M"]);
    assert!(words(&shared.out).contains("verdict CONTRADICTED"), "{}", shared.out);
}

#[test]
fn a_record_has_curves_by_test() {
    let bench = Bench::new();
    let run = ["run", "--preset", "smoke", "--jobs", "1,2,4", "--tests", "C11,T611", "--quiet", "--record", "r.json"];
    bench.succeed(&run);
    let output = bench.succeed(&["model", "scale", "r.json", "--test", "T611"]);
    assert!(output.out.contains("T611") && output.out.contains("N = jobs"), "{}", output.out);
    // The same figures at an arrival rate, and on several nodes.
    let mut record = bench.record("r.json");
    for run in record["runs"].as_array_mut().unwrap() {
        run["dop"]["nodes"] = run["dop"]["jobs"].clone();
    }
    record["engine"]["nodes"] = 4.into();
    bench.write_record("nodes.json", &record);
    for run in record["runs"].as_array_mut().unwrap() {
        run["pace"] = serde_json::json!({ "rate": { "steps_per_second": 10.0 } });
    }
    bench.write_record("open.json", &record);
    for (name, reason) in [("nodes.json", "r on 4 nodes has 1 (4)"), ("open.json", "a fixed arrival rate")] {
        let output = bench.run(&["model", "scale", name, "--test", "T611"]);
        assert!(output.code == 2 && output.err.contains(reason), "{name}: {}", output.err);
    }
    for run in record["runs"].as_array_mut().unwrap() {
        run["outcome"] = serde_json::json!({ "status": "failed", "message": "the disk was full" });
    }
    bench.write_record("invalid.json", &record);
    let invalid = bench.run(&["model", "scale", "invalid.json", "--test", "T611"]);
    let words = "has no rate: all 3 runs are invalid, run ";
    assert!(
        invalid.code == 2 && invalid.err.contains(words) && invalid.err.contains("the disk was full"),
        "{}",
        invalid.err
    );
    let which = bench.run(&["model", "scale", "r.json"]);
    assert_eq!(which.code, 2);
    assert!(which.err.contains("--test is one of C11, T611"), "{}", which.err);
}

#[test]
fn invalid_curves_are_refused_with_a_hint() {
    let bench = Bench::new();
    for (name, text) in [
        ("two.csv", "1,10\n2,19\n"),
        ("word.csv", "1,10\n2,many\n"),
        ("minus.csv", "1,-10\n"),
        ("no.csv", ""),
        ("huge.csv", "1,1e300\n"),
    ] {
        fs::write(bench.path().join(name), text).unwrap();
    }
    let refusals: [(&[&str], &str); 17] = [
        (&["two.csv"], "a curve needs at least 3 degrees of parallelism; two.csv has 2 (1, 2)"),
        (&["two.csv", "--at", "64"], "a curve needs at least 3 degrees of parallelism"),
        (&["word.csv"], "word.csv line 2: rate \"many\" is not a number"),
        (&["minus.csv"], "minus.csv line 1: rate -10 is negative"),
        (&["no.csv"], "no.csv has no rate"),
        (&["two.csv", "--test", "T611"], "two.csv is a CSV file and has no test T611"),
        (&["two.csv", "--at", "0", "--claim", "7M"], "--at 0 is not a degree of parallelism"),
        (&["two.csv", "--at", "2e9"], "--at 2e9 is beyond 1000000000"),
        (&["two.csv", "--at", "8", "--claim", "1e300"], "--claim 1e300 is beyond 1e15"),
        (&["huge.csv"], "huge.csv line 1: rate 1e300 is beyond 1e15"),
        (&["two.csv", "--at", "8", "--claim", "30", "--ceiling", "=5"], "--ceiling =5 has no name before the ="),
        (
            &["two.csv", "--at", "8", "--claim", "30", "--ceiling", "switch=15"],
            "ceiling switch 15 is below the rate 19 measured at N = 2",
        ),
        (&["closson"], "--test is one of "),
        (&["hp-dl980"], "hp-dl980-violin-vma3205 has 16 tests with a curve; select one"),
        (&["two.csv", "--at", "8", "--claim", "much"], "--claim much is not a rate"),
        (&["hp-dl980", "--test", "T999"], "hp-dl980-violin-vma3205 has no test T999"),
        (&["exadata"], "exadata is neither a file nor a published system"),
    ];
    for (arguments, message) in refusals {
        let output = bench.run(&[&["model", "scale"], arguments].concat());
        assert_eq!(output.code, 2, "{arguments:?}: {}", output.err);
        assert!(output.err.contains(message) && output.err.contains("hint: "), "{arguments:?}: {}", output.err);
    }
}

#[test]
fn published_systems_are_listed_and_shown() {
    let bench = Bench::new();
    let list = words(&bench.succeed(&["list", "references"]).out);
    for name in ["hp-dl980-violin-vma3205 year 2012", "datrium-slob-2018 year 2018", "SLOB-scale-out"] {
        assert!(list.contains(name), "no {name} in\n{list}");
    }
    let sheet = bench.succeed(&["report", "hp-dl980"]).out;
    let table = sheet.split("T626").last().unwrap();
    for figures in ["#J", "33.44 k", "31.65 k", "318.0", "<= 500 µs", "78.0 s"] {
        assert!(table.contains(figures), "no {figures} in\n{table}");
    }
}
