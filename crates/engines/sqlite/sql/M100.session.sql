-- M100: a writer waits no longer for another one.
pragma busy_timeout = {lock_timeout_ms}
