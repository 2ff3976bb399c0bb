//! Rates over degrees of parallelism from a CSV file.

use model::scalability::LoadPoint;
use report::LoadCurve;
use run::{Error, Result};

/// Maximum number of lines.
const LINES_MAX: usize = 100_000;

/// Maximum degree of parallelism.
pub const DEGREE_MAX: f64 = 1e9;

/// Maximum rate; squares of larger rates overflow.
pub const RATE_MAX: f64 = 1e15;

/// Minimum rate.
pub const RATE_MIN: f64 = 1e-15;

/// The curve in `text`: two columns, N and the rate, separated by commas, semicolons or blanks, with an optional header
/// line. Empty lines and comments (`#`) are skipped; several lines of one N are repeats. `path` is named in errors and
/// in the title.
///
/// # Errors
/// The line and its error: not two fields, not a number, not a degree of parallelism, not a rate.
pub fn load_curve(text: &str, path: &str) -> Result<LoadCurve> {
    let mut curve = LoadCurve {
        title: path.to_owned(),
        unit: "per second".to_owned(),
        noun: "units".to_owned(),
        points: Vec::new(),
        remarks: Vec::new(),
    };
    let is_content = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| is_content(line));
    for ((line, number), index) in lines.zip(0..) {
        if index >= LINES_MAX {
            return Err(Error::user(format!("{path} has more than {LINES_MAX} lines")));
        }
        let fields = fields(line);
        let [n, rate] = fields.as_slice() else {
            let message = format!("{path} line {number}: {} fields in {line:?}, expected 2", fields.len());
            return Err(Error::user(message).hint("write N and the rate, as in `8,1200`"));
        };
        let is_header = index == 0 && n.parse::<f64>().is_err() && rate.parse::<f64>().is_err();
        if is_header {
            name(&mut curve, n, rate);
        } else {
            curve.points.push(point(n, rate).map_err(|message| {
                Error::user(format!("{path} line {number}: {message}")).hint("write N and the rate, as in `8,1200`")
            })?);
        }
    }
    Ok(curve)
}

fn fields(line: &str) -> Vec<&str> {
    let between: fn(char) -> bool = match line {
        line if line.contains(';') => |letter| letter == ';',
        line if line.contains(',') => |letter| letter == ',',
        _ => char::is_whitespace,
    };
    let fields = line.split(between).map(|field| field.trim().trim_matches('"').trim());
    // Consecutive blanks are one separator, commas are not.
    let blanks = !line.contains([';', ',']);
    fields.filter(|field| !blanks || !field.is_empty()).collect()
}

/// Takes unit and noun from the header line.
fn name(curve: &mut LoadCurve, n: &str, rate: &str) {
    if !n.is_empty() && !n.eq_ignore_ascii_case("n") {
        curve.noun = n.to_owned();
    }
    if !rate.is_empty() && !rate.eq_ignore_ascii_case("rate") {
        curve.unit = rate.to_owned();
    }
}

fn point(n: &str, rate: &str) -> std::result::Result<LoadPoint, String> {
    let number = |text: &str, what: &str| match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("{what} {text:?} is not a number")),
    };
    let (many, per_second) = (number(n, "N")?, number(rate, "rate")?);
    match () {
        () if many < 1.0 => Err(format!("N {n} is not a degree of parallelism: 1 is the least")),
        () if many > DEGREE_MAX => Err(format!("N {n} is beyond {DEGREE_MAX:e}")),
        () if per_second < 0.0 => Err(format!("rate {rate} is negative")),
        () if per_second == 0.0 => Err("rate 0: leave the line out".to_owned()),
        () if per_second > RATE_MAX => Err(format!("rate {rate} is beyond {RATE_MAX:e}")),
        () if per_second < RATE_MIN => Err(format!("rate {rate} is below {RATE_MIN:e}")),
        () => Ok(LoadPoint::new(many, per_second)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(text: &str) -> Vec<(f64, f64)> {
        load_curve(text, "c.csv").unwrap().points.iter().map(|point| (point.n, point.rate)).collect()
    }

    fn refused(text: &str) -> String {
        load_curve(text, "c.csv").unwrap_err().to_string()
    }

    #[test]
    fn columns_may_have_any_separator() {
        let expected = [(1.0, 20.0), (4.0, 78.5), (4.0, 79.0)];
        for text in ["1,20\n4,78.5\n4,79\n", "n;rate\r\n1;20\r\n4;78.5\r\n4;79", "# hosts\n\n1 20\n4\t78.5\n4   79"] {
            assert_eq!(points(text), expected, "{text}");
        }
        let curve = load_curve("\u{feff}\"hosts\",IOPS\n\"3\",\"165000\"\n", "c.csv").unwrap();
        assert_eq!((curve.noun.as_str(), curve.unit.as_str(), curve.points.len()), ("hosts", "IOPS", 1));
    }

    #[test]
    fn an_invalid_line_is_named() {
        assert_eq!(
            refused("n,rate\n1,20\n2,x\n"),
            "c.csv line 3: rate \"x\" is not a number\nhint: write N and the rate, as in `8,1200`"
        );
        assert!(refused("1,-5").starts_with("c.csv line 1: rate -5 is negative"));
        assert!(refused("1,0").starts_with("c.csv line 1: rate 0: leave"));
        assert!(refused("0,5").starts_with("c.csv line 1: N 0 is not a degree of parallelism"));
        assert!(refused("1,1e300").starts_with("c.csv line 1: rate 1e300 is beyond 1e15"));
        assert!(refused("1,1e-300").starts_with("c.csv line 1: rate 1e-300 is below 1e-15"));
        assert!(refused("2e9,5").starts_with("c.csv line 1: N 2e9 is beyond 1e9"));
        assert!(refused("1,2,3").starts_with("c.csv line 1: 3 fields in \"1,2,3\", expected 2"));
        assert!(refused("1,inf").starts_with("c.csv line 1: rate \"inf\" is not a number"));
        assert_eq!(points(""), []);
        let longest = "1,20\n".repeat(LINES_MAX);
        assert_eq!(points(&longest).len(), LINES_MAX);
        assert_eq!(refused(&format!("{longest}1,20\n")), "c.csv has more than 100000 lines");
    }
}
