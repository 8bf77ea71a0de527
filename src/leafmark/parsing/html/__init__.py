"""HTML: pages to documents, and the readable text of any part of one.

`dom` reads a page into elements; `region` and `boilerplate` say what of it is text, `outline` and
`entries` which sections that has, `blocks` what stands in these, and `titles` what the page is
called. `text` reads spans without a tree. The words by which pages name their parts are data:
`words.toml`. `html5lib`'s tree is the one to compare with; what differs, and why, is in `dom`.
"""

from leafmark.parsing.html.document import declared_charset, parse_html
from leafmark.parsing.html.region import leads_away, site_assets
from leafmark.parsing.html.text import read_html

__all__ = ["declared_charset", "leads_away", "parse_html", "read_html", "site_assets"]
