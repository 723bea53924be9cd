"""pagekin finds the kin of a web page."""

__version__ = "0.1.0"
