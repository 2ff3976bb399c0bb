//! Known names that a mistyped one may mean.

/// The names of `known` that are like `name` without regard to case, the most similar first: at most one letter in five
/// and one more differ (Damerau and Levenshtein).
pub fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let lower = name.to_ascii_lowercase();
    let limit = 1 + lower.len() / 5;
    let of = |known: &'a str| (strsim::damerau_levenshtein(&lower, &known.to_ascii_lowercase()), known);
    // Long input is no name, and the distance takes time in the square of its length.
    let known = known.into_iter().filter(|_| lower.len() <= 64);
    let mut near: Vec<(usize, &str)> = known.map(of).filter(|(letters, _)| *letters <= limit).collect();
    near.sort_by_key(|(letters, _)| *letters);
    near.into_iter().map(|(_, known)| known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_first() {
        assert_eq!(similar("iodeepth", ["iodepth", "depth", "rw"]), ["iodepth"]);
        assert_eq!(similar("t612", ["T611", "T616", "T512", "C11"]), ["T611", "T616", "T512"]);
        assert!(similar("completely_else", ["rw", "bs"]).is_empty());
        assert!(similar(&"x".repeat(100_000), ["rw"]).is_empty());
    }
}
