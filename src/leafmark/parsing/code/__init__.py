"""Source code: languages, the rules of their grammars, definitions, blocks, and the sandbox.

`sandbox.parse_script` is the way in. Nothing is imported here, since each process needs the
suffixes in `languages`, and few need a parser.
"""
