"""Ways to say how similar pages are, one a file: `make(material)` gives a `Representation`."""
