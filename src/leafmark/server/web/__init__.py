"""The front end for browsers and programs that speak HTTP: a JSON API and one page.

Reads the request, calls one use case, returns the JSON that the command line
prints, maps errors to status codes. Everything here only reads. Pages are
rendered here, from templates that escape the text of documents.
"""
