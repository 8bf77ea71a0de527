"""Code and data made for programs, by their shape; never what somebody wrote."""

from __future__ import annotations

import pytest
from support.projects import Here

from leafmark.app.sources.contents import generated_kind

FUNCTIONS = [f"var a{i}=function(b,c){{return b?c+{i}:a{i}(b-1)}};" for i in range(40)]
WRITTEN = "\n".join(
    f"// Returns the {i}th part.\nfunction part{i}(whole) {{\n  return whole[{i}];\n}}\n"
    for i in range(60)
)
RULES = "".join(f".a{i}{{color:#fff;margin:0 {i}px}}" for i in range(40))
PAGES = ",\n".join(
    f"  ['word_{i}',['word',['../class_a.html#a{i}',1,'A::word']]]" for i in range(30)
)
DIGEST = "0123456789abcdef" * 4


XML = '<?xml version="1.0" encoding="utf-8"?>\n'
KEYWORDS = '<keyword type="function" name="lamp_dim ()" link="lamp.html#dim"/>\n' * 20
TAGGED = (
    "<member kind='function'><type>int</type><name>dim</name><anchorfile>lamp.html</anchorfile>"
    "<arglist>(int by)</arglist></member>\n"
) * 20
ITEM = (
    "<item><link>https://example.org/lamps.html</link><description>We have written down how a lamp"
    " is dimmed, and what to do where it does not get darker.</description></item>\n"
)


@pytest.mark.parametrize(
    ("path", "source", "kind"),
    [
        ("main.4f3a2b1c.js", "".join(FUNCTIONS), "minified code"),
        ("chunk.mjs", "/*! A licence. */\n" + "".join(FUNCTIONS), "minified code"),
        (
            "vendor.js",
            "".join(FUNCTIONS) + "\n//# sourceMappingURL=vendor.js.map\n",
            "minified code",
        ),
        ("site.css", RULES, "minified code"),
        (
            "bundle.js",
            "/******/ (() => { // webpackBootstrap\n"
            + "/***/ './a.js':\n/***/ ((m, e, r) => {\n  r(1);\n/***/ }),\n" * 500,
            "bundled code",
        ),
        ("search/all_0.js", f"var searchData=\n[\n{PAGES}\n];\n", "search index"),
        ("classA.js", f"var classA =\n[\n{PAGES}\n];", "search index"),
        (
            "searchindex.js",
            'Search.setIndex({"docnames":["a","b"],"titles":["A","B"]})',
            "search index",
        ),
        (
            "member-search-index.js",
            'memberSearchIndex = [{"p":"a","c":"B","l":"m()"}];',
            "search index",
        ),
        (
            "sidebar-items.js",
            'window.SIDEBAR_ITEMS = {"fn":["a","b"],"mod":["c"]};',
            "search index",
        ),
        (
            "search_index.json",
            '{"config":{"lang":["en"]},"docs":[{"location":""}]}',
            "search index",
        ),
        (
            "app.js.map",
            '{"version":3,"sources":["a.js"],"names":[],"mappings":"AAAA"}',
            "map of sources",
        ),
        (
            "trait.impl/trait.Shine.js",
            "(function() {\n    const implementors = Object.fromEntries([['lamps',[['a']]]]);\n"
            "    if (window.register_implementors) {\n        window.register_implementors(all);\n"
            "    } else {\n        window.pending_implementors = implementors;\n    }\n})()\n",
            "search index",
        ),
        ("search.index/name/4e1.js", 'rd_("boffbuniteconeedim");\n', "search index"),
        ("lamps.devhelp2", XML + f"<book>{KEYWORDS}</book>\n", "list of pages"),
        ("lamps.tag", XML + f"<tagfile>{TAGGED}</tagfile>\n", "list of pages"),
        ("SHA256SUMS", f"{DIGEST}  file\n" * 20, "list of digests"),
        ("requirements.txt", f"a==1 \\\n    --hash=sha256:{DIGEST}\n" * 20, "list of digests"),
    ],
)
def test_what_programs_made_for_programs(path: str, source: str, kind: str) -> None:
    assert generated_kind(path, source.encode()) == kind


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("parts.js", WRITTEN),
        ("one.js", "export default () => fetch('/a').then((a) => a.json());\n"),
        ("words.js", "export const WORDS = '" + "apple pear plum " * 200 + "';\n" + WRITTEN),
        ("font.css", ".a { src: url(data:font;base64," + "A" * 5000 + ") }\n"),
        ("table.js", "const T = [" + "1, 2, 3, " * 500 + "];\n"),
        ("lines.js", WRITTEN + "const DATA = '" + "QUJD" * 900 + "';\n"),
        (
            "webpack.config.js",
            "// webpackBootstrap is what the bundle begins with\n" + WRITTEN * 10,
        ),
        ("sidebars.js", "module.exports = {\n  docs: ['intro', 'install', 'use'],\n};\n"),
        (
            "search.js",
            "const index = [];\nexport function search(q) {\n  return index.filter(q);\n}\n",
        ),
        ("nav.js", "const menu = ['a.html', 'b.html'];\nmenu.forEach((m) => draw(m));\n"),
        ("feed.xml", XML + f"<rss>{ITEM * 9}</rss>\n"),
        (
            "layout.xml",
            XML + "<view>\n" + '  <text width="fill" id="@+id/title"/>\n' * 30 + "</view>",
        ),
        ("messages.json", '{"hello": "Hello", "docs": "Documents", "bye": "Good bye"}'),
        ("history.txt", f"A fix.\nSee the report.\nDone in {DIGEST[:40]}.\n" * 20),
        (
            "changelog",
            f"* [`1a2b`](https://l.x/{DIGEST[:40]}) Let the lamp dim by hand, too\n" * 20,
        ),
        ("notes.md", f"{DIGEST}\n" * 40),
        ("page.html", "<script>" + "".join(FUNCTIONS) + "</script>"),
    ],
)
def test_what_somebody_wrote_is_never_taken_for_it(path: str, source: str) -> None:
    assert generated_kind(path, source.encode()) is None


