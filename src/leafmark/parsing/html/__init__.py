"""HTML: pages to documents, and the readable text of any part of one.

`dom` reads a page into elements; `region` and `boilerplate` separate its text from the rest,
`outline` and `entries` find sections, `blocks` their contents, and `document` the title. `text`
reads spans without a tree. The words by which pages name their parts are data: `words.toml`.
The reference is `html5lib`'s tree; `dom` says what differs, and why.
"""

from leafmark.parsing.html.page import declared_charset, parse_html
from leafmark.parsing.html.region import leads_away, site_assets
from leafmark.parsing.html.text import read_html

__all__ = ["declared_charset", "leads_away", "parse_html", "read_html", "site_assets"]
