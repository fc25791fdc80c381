"""`bench --gpu --beside`: the same cases by other libraries, in one process."""
