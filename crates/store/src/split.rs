//! Takes the text of a record apart while it is read: the runs, one by one, and the rest, which is small.
//!
//! It finds where a run begins and ends and looks no closer. What it takes apart has still to be parsed, and text that
//! is no record, or no JSON at all, may come out in pieces that mean nothing: they will not parse.

use std::ops::Range;

use memchr::{memchr2, memchr3};

/// Text of runs before it is handed out.
pub(crate) const BATCH_BYTES: usize = 4 << 20;

/// Some runs that follow each other.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    /// The index of the first of them in the record.
    pub(crate) first: usize,
    /// The text that they lie in.
    pub(crate) text: Vec<u8>,
    /// Where each of them lies.
    pub(crate) runs: Vec<Range<usize>>,
}

/// Where in the text the next byte lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Outside the list of runs.
    Rest,
    /// Inside.
    Runs,
    /// Behind something that is not JSON: nothing more is taken.
    Broken,
}

/// Which fields of the runs are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fields {
    /// All.
    All,
    /// All but what was kept over time, which is most of a run: in the place of each of [`SERIES`] stands an empty one.
    NoSeries,
}

/// The fields of a run that hold what was kept over time, and the text of one in which nothing was.
const SERIES: [(&[u8], &[u8]); 2] =
    [(b"seconds", br#"{"steps":[],"service_ns_sum":[],"service_ns_max":[]}"#), (b"slices", b"null")];

/// What is found inside a run, and where in the piece.
enum Found {
    /// The comma or the bracket behind the run.
    End(usize),
    /// The colon behind a key of the run itself.
    Colon(usize),
    /// The comma or the brace behind a value that is left out.
    LeftOut(usize),
}

/// The state between two pieces of text.
pub(crate) struct Splitter {
    fields: Fields,
    /// Bytes of the rest, or of one run, that are held at once; behind more nothing is taken.
    held_bytes_max: usize,
    /// Bytes of the text that were taken.
    taken_bytes: u64,
    /// Where the run that is being read begins in the text.
    begin: u64,
    /// Where the runs before it lie in the text.
    places: Vec<Range<u64>>,
    rest: Vec<u8>,
    batch: Batch,
    place: Place,
    /// Begin of the run that is being read, in the text of the batch.
    run_begin: usize,
    /// Open braces and brackets: of the record, or of the run.
    depth: usize,
    quoted: bool,
    escaped: bool,
    /// Where the last string of the outermost object lies in the rest.
    word: Range<usize>,
    /// Whether that was the key of the list of runs, and its value is next.
    runs_next: bool,
    /// Where the last key of the run lies in the text of the batch.
    key: Range<usize>,
    /// Whether the value that is being read is left out.
    leaving_out: bool,
}

/// What a record is without its runs, and how many it had.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rest {
    /// The text with an empty list of runs.
    pub(crate) text: Vec<u8>,
    /// The runs that were not handed out yet.
    pub(crate) last: Batch,
    /// Where each run lies in the text, with all its fields.
    pub(crate) places: Vec<Range<u64>>,
}

impl Splitter {
    pub(crate) fn new(fields: Fields, held_bytes_max: usize) -> Splitter {
        Splitter {
            fields,
            held_bytes_max,
            taken_bytes: 0,
            begin: 0,
            places: Vec::new(),
            rest: Vec::new(),
            batch: Batch::default(),
            place: Place::Rest,
            run_begin: 0,
            depth: 0,
            quoted: false,
            escaped: false,
            word: 0..0,
            runs_next: false,
            key: 0..0,
            leaving_out: false,
        }
    }

    /// Takes the next piece of the text.
    pub(crate) fn feed(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() && self.place != Place::Broken {
            let taken = if self.place == Place::Rest { self.take_rest(piece) } else { self.take_runs(piece) };
            piece = &piece[taken..];
            self.taken_bytes += taken as u64;
        }
        if self.is_too_long() {
            self.place = Place::Broken;
        }
    }

    /// Whether nothing more is taken: the text is no record, or too long to be held.
    pub(crate) fn is_broken(&self) -> bool {
        self.place == Place::Broken
    }

    /// Whether it is no record for sure: no object, or more would have to be held than of any record.
    pub(crate) fn is_foreign(&self) -> bool {
        self.is_too_long() || (self.is_broken() && !self.rest.contains(&b'{'))
    }

    fn is_too_long(&self) -> bool {
        let run_bytes = self.batch.text.len() - self.run_begin.min(self.batch.text.len());
        self.rest.len() > self.held_bytes_max || run_bytes > self.held_bytes_max
    }

    /// The runs that were found since the last call, once they are many; the beginning of another one stays here.
    pub(crate) fn full_batch(&mut self) -> Option<Batch> {
        (self.batch.text.len() >= BATCH_BYTES && !self.batch.runs.is_empty()).then(|| self.hand_out())
    }

    /// What is left when the text has come to its end; none where it ends in the middle, or was no JSON.
    pub(crate) fn finish(mut self) -> Option<Rest> {
        let whole = self.place == Place::Rest && self.depth == 0 && !self.quoted;
        let last = self.hand_out();
        whole.then_some(Rest { text: self.rest, places: self.places, last })
    }

    fn hand_out(&mut self) -> Batch {
        let begun = self.batch.text.split_off(self.run_begin.min(self.batch.text.len()));
        let first = self.batch.first + self.batch.runs.len();
        let moved = |at: usize| at.saturating_sub(self.run_begin);
        self.key = moved(self.key.start)..moved(self.key.end);
        self.run_begin = 0;
        std::mem::replace(&mut self.batch, Batch { first, text: begun, runs: Vec::new() })
    }

    /// Takes bytes outside the list of runs, up to its begin; says how many.
    fn take_rest(&mut self, piece: &[u8]) -> usize {
        for (at, byte) in piece.iter().enumerate() {
            self.rest.push(*byte);
            if self.quoted {
                self.quote(*byte);
                if !self.quoted && self.depth == 1 {
                    self.word.end = self.rest.len() - 1;
                }
                continue;
            }
            match byte {
                b'{' => self.depth += 1,
                _ if self.depth == 0 && !byte.is_ascii_whitespace() => {
                    self.place = Place::Broken;
                    return at + 1;
                }
                b'"' => {
                    self.quoted = true;
                    if self.depth == 1 {
                        self.word.start = self.rest.len();
                    }
                }
                b':' if self.depth == 1 => self.runs_next = self.rest.get(self.word.clone()) == Some(b"runs"),
                b',' if self.depth == 1 => self.runs_next = false,
                b'[' if self.depth == 1 && self.runs_next => {
                    (self.place, self.depth, self.runs_next) = (Place::Runs, 0, false);
                    self.begin = self.taken_bytes + at as u64 + 1;
                    return at + 1;
                }
                b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
        }
        piece.len()
    }

    /// Takes bytes inside the list of runs, up to the next place where something is to be done; says how many.
    fn take_runs(&mut self, piece: &[u8]) -> usize {
        let found = self.find(piece);
        let end = match found {
            Some(Found::End(at) | Found::LeftOut(at)) => at,
            Some(Found::Colon(at)) => at + 1,
            None => piece.len(),
        };
        if !self.leaving_out {
            self.batch.text.extend_from_slice(&piece[..end]);
        }
        match found {
            Some(Found::End(_)) => {
                self.end_run(piece[end], self.taken_bytes + end as u64);
                end + 1
            }
            Some(Found::Colon(_)) => {
                let key = &self.batch.text[self.key.clone()];
                if let Some((_, empty)) = SERIES.iter().find(|(name, _)| *name == key) {
                    self.batch.text.extend_from_slice(empty);
                    self.leaving_out = true;
                }
                end
            }
            Some(Found::LeftOut(_)) => {
                self.leaving_out = false;
                end
            }
            None => end,
        }
    }

    /// Ends a run at `bound`, which is a comma or a bracket and lies at `at` in the text.
    fn end_run(&mut self, bound: u8, at: u64) {
        let run = self.run_begin..self.batch.text.len();
        let last = bound == b']';
        let empty = self.batch.text[run.clone()].trim_ascii().is_empty();
        self.run_begin = run.end;
        let begin = std::mem::replace(&mut self.begin, at + 1);
        match (empty, last) {
            (false, _) => {
                self.batch.runs.push(run);
                self.places.push(begin..at);
            }
            // `[]` is a list, `[1,]` and `[,1]` are not.
            (true, true) if self.batch.first + self.batch.runs.len() == 0 => {}
            (true, _) => self.place = Place::Broken,
        }
        if bound == b'}' {
            self.place = Place::Broken;
        } else if last && self.place != Place::Broken {
            self.rest.push(b']');
            // The list stands in the record's own object.
            (self.place, self.depth) = (Place::Rest, 1);
        }
    }

    /// Where in `piece` the next thing is to be done.
    fn find(&mut self, piece: &[u8]) -> Option<Found> {
        let base = self.batch.text.len();
        let keys = self.fields == Fields::NoSeries;
        let mut at = 0;
        while let Some(byte) = piece.get(at) {
            if self.escaped {
                self.escaped = false;
            } else if self.quoted {
                // Most of a run is the text of its histograms.
                at += memchr2(b'"', b'\\', &piece[at..])?;
                self.quote(piece[at]);
                if !self.quoted && self.depth == 1 && !self.leaving_out {
                    self.key.end = base + at;
                }
            } else {
                match byte {
                    b'"' => {
                        self.quoted = true;
                        if self.depth == 1 && !self.leaving_out {
                            self.key.start = base + at + 1;
                        }
                    }
                    b',' | b'}' if self.depth == 1 && self.leaving_out => return Some(Found::LeftOut(at)),
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' | b',' if self.depth == 0 => return Some(Found::End(at)),
                    b'}' | b']' => self.depth -= 1,
                    b':' if keys && self.depth == 1 && !self.leaving_out => return Some(Found::Colon(at)),
                    // Numbers and spaces: nothing of what is done above is done for them so deep inside.
                    _ if self.depth > 1 => at += bound(&piece[at..])? - 1,
                    _ => {}
                }
            }
            at += 1;
        }
        None
    }

    /// Takes a byte inside a string.
    fn quote(&mut self, byte: u8) {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => self.quoted = false,
            _ => {}
        }
    }
}

/// The first byte of `text` that can end a series of numbers.
fn bound(text: &[u8]) -> Option<usize> {
    let near = memchr3(b'"', b'[', b']', text);
    memchr2(b'{', b'}', &text[..near.unwrap_or(text.len())]).or(near)
}

#[cfg(test)]
mod tests;