def test_generated_code_is_left_out_unless_it_is_named(here: Here) -> None:
    here.write("page.md", "# Page\n\nwords\n")
    here.write("main.4f3a2b1c.js", "".join(FUNCTIONS))
    report = here.index()

    assert report.added == ("here:page.md",)
    assert [(one.path, one.reason) for one in report.skipped] == [
        ("main.4f3a2b1c.js", "generated code")
    ]
    assert here.index(str(here.root / "main.4f3a2b1c.js")).documents == 2


MADE = "<meta name=generator content='Doxygen 1.9'><script src='menu.js'></script>"


@pytest.mark.parametrize(
    ("page", "script", "is_asset"),
    [
        (MADE, "site/menu.js", True),
        (MADE, "site/tree.js", True),
        (MADE, "site/search/search.js", False),
        (MADE + "<link href='search/search.css?v=1'>", "site/search/deep/search.js", True),
        ("<script src='_static/doctools.js'></script>", "site/_static/own.css", True),
        (
            "<script src=/base/assets/a.js></script>Built with <b>Sphinx</b>",
            "site/assets/b.js",
            True,
        ),
        ("<!-- MkDocs version : 1.6 --><script src=./js/a.js></script>", "site/js/b.mjs", True),
        (
            "<meta name=generator content='pdoc 16'><script>s.src = 'search.js'</script>",
            "site/search.js",
            True,
        ),
        (
            "<meta name=generator content=Pelican><link href='./theme/css/main.css'>",
            "site/theme/css/main.css",
            True,
        ),
        (MADE, "site/menu.ts", False),
        (MADE, "src/menu.js", False),
        ("<script src='menu.js'></script>", "site/menu.js", False),
        ("<script src='menu.js'></script>Made with care, and Sphinx.", "site/menu.js", False),
        (
            "<meta name=generator content='Hand'><script src=menu.js></script>",
            "site/menu.js",
            False,
        ),
        (MADE, "site/examples/app.js", False),
    ],
)
def test_scripts_that_built_documentation_ships(
    here: Here, page: str, script: str, is_asset: bool
) -> None:
    here.write("site/index.html", f"<title>Lamps</title>{page}<p>words</p>")
    here.write(script, WRITTEN)
    skipped = [(one.path, one.reason) for one in here.index().skipped]
    assert skipped == ([(script, "generated code")] if is_asset else [])
    assert here.index(str(here.root / script)).documents == 2


def test_a_site_whose_first_page_leads_away_is_known_by_its_search(here: Here) -> None:
    here.write("site/index.html", "<meta http-equiv=refresh content='0; url=intro.html'>")
    here.write("site/intro.html", "<h1>Lamps</h1><p>words</p>")
    here.write("site/search.html", f"<title>Search</title>{MADE}<p>words</p>")
    here.write("site/menu.js", WRITTEN)
    assert "site/menu.js" in {one.path for one in here.index().skipped}
