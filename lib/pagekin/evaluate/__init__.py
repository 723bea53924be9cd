"""How good the answers are: measured against what people said."""
