"""The base of every server: a project kept fresh, checked arguments, a guarded port.

The long-running front ends, `mcp` and `web`, build on this package. Of protocols it knows only
the head of an HTTP request, and it answers only with refusals. The web server is imported when
one is started.
"""
