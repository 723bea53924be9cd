"""EMR: one cluster for a chain, its dry run, and what its logs say of a failure."""
