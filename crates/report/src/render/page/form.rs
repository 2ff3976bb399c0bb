//! Forms on a page that is served: fields with their labels, usable by keyboard and without a script.

use maud::{Markup, html};

use crate::document::{Field, Form, Pick};
use crate::layout::clean;

pub(super) fn form(form: &Form) -> Markup {
    html! {
        form id=(form.id) action=(form.action) method=(if form.is_post { "post" } else { "get" }) {
            @for field in &form.fields { (self::field(form.id, field)) }
            button type="submit" { (form.button) }
        }
    }
}

fn field(form: &str, field: &Field) -> Markup {
    match field {
        Field::Line { name, label, value } => html! {
            label {
                span { (label) }
                input type="text" name=(name) value=(clean(value)) maxlength="200" autocomplete="off";
            }
        },
        Field::Lines { name, label, value } => html! {
            label class="lines" { span { (label) } textarea name=(name) rows="4" maxlength="4000" { (value) } }
        },
        Field::One { name, label, values, chosen } => html! {
            label {
                span { (label) }
                select name=(name) {
                    @for (value, words) in values {
                        option value=(value) selected[value == chosen] { (clean(words)) }
                    }
                }
            }
        },
        Field::Some { name, label, values } => html! {
            fieldset {
                legend { (label) }
                @for (index, (value, words, is_chosen)) in values.iter().enumerate() {
                    @let id = format!("{form}-{name}-{index}");
                    span class="choice" {
                        input type="checkbox" id=(id) name=(name) value=(value) checked[*is_chosen];
                        label for=(id) { (clean(words)) }
                    }
                }
            }
        },
        Field::Kept { name, value } => html! { input type="hidden" name=(name) value=(value); },
    }
}

/// A check box of a form elsewhere on the page.
pub(super) fn pick(pick: &Pick) -> Markup {
    let label = clean(&pick.label);
    html! { input type="checkbox" form=(pick.form) name=(pick.name) value=(pick.value) aria-label=(label); }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_others_end_no_element() {
        let hostile = "\"><script>x</script></textarea>";
        let fields = vec![
            Field::Line { name: "a", label: "A", value: hostile.to_owned() },
            Field::Lines { name: "b", label: "B", value: hostile.to_owned() },
            Field::One {
                name: "c",
                label: "C",
                values: vec![(hostile.to_owned(), hostile.to_owned())],
                chosen: hostile.to_owned(),
            },
            Field::Some { name: "d", label: "D", values: vec![(hostile.to_owned(), hostile.to_owned(), true)] },
            Field::Kept { name: "e", value: hostile.to_owned() },
        ];
        let html = form(&Form { id: "f", action: "./".to_owned(), is_post: false, fields, button: "Go" }).into_string();
        assert!(!html.contains("<script") && html.matches("</textarea>").count() == 1, "{html}");
        assert!(html.contains(" selected>") && html.contains(" checked>"), "{html}");
        let pick = pick(&Pick { form: "f", name: "id", value: hostile.to_owned(), label: hostile.to_owned() });
        assert!(!pick.into_string().contains("<script"));
    }
}
