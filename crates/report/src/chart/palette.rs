//! Tests of the palette: contrast of lines and text in light and dark, and distinguishable colours.

use std::collections::BTreeMap;

const PALETTE: &str = include_str!("palette.css");

/// The custom properties of every block of the palette, in its order: light, dark, dark, light (print).
fn blocks() -> Vec<BTreeMap<&'static str, &'static str>> {
    let bodies = PALETTE.split('{').filter_map(|part| part.split('}').next()).filter(|body| body.contains("--paper"));
    bodies
        .map(|body| {
            let declarations = body.split(';').filter_map(|declaration| declaration.trim().split_once(": "));
            declarations.filter(|(name, _)| name.starts_with("--")).collect()
        })
        .collect()
}

/// The relative luminance of `#rrggbb` (WCAG 2.2).
fn luminance(colour: &str) -> f64 {
    0.2126 * channel(colour, 1) + 0.7152 * channel(colour, 3) + 0.0722 * channel(colour, 5)
}

/// The linear value of the channel whose two digits start at `start`.
fn channel(colour: &str, start: usize) -> f64 {
    let value = f64::from(u8::from_str_radix(&colour[start..start + 2], 16).unwrap()) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// The contrast ratio of two colours (WCAG 2.2).
fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn the_contrast_of_black_on_white_is_21() {
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    assert!((contrast("#777777", "#ffffff") - 4.48).abs() < 0.01);
}

#[test]
fn every_theme_has_every_colour_and_light_is_what_is_printed() {
    let blocks = blocks();
    assert_eq!(blocks.len(), 4);
    assert_eq!(blocks[1], blocks[2], "dark by preference and dark by choice differ");
    assert_eq!(blocks[0], blocks[3], "light and print differ");
    assert!(blocks[0].keys().eq(blocks[1].keys()), "light and dark define other colours");
}

#[test]
fn lines_and_words_stand_out_from_the_page() {
    let lines =
        ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--axis", "--neutral", "--better", "--worse", "--open"];
    for block in blocks() {
        let paper = block["--paper"];
        for name in lines.into_iter().chain(["--heat"]) {
            let contrast = contrast(block[name], paper);
            assert!(contrast >= 3.0, "{name} {} on {paper}: {contrast:.2}", block[name]);
        }
        // Text is also on shaded ranges.
        for ground in [paper, block["--shade"]] {
            for name in ["--text", "--muted"] {
                let contrast = contrast(block[name], ground);
                assert!(contrast >= 4.5, "{name} {} on {ground}: {contrast:.2}", block[name]);
            }
        }
        for name in lines {
            let contrast = contrast(block[name], block["--shade"]);
            assert!(contrast >= 3.0, "{name} {} on the shade: {contrast:.2}", block[name]);
        }
    }
}

#[test]
fn the_style_sheet_uses_only_colours_of_the_palette() {
    let block = &blocks()[0];
    for used in super::STYLE.split("var(").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(block.contains_key(used), "{used} is not in the palette");
    }
    assert!(!include_str!("chart.css").contains('#'), "a colour outside of the palette");
}

/// What readers without red, green and blue cones see: linear RGB to linear RGB (Machado, Oliveira and Fernandes 2009,
/// severity 1).
const MISSING_CONES: [(&str, [[f64; 3]; 3]); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    ("no red", [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    ("no green", [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    ("no blue", [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
];

/// CIELAB (D65) of a colour as it is seen through `cones`.
fn lab(colour: &str, cones: &[[f64; 3]; 3]) -> [f64; 3] {
    let linear = [1, 3, 5].map(|start| channel(colour, start));
    let seen = cones.map(|row| row.iter().zip(linear).map(|(part, value)| part * value).sum::<f64>().clamp(0.0, 1.0));
    let white = [0.9505, 1.0, 1.089];
    let rows = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
    let [x, y, z] = [0, 1, 2].map(|index| {
        let value: f64 = rows[index].iter().zip(seen).map(|(part, value)| part * value).sum::<f64>() / white[index];
        if value > 0.008856 { value.cbrt() } else { 7.787 * value + 16.0 / 116.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn no_two_colours_are_alike_to_anybody() {
    // About 2.3 is a just noticeable difference (Mahy et al. 1994); marks that are apart need several of them.
    let series = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6"];
    let tones = ["--better", "--worse", "--open"];
    for block in blocks() {
        for names in [series.as_slice(), tones.as_slice()] {
            for (reader, cones) in &MISSING_CONES {
                for (index, one) in names.iter().enumerate() {
                    for other in &names[index + 1..] {
                        let (a, b) = (lab(block[one], cones), lab(block[other], cones));
                        let distance = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                        assert!(
                            distance >= 20.0,
                            "{reader}: {one} and {other} of {} differ by {distance:.1}",
                            block[one]
                        );
                    }
                }
            }
        }
    }
}
