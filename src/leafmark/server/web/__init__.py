"""The front end for browsers and programs that speak HTTP: a JSON API and one page.

Reads the request, calls one use case, gives the JSON that the command line
prints, maps errors to status codes. Everything here only reads. The page is
static: what it shows of documents it asks the API for and writes as text.
"""
