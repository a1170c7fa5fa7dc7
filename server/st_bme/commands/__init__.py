"""One module a command of the command line; each has `run(arguments) -> int`, the exit code."""
