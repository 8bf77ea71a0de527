"""The command line: read the arguments, call one use case, render, map errors to exit codes."""
