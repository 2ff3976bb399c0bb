//! The form by which a note is written.

use record::Note;

use crate::route::{Id, NoRoute, fields};

/// Tags of a note, at most, and the characters of one.
const TAGS_MAX: usize = 16;
const TAG_LENGTH_MAX: usize = 40;

/// Characters of the text of a note, at most.
const TEXT_LENGTH_MAX: usize = 4000;

/// What the `body` of a form says, and about what.
///
/// # Errors
/// Where it names no record, and where tags or text are too long or too many.
pub fn note_form(body: &str) -> Result<(Id, Note), NoRoute> {
    let fields = fields(body)?;
    let one = |name: &str| fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value.as_str());
    let id = Id::of(one("id")).ok_or_else(|| NoRoute::Query("a note is about a record; give its id".to_owned()))?;
    let mut tags: Vec<String> = Vec::new();
    for tag in one("tags").split(',').map(|tag| tag.split_whitespace().collect::<Vec<_>>().join(" ")) {
        if tag.chars().count() > TAG_LENGTH_MAX {
            return Err(NoRoute::Query(format!("a tag has more than {TAG_LENGTH_MAX} characters")));
        }
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if tags.len() > TAGS_MAX {
        return Err(NoRoute::Query(format!("{} tags are too many; give at most {TAGS_MAX}", tags.len())));
    }
    let text = one("note").trim().replace("\r\n", "\n");
    if text.chars().count() > TEXT_LENGTH_MAX {
        return Err(NoRoute::Query(format!("the note has more than {TEXT_LENGTH_MAX} characters")));
    }
    Ok((id, Note { tags, text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_taken_once_and_lines_stay() {
        let (id, note) = note_form("id=ab&tags=base+line%2C+new%2Cnew%2C+&note=a%0D%0Ab%3Cc%3E").unwrap();
        assert_eq!(
            (id.text(), note.tags, &*note.text),
            ("ab", vec!["base line".to_owned(), "new".to_owned()], "a\nb<c>")
        );
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let long = |field: &str, length: usize| format!("id=ab&{field}={}", "x".repeat(length));
        let tags =
            |count: usize| format!("id=ab&tags={}", (0..count).map(|tag| format!("t{tag}%2C")).collect::<String>());
        for body in ["", "id=../x", &long("tags", 41), &long("note", 4001), &tags(17)] {
            assert!(note_form(body).is_err(), "{body}");
        }
        assert!(note_form(&long("note", 4000)).is_ok() && note_form(&tags(16)).is_ok());
    }
}
