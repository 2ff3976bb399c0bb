//! A thread that is bound to processors and to the memory of a node.

use host::PlacementError;

/// What `body` returns, carried out by a thread on `processors` with its memory on node `memory`; threads that it starts
/// inherit both.
pub(super) fn bound<T: Send>(
    processors: &[u32],
    memory: Option<u32>,
    body: impl FnOnce() -> T + Send,
) -> Result<T, PlacementError> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            host::pin_this_thread_to(processors)?;
            memory.map_or(Ok(()), host::bind_memory_of_this_thread)?;
            Ok(body())
        });
        match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
