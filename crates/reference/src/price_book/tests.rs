//! Valid and invalid price books.

use proptest::prelude::*;

use super::*;

const HEAD: &str = "currency = \"CHF\"\ndate = 2026-11-01\nsource = \"offer 4711\"\n";
const ITEM: &str = "[[item]]\nname = \"server\"\nlist_price = 65_000\nkind = \"once\"\n";

fn read(text: &str) -> PriceBook {
    price_book(text, "prices.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    price_book(text, "prices.toml").expect_err(text).to_string()
}

/// The error of a book whose only item also has `line`.
fn refused_item(line: &str) -> String {
    refused(&format!("{HEAD}{ITEM}{line}\n"))
}

#[test]
fn a_book_with_every_kind_of_item_is_read() {
    let book = read(
        r#"
            currency = "USD"
            date     = "spring 2026"
            source   = "list of the vendor"
            years    = 5
            [[item]]
            name = "server"
            quantity = 2
            list_price = 65_000
            discount = "12.5 %"
            kind = "once"
            [[item]]
            name = "licence"
            quantity = 32
            list_price = 47_500.0
            discount = 0.2
            kind = "per_core"
            core_factor = 0.5
            [[item]]
            name = "maintenance"
            list_price = 9_000
            discount = 1
            kind = "per_year"
            [[item]]
            name = "energy, kWh"
            quantity = 1.7
            list_price = 0.21
            kind = "per_hour"
        "#,
    );
    assert_eq!((book.currency.as_str(), book.date.as_str(), book.years), ("USD", "spring 2026", 5));
    assert_eq!(book.source, "list of the vendor");
    let lines: Vec<_> =
        book.items.iter().map(|item| (item.name.as_str(), item.quantity, item.list_price, item.discount.0)).collect();
    assert_eq!(
        lines,
        [
            ("server", 2.0, 65_000.0, 0.125),
            ("licence", 32.0, 47_500.0, 0.2),
            ("maintenance", 1.0, 9_000.0, 1.0),
            ("energy, kWh", 1.7, 0.21, 0.0)
        ]
    );
    let kinds: Vec<PriceKind> = book.items.iter().map(|item| item.kind).collect();
    assert_eq!(
        kinds,
        [PriceKind::Once, PriceKind::PerCore { core_factor: 0.5 }, PriceKind::PerYear, PriceKind::PerHour]
    );
}

#[test]
fn optional_keys_have_defaults() {
    let book = read(&format!("{HEAD}{}", ITEM.replace("once", "per_core")));
    assert_eq!((book.date.as_str(), book.years), ("2026-11-01", 3));
    let item = &book.items[0];
    assert_eq!((item.quantity, item.discount, item.kind), (1.0, Ratio(0.0), PriceKind::PerCore { core_factor: 1.0 }));
    assert_eq!(read(&format!("{HEAD}{}", ITEM.replace("65_000", "0"))).items[0].list_price, 0.0, "free of charge");
}

#[test]
fn the_documented_example_is_valid() {
    let source = include_str!("../price_book.rs");
    let lines = source.lines().take_while(|line| line.starts_with("//!")).map(|line| line[3..].trim_start());
    let example: Vec<&str> =
        lines.skip_while(|line| *line != "```toml").skip(1).take_while(|line| *line != "```").collect();
    let book = read(&example.join("\n"));
    assert_eq!(book.items[0].discount, Ratio(0.2));
}

#[test]
fn invalid_figures_are_refused_with_line_value_and_limit() {
    for (price, said) in [
        ("-1", "list_price -1 of \"server\" is negative"),
        ("nan", "list_price NaN of \"server\" is not a finite number"),
        ("-inf", "list_price -inf of \"server\" is not a finite number"),
        ("1e13", "list_price 10,000,000,000,000 of \"server\" is more than 1e12"),
        ("1e-13", "list_price 0.0000000000001 of \"server\" is less than 1e-12"),
    ] {
        let text = format!("{HEAD}{}", ITEM.replace("65_000", price));
        let hint = "give the price of one unit, before any discount";
        assert_eq!(refused(&text), format!("price book prices.toml line 6: {said}; hint: {hint}"));
    }
    for (line, said) in [
        ("quantity = 0", "quantity 0 of \"server\" is not above 0; hint: omit items that are not paid for"),
        ("quantity = -2", "quantity -2 of \"server\" is negative; hint: give a number above 0"),
        (
            "discount = 20",
            "discount 20 of \"server\" is more than 1; hint: give a fraction of the list price: 0.2 or \
             \"20 %\"",
        ),
        (
            "discount = \"120 %\"",
            "discount 1.2 of \"server\" is more than 1; hint: give a fraction of the list price: 0.2 or \
             \"20 %\"",
        ),
        (
            "discount = nan",
            "discount NaN of \"server\" is not a finite number; hint: give a fraction of the list price: 0.2 or \"20 %\"",
        ),
        (
            "discount = \"-5%\"",
            "discount -0.05 of \"server\" is negative; hint: give a fraction of the list price: 0.2 or \"20 %\"",
        ),
        (
            "core_factor = 0.5",
            "core_factor 0.5 of \"server\" is not priced per core; hint: use it with kind = \"per_core\" only",
        ),
    ] {
        assert_eq!(refused_item(line), format!("price book prices.toml line 8: {said}"));
    }
    assert!(refused_item("discount = \"much\"").contains("line 8: invalid value: string \"much\", expected a ratio"));
}

#[test]
fn invalid_headers_are_refused() {
    for currency in ["dollars", "usd", "US", "€", ""] {
        let said = refused(&format!("{}{ITEM}", HEAD.replace("CHF", currency)));
        let expected = format!(
            "price book prices.toml line 1: currency {currency:?} is not a code of three capital letters; hint: give an \
             ISO 4217 code such as \"USD\" or \"EUR\""
        );
        assert_eq!(said, expected);
    }
    for years in ["0", "-3", "31"] {
        let said = refused(&format!("{HEAD}years = {years}\n{ITEM}"));
        assert!(said.contains(&format!("line 4: years {years} is not in 1..=30")), "{said}");
    }
    assert!(refused(&format!("{}{ITEM}", HEAD.replace("offer 4711", " "))).contains("line 3: source is empty"));
    assert!(refused(&format!("{}{ITEM}", HEAD.replace("2026-11-01", "\"\""))).contains("line 2: date is empty"));
    assert!(
        refused(&format!("{HEAD}{}", ITEM.replace("\"server\"", "\"\""))).contains("line 5: name of an item is empty")
    );
}

#[test]
fn invalid_files_are_refused_with_a_minimal_example() {
    assert_eq!(
        refused(HEAD),
        "price book prices.toml: no [[item]], at least 1 is required; hint: add [[item]] with name, list_price and \
         kind"
    );
    for (text, said) in [
        ("<html>".to_owned(), "line 1: "),
        (String::new(), "missing field `currency`"),
        (format!("{HEAD}tax = 1\n{ITEM}"), "line 4: unknown field `tax`, expected one of `currency`, `date`"),
        (format!("{HEAD}{ITEM}colour = 1"), "line 8: unknown field `colour`"),
        (format!("{HEAD}{}", ITEM.replace("once", "twice")), "line 7: unknown variant `twice`, expected one of `once`"),
        (format!("{HEAD}{}", ITEM.replace("list_price", "quantity")), "missing field `list_price`"),
        (format!("{HEAD}{}", ITEM.replace("65_000", "\"65000\"")), "line 6: invalid type: string \"65000\""),
        (format!("{}{ITEM}", HEAD.replace("2026-11-01", "2026")), "line 2: a date or words"),
    ] {
        let error = refused(&text);
        assert!(error.starts_with("price book prices.toml") && error.contains(said), "{error}");
        assert!(error.contains("hint: a price book is TOML: currency = \"USD\""), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn figures_are_exact_and_grouped_from_five_digits_on() {
    let shown = [0.99, 1809.0, 68_336.0, 1_977_404.0, 624.05365, -12_345.5, 100.0, 0.0].map(exact);
    assert_eq!(shown, ["0.99", "1809", "68,336", "1,977,404", "624.05365", "-12,345.5", "100", "0"]);
    assert_eq!([f64::NAN, f64::INFINITY].map(exact), ["NaN", "inf"]);
}

proptest! {
    #[test]
    fn any_text_is_handled(text in "\\PC{0,200}") {
        let _ = price_book(&text, "prices.toml");
    }

    #[test]
    fn any_figure_is_handled(
        price in any::<f64>(),
        quantity in any::<f64>(),
        discount in any::<f64>(),
        years in any::<i64>(),
    ) {
        // TOML writes these in small letters.
        let item = format!("{ITEM}quantity = {quantity:?}\ndiscount = {discount:?}").replace("65_000", &format!("{price:?}"));
        let text = format!("{HEAD}years = {years}\n{item}").replace("NaN", "nan");
        if let Ok(book) = price_book(&text, "prices.toml") {
            let item = &book.items[0];
            prop_assert!((1..=30).contains(&book.years) && (0.0..=1.0).contains(&item.discount.0));
            prop_assert!(item.list_price >= 0.0 && item.quantity > 0.0 && item.quantity.is_finite());
        }
    }

    #[test]
    fn any_lines_are_read_or_refused(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "[[item]]", "[item]", "name = \"a\"", "name = 1", "kind = \"per_core\"", "kind = \"once\"",
                "list_price = 1", "list_price = -1e400", "discount = \"%\"", "discount = \" 1e400 %\"",
                "core_factor = 0", "years = 3", "currency = \"EUR\"", "date = 1979-05-27T07:32:00Z", "source = \"b\"",
                "é = \"\\u0000\"", "\"\"\"",
            ]),
            0..14,
        ),
    ) {
        let text = lines.join("\n");
        if let Err(error) = price_book(&text, "prices.toml") {
            prop_assert!(error.line.is_none_or(|line| line >= 1 && line <= lines.len() + 1), "{}", error);
        }
    }
}
