"""The front end for programs that speak MCP: search, read, outline, verify, over stdio and HTTP.

Reads the request, calls one use case, renders, maps errors. Everything that
comes from documents is marked as data. The SDK is imported when a server
starts, so that nothing else pays for it.
"""
