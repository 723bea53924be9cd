"""The subcommands of `pagekin`: each has `add_parser` and runs one thing."""
