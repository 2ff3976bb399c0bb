//! Documents drawn for a medium: a terminal, a page, Markdown. Escaping, widths and cutting are here and nowhere else.

mod markdown;
pub(crate) mod page;
pub(crate) mod terminal;

pub(crate) use markdown::markdown;
