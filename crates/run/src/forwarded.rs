//! What a wrapper around the work of a job leaves as it is.

/// The methods of [`measure::Work`] that every wrapper forwards to the work in this field of it. It writes `streams`, `step` and
/// `finish` itself.
macro_rules! forwarded {
    ($work:ident) => {
        fn shares_threads(&self) -> bool {
            self.$work.shares_threads()
        }

        fn logs(&self) -> bool {
            self.$work.logs()
        }

        fn log(&mut self, turn: &measure::StepStart, ended: record::Nanos, done: &measure::Done) {
            self.$work.log(turn, ended, done);
        }

        fn own_pace(&self) -> Option<(record::Pace, (u32, u32))> {
            self.$work.own_pace()
        }

        fn aborted(&mut self) {
            self.$work.aborted();
        }

        fn queue(&mut self) -> Option<&mut dyn measure::Queue> {
            self.$work.queue()
        }

        fn stream_of_unfinished(&self, number: u64) -> usize {
            self.$work.stream_of_unfinished(number)
        }

        fn pass(&self) -> u64 {
            self.$work.pass()
        }
    };
}

pub(crate) use forwarded;
