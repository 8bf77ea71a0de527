"""An index on OpenSearch: the same chunks, terms and records, on machines of its own.

leafmark analyses the text, compiles queries, joins, cuts and cites, as it does with the embedded
engine; the cluster finds candidates and keeps records and sources. Nothing here is imported
without an address.
"""
