//! Expressions, and whole scripts.

use std::collections::BTreeMap;

use proptest::prelude::*;
use record::{Script, Scripts};

use super::compile::{Action, CompiledScripts};
use super::error::Mistake;
use super::expression::Expression;
use super::names::Names;
use super::number::{Fault, Number};
use super::random::Random;
use super::statement::Answer;
use super::token::tokens;
use super::variables::Variables;

fn names() -> Names {
    let definitions = [("default_seed", "5432"), ("half", "0.5"), ("word", "accounts")];
    let mut names =
        Names::new(definitions.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect());
    names.assign("unset");
    names
}

fn parsed(text: &str) -> Result<(Expression, Names), Mistake> {
    let mut names = names();
    Expression::parse(text, &mut names).map(|expression| (expression, names))
}

fn value(text: &str) -> Result<Number, Fault> {
    let (expression, names) = parsed(text).unwrap_or_else(|mistake| panic!("{text}: {mistake:?}"));
    expression.evaluate(&Variables::new(&names, 0), &mut Random::new(1), &mut Vec::new())
}

/// Each value is the one that pgbench 15.18 gives.
#[test]
fn operators_have_the_precedence_and_the_types_of_pgbench() {
    use Number::{Bool, Double, Int, Null};
    for (text, expected) in [
        ("null and false", Null),
        ("false and null", Bool(false)),
        ("null or true", Null),
        ("true or null", Bool(true)),
        ("~1+2", Int(-4)),
        ("~1|2", Int(-2)),
        ("not 1 = 2", Bool(true)),
        ("1 << 65", Int(2)),
        ("-1 >> 3", Int(-1)),
        ("-7 / 2", Int(-3)),
        ("-7 % 3", Int(-1)),
        ("7 % -3", Int(1)),
        ("-9223372036854775808", Int(i64::MIN)),
        ("5 / 2.0", Double(2.5)),
        ("7 / 0.0", Double(f64::INFINITY)),
        ("1 = 1.0", Bool(true)),
        ("2 + 3 * 4 - 1", Int(13)),
        ("1 | 2 # 3 & 1", Int(0)),
        ("null is null", Bool(true)),
        ("1 is not null", Bool(true)),
        ("1 isnull", Bool(false)),
        ("1 notnull", Bool(true)),
        ("true is true", Bool(true)),
        ("1 is true", Bool(false)),
        ("null is not false", Bool(true)),
        ("1 < 2 and 2 <= 2 or 3 > 4", Bool(true)),
        ("3 <> 4", Bool(true)),
        ("3 != 3", Bool(false)),
        ("1e3", Double(1000.0)),
        (".5", Double(0.5)),
        ("1.", Double(1.0)),
        ("- - 3", Int(3)),
        ("+3", Int(3)),
        ("not true is null", Bool(true)),
        ("1 + null", Null),
        ("case when null then 1 when 0 then 2 when 0.5 then 3 else 4 end", Int(3)),
        ("case when false then 1 end", Null),
        // These follow from the rules.
        ("1 - 2 - 3", Int(-4)),
        ("2 * (3 + 4)", Int(14)),
        ("1 >= 1 and 1 <= 0.5", Bool(false)),
        ("6 & 3 << 1", Int(4)),
        ("case when true then case when false then 1 else 2 end else 3 end + 1", Int(3)),
        ("true and false or true", Bool(true)),
        (":half * 4", Double(2.0)),
    ] {
        assert_eq!(value(text), Ok(expected), "{text}");
    }
}

