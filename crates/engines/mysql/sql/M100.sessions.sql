-- M100: sessions that are connected, and those in a statement, this one included.
show global status where variable_name in ('Threads_connected', 'Threads_running')
