//! What a kernel does that is short of memory, for tests.

use std::io;

/// What becomes of a call that tells the kernel so many entries: it takes so many of them, or fails with an error number.
pub(crate) type EnterFault = Box<dyn FnMut(u32) -> Result<u32, i32>>;

/// The faults of one ring.
#[derive(Default)]
pub(crate) struct Faults {
    /// Of the calls; none where the kernel carries them out.
    pub enters: Option<EnterFault>,
    /// The result of the entry with these data, which the kernel never sees; none where it does.
    pub results: Option<Box<dyn FnMut(u64) -> Option<i32>>>,
    completed: Vec<(u64, i32)>,
}

impl Faults {
    /// Whether the entry with these data has completed by a fault.
    pub(crate) fn complete(&mut self, data: u64) -> bool {
        let result = self.results.as_mut().and_then(|results| results(data));
        self.completed.extend(result.map(|result| (data, result)));
        result.is_some()
    }

    /// How many of so many entries the kernel is told, and for how many completions it waits: for none where it takes a part.
    pub(crate) fn enter(&mut self, prepared: u32, wanted: u32) -> io::Result<(u32, u32)> {
        let told = self.enters.as_mut().map_or(Ok(prepared), |enters| enters(prepared));
        let told = told.map_err(io::Error::from_raw_os_error)?;
        Ok((told, if told < prepared { 0 } else { wanted }))
    }

    pub(crate) fn take(&mut self, each: &mut impl FnMut(u64, i32)) {
        self.completed.drain(..).for_each(|(data, result)| each(data, result));
    }
}