/// Likewise.
#[test]
fn functions_have_the_values_of_pgbench() {
    use Number::{Bool, Double, Int, Null};
    for (text, expected) in [
        ("abs(-9223372036854775807-1)", Int(i64::MIN)),
        ("abs(-2.5)", Double(2.5)),
        ("least(1, 2.5, 3)", Double(1.0)),
        ("greatest(1, 2, 3)", Int(3)),
        ("least(1, null)", Null),
        ("least(7)", Int(7)),
        ("mod(-7, 3)", Int(-1)),
        ("pow(2, 10)", Double(1024.0)),
        ("power(2, 0.5)", Double(std::f64::consts::SQRT_2)),
        ("pi()", Double(std::f64::consts::PI)),
        ("int(2.5)", Int(2)),
        ("int(3.5)", Int(4)),
        ("double(5)", Double(5.0)),
        ("exp(1)", Double(std::f64::consts::E)),
        ("ln(10)", Double(std::f64::consts::LN_10)),
        ("sqrt(2)", Double(std::f64::consts::SQRT_2)),
        ("hash(1, 2) = hash_murmur2(1, 2)", Bool(true)),
        ("hash(10)", Int(-5_817_877_081_768_721_676)),
        ("hash_fnv1a(10)", Int(-7_793_829_335_365_542_153)),
        ("hash_fnv1a(10, 5432)", Int(-7_793_829_335_365_542_153)),
        ("permute(5, 1000, 54321)", Int(203)),
        ("permute(3, 1)", Int(0)),
        ("debug(null)", Null),
        ("DEBUG(1) + 1", Int(2)),
        ("random(3, 3)", Int(3)),
        ("random_gaussian(3, 3, 2.0)", Int(3)),
        ("random_exponential(3, 3, 1)", Int(3)),
        ("random_zipfian(3, 3, 1.5)", Int(3)),
        ("random(1, null)", Null),
    ] {
        assert_eq!(value(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_has_no_value_says_why() {
    for (text, word) in [
        ("9223372036854775807 + 1", "9223372036854775807 + 1 does not fit an integer of 64 bits"),
        ("-9223372036854775808 - 1", "does not fit"),
        ("4611686018427387904 * 2", "does not fit"),
        ("-9223372036854775808 / -1", "does not fit"),
        ("1 / 0", "1 is divided by zero"),
        ("1 % 0", "divided by zero"),
        ("true + 1", "a boolean is no integer"),
        ("1.5 + true", "a boolean is no double"),
        ("1 or 0", "an integer is no boolean"),
        ("not 1", "an integer is no boolean"),
        ("true and 1", "an integer is no boolean"),
        ("int(1e300)", "does not fit an integer"),
        ("1 is null = false", "a boolean is no integer"),
        ("random(2, 1)", "is empty"),
        ("permute(1, 0, 1)", "size 0 of permute is not above 0"),
        ("1 + :unset", "variable unset was not set before"),
    ] {
        let found = value(text).expect_err(text);
        assert!(found.0.contains(word), "{text}: {found:?}");
    }
}

#[test]
fn what_is_no_expression_is_refused_with_a_hint() {
    for (text, message, hint) in [
        ("", "an expression is missing", "random(1, 100)"),
        ("1 +", "the end of the line cannot stand here", "operators"),
        ("1 2", "`2` cannot stand here", "operators"),
        ("1 < 2 < 3", "`<` cannot stand here", "operators"),
        ("(1", "the end of the line stands where ) is expected", "write )"),
        ("9223372036854775808", "is above 9223372036854775807", "1e19"),
        ("randon(1, 2)", "function randon is not known", "did you mean random"),
        ("xyzzy(1)", "function xyzzy is not known", "the functions are abs, debug"),
        ("random(1)", "random has 1 arguments, and takes 2", "documentation"),
        ("hash(1, 2, 3)", "hash has 3 arguments, and takes 1 to 2", "documentation"),
        ("case 1 end", "`1` stands where when is expected", "when"),
        ("case when 1 else 2 end", "`else` stands where then is expected", "then"),
        ("1 is 2", "`2` stands where null, true or false after is is expected", "null"),
        (":nothing + 1", "variable nothing is never set", "--define nothing=VALUE"),
        (":word + 1", "variable word is `accounts`", "as a number"),
        ("'a'", "`'` has no meaning", "text is no value"),
    ] {
        let mistake = parsed(text).map(|_| ()).expect_err(text);
        assert!(mistake.message.contains(message) && mistake.hint.contains(hint), "{text}: {mistake:?}");
    }
    let deep = "(".repeat(1_000) + "1" + &")".repeat(1_000);
    assert!(parsed(&deep).expect_err("deep").message.contains("nested deeper than 100"));
    let long = "1".to_owned() + &"+1".repeat(100_000);
    assert_eq!(value(&long), Ok(Number::Int(100_001)));
}

fn scripts(texts: &[(&str, &str, u32)]) -> Scripts {
    let script = |(name, text, weight): &(&str, &str, u32)| Script::new(*name, *weight, *text);
    Scripts { scripts: texts.iter().map(script).collect(), ..Scripts::default() }
}

fn compiled(text: &str) -> Result<CompiledScripts, super::ScriptError> {
    CompiledScripts::new(&scripts(&[("a.sql", text, 1)]), 42)
}

/// Which of the statements of `text` are reached, by their texts; variables are set on the way.
fn reached(text: &str) -> Vec<String> {
    let compiled = compiled(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let (mut variables, mut random) = (Variables::new(&compiled.names, 0), Random::new(1));
    let (mut at, mut found, mut stack) = (0, Vec::new(), Vec::new());
    while let Some(command) = compiled.scripts[0].commands.get(at) {
        at += 1;
        match &command.action {
            Action::Sql(statement) => found.push(statement.text()),
            Action::Set { slot, expression } => {
                let value = expression.evaluate(&variables, &mut random, &mut stack).expect("a value");
                variables.set(*slot, value);
            }
            Action::JumpUnless { condition, to } => {
                let value = condition.evaluate(&variables, &mut random, &mut stack).expect("a value");
                at = if value.is_true() { at } else { *to };
            }
            Action::Jump(to) => at = *to,
            _ => {}
        }
    }
    found
}

#[test]
fn conditions_choose_what_is_reached() {
    let text = |x: i64| {
        format!(
            "\\set x {x}\n\\if :x = 1\none;\n\\if false\nnever;\n\\endif\n\\elif :x = 2\ntwo;\n\\elif :x = 3\n\\else\n\
             other;\n\\endif\nlast;"
        )
    };
    assert_eq!(reached(&text(1)), ["one", "last"]);
    assert_eq!(reached(&text(2)), ["two", "last"]);
    assert_eq!(reached(&text(3)), ["last"]);
    assert_eq!(reached(&text(4)), ["other", "last"]);
    assert_eq!(reached("\\if true\n\\else\nnever;\n\\endif"), Vec::<String>::new());
}

#[test]
fn answers_become_variables_of_the_statements_before() {
    let answers = |text: &str| -> Vec<Answer> {
        compiled(text).expect(text).statements().map(|statement| statement.answer.clone()).collect()
    };
    let row = |prefix: &str| Answer::Row(prefix.to_owned());
    let last = |prefix: &str| Answer::LastRow(prefix.to_owned());
    assert_eq!(
        answers("select 1;\nselect 2 as x \\gset p_\nselect :p_x;"),
        [Answer::Dropped, row("p_"), Answer::Dropped]
    );
    assert_eq!(answers("select 1 \\; select 2 \\gset"), [Answer::Dropped, row("")]);
    assert_eq!(answers("select 0; select 1 \\; select 2 \\aset a"), [Answer::Dropped, last("a"), last("a")]);
    let found = compiled("select 2 as x \\gset p_\nselect :p_x, :other;").expect("scripts");
    let second = found.statements().nth(1).expect("two");
    assert!(second.has_variables() && second.text() == "select :p_x, :other");
    assert_eq!(found.names.known_slot("other"), None, "it is text");
}

#[test]
fn mistakes_name_file_and_line() {
    for (text, expected, hint) in [
        ("select 1;\n\\set x 1 +", "a.sql:2: the end of the line cannot stand here in an expression", "operators"),
        ("\\if true\nselect 1;", "a.sql:1: \\if has no \\endif", "end it"),
        ("\n\\endif", "a.sql:2: \\endif is outside of \\if", "\\if EXPRESSION"),
        ("\\else", "a.sql:1: \\else is outside of \\if", "begin"),
        ("\\if 1\n\\else\n\\elif 2\n\\endif", "a.sql:3: \\elif follows \\else", "last branch"),
        ("\\gset", "a.sql:1: \\gset does not follow a statement", "right after"),
        ("select 1 \\gset\n\\gset", "a.sql:2: \\gset does not follow a statement", "right after"),
        ("select 1;\n\\shell echo", "a.sql:2: \\shell runs a program on this host, and dbdyno runs none", "--define"),
        ("\\sleep :n", "a.sql:1: variable n is never set", "\\set n"),
        ("select 'a", "a.sql:1: a quote has no end", "close"),
        ("-- nothing", "script a.sql: it has no command", "semicolon"),
    ] {
        let error = compiled(text).expect_err(text);
        assert_eq!(error.to_string(), expected);
        assert!(error.hint.contains(hint), "{text}: {error:?}");
    }
}

#[test]
fn weights_are_shares_and_not_all_0() {
    let all = scripts(&[("a", "select 1;", 9), ("b", "select 2;", 0), ("c", "select 3;", 1)]);
    let compiled = CompiledScripts::new(&all, 1).expect("scripts");
    assert_eq!(compiled.roles[0].weights, 10);
    let chosen: Vec<usize> = (0..10).map(|draw| compiled.roles[0].at(draw)).collect();
    assert_eq!(chosen, [0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    let error = CompiledScripts::new(&scripts(&[("a", "select 1;", 0)]), 1).expect_err("none");
    assert_eq!(error.to_string(), "script a: the sum of all weights is 0");
}

#[test]
fn variables_are_shared_and_have_their_definitions() {
    let mut all = scripts(&[("a", "\\set x :size * :scale\nselect :x, :size;", 1), ("b", "select :x, :client_id;", 1)]);
    all.variables = BTreeMap::from([("size".to_owned(), "100".to_owned())]);
    all.initialized_scale = Some(3);
    let compiled = CompiledScripts::new(&all, 1).expect("scripts");
    let texts: Vec<String> = compiled.statements().map(|statement| statement.text()).collect();
    assert_eq!(texts, ["select :x, 100", "select :x, :client_id"]);
    assert_eq!(compiled.names.slots(), ["x", "client_id"]);
    all.variables = BTreeMap::from([("1a".to_owned(), "100".to_owned())]);
    assert!(CompiledScripts::new(&all, 1).expect_err("a name").message.contains("`1a` is no name"));
}

#[test]
fn built_in_scripts_compile() {
    for script in super::BUILTIN_SCRIPTS {
        let compiled = compiled(script.text).unwrap_or_else(|error| panic!("{error}"));
        assert!(compiled.statements().count() > 0);
    }
}

proptest! {
    #[test]
    fn no_script_panics(text in "[\\PC\n]{0,200}") {
        let _ = compiled(&text);
    }

    #[test]
    fn no_script_of_meta_commands_panics(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "\\if 1", "\\elif :a", "\\else", "\\endif", "\\gset", "\\aset p", "select 1;", "select 2 \\;", "\\set a 1",
                "\\sleep 1", "\\startpipeline", "\\endpipeline", "select :a", "\\set b case when :a then 1 end",
            ]),
            0..12,
        ),
    ) {
        let _ = compiled(&lines.join("\n"));
    }

    #[test]
    fn no_expression_panics(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "1", "-", "2.5", "(", ")", "+", "*", "/", "%", "<<", "and", "or", "not", "is", "null", "true", "case", "when",
                "then", "else", "end", ":a", "random", "least", ",", "~", "9223372036854775808", "-1", "isnull", "=", "<",
            ]),
            0..14,
        ),
    ) {
        let text = words.join(" ");
        let _ = tokens(&text);
        let mut names = Names::new(BTreeMap::new());
        names.assign("a");
        if let Ok(expression) = Expression::parse(&text, &mut names) {
            let _ = expression.evaluate(&Variables::new(&names, 0), &mut Random::new(1), &mut Vec::new());
        }
    }

    /// Of what can be read, arithmetic is that of this language.
    #[test]
    fn sums_and_products_are_exact(a in -1_000_000_i64..1_000_000, b in -1_000_000_i64..1_000_000, c in 1_i64..1_000_000) {
        let text = format!("{a} + {b} * {c} - {a} / {c} % {c}");
        prop_assert_eq!(value(&text), Ok(Number::Int(a + b * c - a / c % c)));
    }
}
