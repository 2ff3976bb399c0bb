-- M100: what waits longer than this is ended by the server itself, and who looks into it sees whose it is.
set statement_timeout = {timeout_ms};
set lock_timeout = {lock_timeout_ms};
set application_name = 'dbdyno monitor'
