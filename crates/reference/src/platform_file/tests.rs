//! Valid and invalid platforms.

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> PlatformPlan {
    platform_plan(text, "platform.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    let error = platform_plan(text, "platform.toml").expect_err(text);
    format!("{error}; hint: {}", error.hint)
}

#[test]
fn the_documented_example_is_valid() {
    let source = include_str!("../platform_file.rs");
    let lines = source.lines().take_while(|line| line.starts_with("//!")).map(|line| line[3..].trim_start());
    let example: Vec<&str> =
        lines.skip_while(|line| *line != "```toml").skip(1).take_while(|line| *line != "```").collect();
    let plan = read(&example.join("\n"));
    assert_eq!((plan.drives[0].count, plan.drives[0].read_rate), (8, Some(record::Rate(7e9))));
    assert_eq!(plan.drives[0].origin.source.as_deref(), Some("data sheet"));
    assert_eq!(plan.volume.map(|volume| volume.drives).as_deref(), Some("data"));
}

#[test]
fn an_empty_file_is_an_empty_platform() {
    assert_eq!(read(""), PlatformPlan::default());
}

#[test]
fn figures_may_be_numbers_or_text() {
    let plan =
        read("[required]\niops = 400_000\nio_size = 8192\ncpu = 0.0004\nwrite_share = \"30%\"\nthroughput = 1e10\n");
    let words =
        read("[required]\niops = '400k'\nio_size = '8KiB'\ncpu = '400us'\nwrite_share = 0.3\nthroughput = '10GB/s'\n");
    assert_eq!(plan.required, words.required);
}

#[test]
fn mistakes_are_refused_with_line_value_limit_and_hint() {
    for (text, said) in [
        (
            "[[link]]\nname = 'a'\ngeneration = 4\nlanes = -4\n",
            "line 4: lanes of link -4 is not a whole number in 1..=32; hint: use a whole number from 1 to 32",
        ),
        ("[[link]]\nname = 'a'\ngeneration = 4\nlanes = 3\n", "lanes of link 3 is not one of 1, 2, 4, 8, 16, 32"),
        ("[[link]]\nname = 'a'\ngeneration = 8\nlanes = 4\n", "generation of link 8 is not a whole number in 1..=7"),
        ("[processor]\ncores = 0\n", "line 2: cores of processor 0 is not a whole number in 1..=100000"),
        ("[processor]\nsockets = 2\n", "line 1: processor has no cores"),
        (
            "[processor]\ncores = 8\nclok = 3e9\n",
            "line 3: key of processor \"clok\" is not known; hint: did you mean clock?",
        ),
        ("[procesor]\ncores = 8\n", "line 1: section \"procesor\" is not known; hint: did you mean processor?"),
        ("processor = 8\n", "processor is no section; hint: write it as [processor]"),
        ("[drive]\ncount = 8\n", "drive is no section; hint: write it as [[drive]]"),
        ("[[drive]]\nread_iops = nan\n", "line 2: read_iops of drive NaN is not a finite number"),
        ("[[drive]]\nread_iops = -1\n", "line 2: read_iops of drive -1 is negative"),
        ("[[drive]]\nread_iops = 0\n", "line 2: read_iops of drive 0 is not above 0"),
        (
            "[[drive]]\nread_rate = 'fast'\n",
            "read_rate of drive \"fast\" is not a figure of this kind; hint: write it as in read_rate = \"7GB/s\"",
        ),
        (
            "[[drive]]\nabove = 'switch'\n",
            "line 1: above of drive \"switch\" is no [[link]] of this file; hint: add it as [[link]]",
        ),
        (
            "[[drive]]\ncount = 2\n[volume]\nlevel = 'raid5'\n",
            "line 3: count of drive \"drives\" 2 is too few for the volume, at least 3 are required",
        ),
        (
            "[[drive]]\ncount = 8\n[volume]\nlevel = 'raid7'\n",
            "line 4: level of volume \"raid7\" is not known; hint: did you mean raid0? use one of raid0, raid1",
        ),
        ("[[drive]]\ncount = 5\n[volume]\nlevel = 'raid10'\n", "count of drive \"drives\" 5 is odd"),
        ("[volume]\nlevel = 'raid5'\n", "volume has no drives"),
        ("[[drive]]\nname = 'a'\n[[drive]]\nname = 'b'\n[volume]\nlevel = 'raid0'\n", "over which of 2 sets of drives"),
        ("[[drive]]\nname = 'a'\n[[drive]]\nname = 'a'\n", "line 3: name of drive \"a\" is there twice"),
        ("[fabric]\nports = 2\n", "fabric has no speed; hint: give one of ethernet = 25"),
        ("[fabric]\nethernet = 25\ninfiniband = 'hdr'\n", "fabric is of 2 kinds, exactly 1 is possible"),
        ("[cache]\nbuffer = '1GiB'\nflash = '1TiB'\n", "cache has no curve of misses"),
        ("[required]\nlog = '4KiB'\n", "log of required is there without transactions"),
        ("[required]\nwrite_share = 1.5\n", "write_share of required 1.5 is more than 1"),
        ("[licence]\nprice = 100\n[processor]\ncores = 2\n", "prices have no currency"),
        ("currency = 'francs'\n", "currency \"francs\" is not a code of three capital letters"),
        ("[processor\n", "line 1: "),
    ] {
        let error = refused(text);
        assert!(error.starts_with("platform platform.toml line ") && error.contains(said), "{said}\n{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn chains_of_links_have_an_end() {
    let link = |index: usize, above: String| format!("[[link]]\nname = '{index}'\ngeneration = 1\nlanes = 1\n{above}");
    let chain = |count: usize| {
        let of = |index| link(index, if index == 0 { String::new() } else { format!("above = '{}'\n", index - 1) });
        (0..count).map(of).collect::<String>()
    };
    let plan = read(&format!("{}[[drive]]\nabove = '199'\nread_rate = 1\n", chain(200)));
    assert_eq!(model::platform_plan::oversubscribed(&plan).len(), 200);
    assert!(refused(&chain(201)).contains("line 1: link is there 201 times, at most 200 are read"));
}

#[test]
fn a_circle_of_links_is_refused() {
    let link =
        |name: &str, above: &str| format!("[[link]]\nname = '{name}'\ngeneration = 4\nlanes = 8\nabove = '{above}'\n");
    assert!(refused(&link("a", "a")).contains("line 1: link \"a\" is above itself"));
    let three = [link("a", "b"), link("b", "c"), link("c", "a")].concat();
    assert!(
        refused(&three).contains("is above itself, or above such a one; hint: above leads from drives towards memory")
    );
    assert!(
        refused(&link("a", "b"))
            .contains("above of link \"b\" is no [[link]] of this file; hint: the links of this file are: a")
    );
}

proptest! {
    #[test]
    fn any_text_is_handled(text in "\\PC{0,200}") {
        let _ = platform_plan(&text, "platform.toml");
    }

    #[test]
    fn any_lines_are_read_or_refused_and_what_is_read_has_bounds(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "[processor]", "[memory]", "[[link]]", "[[drive]]", "[volume]", "[network]", "[fabric]", "[commit]",
                "[cache]", "[licence]", "[required]", "name = 'a'", "above = 'a'", "cores = 4", "sockets = 2", "smt = 2",
                "generation = 4", "lanes = 16", "count = 4", "count = 100_000", "level = 'raid6'", "ethernet = 1e-9", "protocol = 'iscsi'",
                "flush = '1ns'", "iops = 1e15", "write_share = 1", "transactions = 1e-9", "clients = 1e9", "io_size = 1",
                "capacity = 1e18", "cycles = 1e-9", "spare = 0.001", "throughput = 1", "read_iops = 1e-9", "price = 1",
                "currency = 'EUR'", "date = 2026-01-01", "source = 'b'", "megatransfers = 1e15", "cycles_per_io = 1e15",
                "clock = '1MHz'", "write_iops = inf", "miss = [['1B', 1], ['2B', 0.5]]", "header = 1e6", "flash = '1EB'",
                "buffer = 1", "flash_time = 1", "below_time = 1", "logical_reads = 1e15", "é = \"\\u0000\"", "\"\"\"",
            ]),
            0..24,
        ),
    ) {
        let text = lines.join("\n");
        match platform_plan(&text, "platform.toml") {
            Err(error) => prop_assert!(error.line.is_none_or(|line| line >= 1 && line <= lines.len() + 1), "{}", error),
            Ok(plan) => {
                let bounds = model::platform_plan::bounds(&plan);
                prop_assert!(bounds.iter().all(|bound| bound.available > 0.0 && bound.available.is_finite()));
                let _ = model::platform_plan::purchases(&plan, &bounds);
                let _ = model::platform_plan::second_level(&plan);
                let _ = model::platform_plan::storage(&plan);
                let _ = model::platform_plan::oversubscribed(&plan);
            }
        }
    }
}
