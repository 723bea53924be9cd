"""Pages become bags: windows around links, fragments, raw bags, weights, final bags."""
