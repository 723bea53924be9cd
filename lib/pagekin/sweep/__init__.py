"""Many strategies over one snapshot: pages are read once, and every strategy is judged."""
