//! Layouts from TOML, and the one of cards.

use super::*;

const MINE: &str = r#"
    name = "mine"
    separator = ";"
    [[fields]]
    name = "id"
    kind = "int"
    digits = 9
    [[fields]]
    name = "price"
    kind = "decimal"
    precision = 12
    scale = 3
    [[fields]]
    name = "day"
    kind = "date"
    [[fields]]
    name = "label"
    kind = "text"
    size = 40
"#;

#[test]
fn a_layout_is_parsed_from_toml() {
    let layout = Layout::from_toml(MINE).unwrap();
    assert_eq!((layout.name.as_str(), layout.separator, layout.ends_with_separator), ("mine", b';', false));
    let kinds: Vec<FieldKind> = layout.fields.iter().map(|field| field.kind).collect();
    let decimal = FieldKind::Decimal { precision: 12, scale: 3 };
    assert_eq!(kinds, [FieldKind::Int { digits_max: 9 }, decimal, FieldKind::Date, FieldKind::Text { size: 40 }]);
}

#[test]
fn an_int_has_all_digits_of_64_bits_unless_it_has_fewer() {
    let kind = |digits: &str| Layout::from_toml(&MINE.replacen("digits = 9", digits, 1)).unwrap().fields[0].kind;
    assert_eq!(kind(""), FieldKind::Int { digits_max: 19 });
    assert_eq!(kind("digits = 19"), FieldKind::Int { digits_max: 19 });
    assert_eq!(kind("digits = 1"), FieldKind::Int { digits_max: 1 });
}

#[test]
fn quotes_are_refused_read_or_content() {
    let of = |line: &str| Layout::from_toml(&MINE.replacen("separator", &format!("{line}\nseparator"), 1));
    let quote = |line: &str| of(line).map(|layout| layout.quote).map_err(|error| error.to_string());
    assert_eq!(quote(""), Ok(Quote::Refused));
    assert_eq!(quote("quote = \"\\\"\""), Ok(Quote::Read(b'"')));
    assert_eq!(quote("quote = \"'\""), Ok(Quote::Read(b'\'')));
    assert_eq!(quote("quote = \"none\""), Ok(Quote::Content));
    for wrong in ["", ";", "\\t", " ", "a", "5", "''", "\\u00e4", "-", "_"] {
        let error = quote(&format!("quote = \"{wrong}\"")).unwrap_err();
        assert!(error.contains("cannot quote fields; hint: use \"\\\"\" or another"), "{error}");
    }
    let layout = of("").unwrap();
    assert!(
        layout.refuses_quote_of(b"a;\"b\n") && layout.refuses_quote_of(b"\"a") && layout.refuses_quote_of(b"a\n\"b")
    );
    assert!(!layout.refuses_quote_of(b"5\" pipe;a\n") && !layout.refuses_quote_of(b""));
    assert!(!of("quote = \"none\"").unwrap().refuses_quote_of(b"\"a\""));
}

#[test]
fn invalid_values_are_errors() {
    let refused = |from: &str, to: &str| Layout::from_toml(&MINE.replacen(from, to, 1)).unwrap_err().to_string();
    assert!(refused("digits = 9", "digits = 20").contains("field id: digits 20 is out of range; hint: use 1 to 19"));
    assert!(refused("precision = 12", "precision = 19").contains("precision 19 is out of range; hint: use 1 to 18"));
    assert!(refused("scale = 3", "scale = 13").contains("field price: scale 13 is out of range; hint: use 0 to 12"));
    assert!(refused("scale = 3", "").contains("field price: kind decimal requires the keys precision and scale"));
    assert!(
        refused("kind = \"date\"", "kind = \"date\"\nsize = 1").contains("field day: kind date has no further keys")
    );
    assert!(refused("kind = \"date\"", "kind = \"time\"").starts_with("layout: unknown variant `time`"));
    assert!(refused("\";\"", "\"5\"").contains("separator \"5\" cannot separate fields"));
    assert!(refused("\"label\"", "\"ID\"").contains("two fields have the name ID"));
    assert!(refused("\"label\"", "\"la bel\"").contains("\"la bel\" is not a name of a field"));
    assert!(refused("name = \"mine\"", "nam = \"mine\"").starts_with("layout: unknown field `nam`"));
    assert_eq!(Layout::from_toml("name = \"x\"\nfields = []").unwrap_err(), LayoutError::FieldCount(0));
}

#[test]
fn the_fields_of_cards() {
    let names: Vec<String> = Layout::cards().fields.into_iter().map(|field| field.name).collect();
    let line =
        "card_no|card_type|mcc|purchase_amt|purchase_dt|merchant_code|merchant_city|merchant_state|merchant_zip|";
    assert_eq!(format!("{}|", names.join("|")), line);
    assert_eq!(Layout::cards().header_line(), None);
    let header = line.trim_end_matches('|').replace('|', ",") + "\n";
    assert_eq!(Layout::cards_csv().header_line(), Some(header.into_bytes()));
}
