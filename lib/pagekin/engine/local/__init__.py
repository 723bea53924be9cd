"""A scheduler and a shuffle for one machine: the runners inline and local."""
