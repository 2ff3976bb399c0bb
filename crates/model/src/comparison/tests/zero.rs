//! Runs in which a system did nothing.

use super::*;

fn lost(count: usize, with: bool) -> ([System; 2], Comparison) {
    let mut rates = TEN;
    rates[..count].fill(0.0);
    let (base, other) = (vec![test("T611", vec![point(1, &TEN)])], vec![test("T611", vec![point(1, &rates)])]);
    let systems = if with { pair(base, other) } else { [system("a", None, base), system("b", None, other)] };
    let comparison = compared(&systems);
    (systems, comparison)
}

#[test]
fn a_rate_of_zero_is_a_loss() {
    for with in [true, false] {
        let (_, comparison) = lost(8, with);
        let found = shift(&comparison);
        assert_eq!(compared_test(&comparison).outcome.word(), "SLOWER", "{with}");
        assert_eq!((found.ratio, found.interval.unwrap().low, found.deviation), (0.0, 0.0, None));
        let (_, comparison) = lost(3, with);
        let found = shift(&comparison);
        assert_eq!(compared_test(&comparison).outcome.word(), "INCONCLUSIVE", "{with}");
        assert!(found.interval.unwrap().contains(1.0) && found.interval.unwrap().low == 0.0, "{found:?}");
    }
    let evidence = |with: bool| shift(&lost(3, with).1).evidence;
    assert_eq!(
        (evidence(true), evidence(false)),
        (Evidence::Paired { pairs: 10 }, Evidence::Unpaired { base: 10, other: 10 })
    );
}

#[test]
fn two_zeros_are_equal_and_a_base_of_zero_has_no_ratio() {
    let (systems, _) = lost(10, true);
    let turned = compared(&[systems[1].clone(), systems[0].clone()]);
    assert_eq!((shift(&turned).ratio, compared_test(&turned).outcome.word()), (f64::INFINITY, "FASTER"));
    let none = || vec![test("T611", vec![point(1, &[0.0; 10])])];
    let equal = compared(&pair(none(), none()));
    assert_eq!((shift(&equal).ratio, compared_test(&equal).outcome.word()), (1.0, "EQUIVALENT"));
}
