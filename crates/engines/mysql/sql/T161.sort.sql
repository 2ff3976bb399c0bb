-- T161: one array, filled and sorted in one call.
call t161(:elements)
