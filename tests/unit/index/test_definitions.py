"""Manuals say in one place what a name is: which place, and which name."""

from __future__ import annotations

import pytest
from support.hostile import quadratic_fails

from leafmark.formats.roff import read as read_roff
from leafmark.index.manual_names import DEFINING_FORMATS, defined_names

HTML = {
    "a request": (
        "<pre><span class='m'>GET</span> <b>https://lamp.example/lamps/{id}</b></pre><p>One.</p>",
        ["GET /lamps/{id}", "/lamps/{id}"],
    ),
    "a request in a text": ("<p>With GET /lamps all are read.</p>", []),
    "an option": ("<dl><dt>--ff-only</dt><dd>Refuse.</dd></dl>", ["--ff-only"]),
    "two": (
        "<dl><dt>-m &lt;msg&gt;<dt>--message=&lt;msg&gt;<dd>Use it.</dl>",
        ["-m", "--message", "-m <msg>"],
    ),
    "in one term": (
        "<dt>-W<br><code>--password</code></dt><dd>Ask.</dd>",
        ["-W", "--password", "-W|--password"],
    ),
    "by or": (
        "<dt>-q, --quiet or --silent</dt><dd>Say less.</dd>",
        ["-q", "--quiet", "--silent", "-q, --quiet or --silent"],
    ),
    "a function": (
        "<dt>os.path.join(path, *paths)¶</dt><dd>Join.</dd>",
        ["os.path.join", "os.path.join(path, *paths)"],
    ),
    "its type": (
        "<dt>int PQping(const char *info, int n)</dt><dd>Ask.</dd>",
        ["PQping", "int PQping(const char *info, int n)"],
    ),
    "a pointer": (
        "<dt>char *PQuser(const PGconn *conn)</dt><dd>Say.</dd>",
        ["PQuser", "char *PQuser(const PGconn *conn)"],
    ),
    "its kind": (
        "<dt>class http.Client(host)<a href='#c'>¶</a></dt><dd>x</dd>",
        ["http.Client", "class http.Client(host)"],
    ),
    "an attribute": (
        "<dt>Client.port = 80</dt><dd>The port.</dd>",
        ["Client.port", "Client.port "],
    ),
    "a setting": (
        "<dt>max_rate (<code>integer</code>)</dt><dd>A rate.</dd>",
        ["max_rate", "max_rate (integer)"],
    ),
    "parameters": (
        "<dt>send [ -q ] [ -f fd ]</dt><dd>Sends.</dd>",
        ["send", "send [ -q ] [ -f fd ]"],
    ),
    "quotes": ("<dt>‘<code>frame_size</code>’</dt><dd>A size.</dd>", ["frame_size"]),
    "capitals": ("<DL><DT>RC_QUOTES</DT><DD>Allow.</DD></DL>", ["RC_QUOTES"]),
    "text in between": ("<dl><dt>a_b</dt>\n<!-- x --> <dd>First.</dd></dl>", ["a_b"]),
    "inside another": (
        "<dt>http.Client</dt><dd>It has <dl><dt>close_all()</dt><dd>Close.</dd></dl></dd>",
        ["http.Client", "close_all", "close_all()"],
    ),
    "rows with anchors": (
        "<tr><th>Name<th>Use</tr><tr><td class=f><p><a name='LAMP-ON:CAPS'></a>LAMP_ON</p></td>"
        "<td>It shines.</td></tr><TR id=off><TD>LAMP_OFF</TD><td>Dark.</td></TR>",
        ["LAMP_ON", "LAMP_OFF"],
    ),
    "rows of other tables": (
        "<tr><td>LAMP_ON</td><td>1</td></tr><tr><td><a id=a href='#on'>LAMP_ON</a><td>2</tr>"
        "<tr><td><a id=n1></a>[1]</td><td>A note on it.</td></tr>",
        [],
    ),
    "a contents": ("<dl><dt>1. First_steps</dt><dt>2. More</dt></dl>", []),
    "an index": ("<dt>max_rate, <a href='p.html'>Rates</a></dt><dd>see also</dd>", []),
    "an index with links below": (
        "<dt>max_rate</dt><dd><p><a href='p.html#r'>Rates<i> [All]</i></a>, <A HREF='#q'>Q</A>"
        "</p></dd><dt>-q</dt><dd><a href='q.html'>Quiet</a><dl><dt>-qq</dt><dd>No.</dd></dl></dd>",
        ["-qq"],
    ),
    "a word beside a link": ("<dt>a_b</dt><dd>See <a href='p.html'>Rates</a></dd>", ["a_b"]),
    "a mark in a text": ("<dt>a_b</dt><dd><a name='x'>First</a></dd>", ["a_b"]),
    "a reference": ("<dt><a href='git-add.html'>git-add(1)</a></dt><dd>Add files.</dd>", []),
    "a text": ("<dt>a_b " + "words " * 300 + "</dt><dd>x</dd>", []),
    "no list": ("<p>--ff-only</p>", []),
    "of Haddock": (
        '<a href="#v:toList">toList</a><a id="v:fromList" class="def">fromList</a> :: [a]',
        ["fromList"],
    ),
    "of Scaladoc": (
        '<a href="A.html#asJson-1" t="n" class="documentableName deprecated">asJson</a>[A]',
        ["asJson"],
    ),
    "of RDoc": ('<span class="method-name">full_report</span><span>()</span>', ["full_report"]),
    "of pydoctor": ('def <span class="py-defname">open_all</span>(self):', ["open_all"]),
    "of ocamldoc": (
        '<span id="VALfold_left"><span class="keyword">val</span> fold_left</span>'
        '<span id="TYPEELTt.A_b"><span class="keyword">of</span> A_b</span>',
        ["fold_left"],
    ),
    "of odoc": (
        '<div class="spec value anchored" id="val-to_string">'
        '<div class="spec type" id="type-a_b" class="anchored"><div class="spec inherit">',
        ["to_string", "a_b"],
    ),
}

RST = {
    "a function": (".. function:: os.join(a, b)\n\n   Joins.\n", ["os.join", "os.join(a, b)"]),
    "of a domain": (
        ".. c:function:: int PQping(char *info)\n\n   Asks.\n",
        ["PQping", "int PQping(char *info)"],
    ),
    "two": (
        ".. method:: Map.get(k, d=None)\n            Map.at(k)\n\n   Take.\n",
        ["Map.get", "Map.at", "Map.get(k, d", "Map.at(k)"],
    ),
    "an option": (".. option:: -q, --quiet\n\n   Say less.\n", ["-q", "--quiet", "-q, --quiet"]),
    "a request": (
        ".. http:get:: /lamps/(int:id)/\n\n   One lamp.\n",
        ["GET /lamps/{id}/", "/lamps/{id}/"],
    ),
    "with a field": (".. confval:: log_level\n   :type: str\n\n   The level.\n", ["log_level"]),
    "indented": ("  .. setting:: A_B\n\n     A setting.\n", ["A_B"]),
    "the place of a heading": (".. setting:: A_B\n\nA_B\n---\n\nText.\n", []),
    "at the end": ("Text.\n\n.. setting:: A_B\n", []),
    "entries without text": (
        ".. attribute:: PHASE_A\n.. attribute:: PHASE_B\n\nText.\n",
        ["PHASE_A", "PHASE_B"],
    ),
    "an entry that a program fills": (
        ".. autoclass:: lamps.Queue(size)\n   :members:\n",
        ["lamps.Queue", "lamps.Queue(size)"],
    ),
    "a style": (".. class:: small_print\n\nText.\n", []),
    "a note": (".. note:: A_B\n\n   Text.\n", []),
    "a term": ("``max_rate`` (integer)\n    A rate.\n", ["max_rate", "max_rate`` (integer)"]),
    "a code in a line": ("``max_rate`` is a rate\nthat is high.\n", []),
}

MARKDOWN = {
    "options": (
        "`-s`, `--search`\n\n: Search.\n\n`--json`\n:   Print JSON.\n",
        ["-s", "--search", "--json", "-s`, `--search"],
    ),
    "a setting": ("Text.\n\nenable_all\n: Enables all.\n", ["enable_all"]),
    "a request": (
        "\n```http\nPUT /api/lamps/:id/dim HTTP/1.1\n```\n\nDims it.\n",
        ["PUT /api/lamps/:id/dim", "/api/lamps/:id/dim"],
    ),
    "what mkdocstrings explains": ("::: lamps.Queue\n    options: {}\n", ["lamps.Queue"]),
    "an entry of MyST": (
        "```{py:function} lamps.put(x)\nText.\n```\n",
        ["lamps.put", "lamps.put(x)"],
    ),
    "a box": (":::note lamps.put is slow\nText.\n:::\n", []),
    "a list": ("- `--json`: print JSON\n- `--all`\n: more\n", []),
    "a table": ("| `--json`\n: more\n", []),
    "a line": ("`--json` prints\nJSON: more\n:smile: yes\n", []),
}

ASCIIDOC = {
    "options": ("-m <msg>::\n--message=<msg>::\n\tUse it.\n", ["-m", "--message", "-m <msg>"]),
    "a setting": ("core.autocrlf::\n\tSetting this.\n", ["core.autocrlf"]),
    "on one line": ("`max_rate`:: A rate.\n", ["max_rate"]),
    "a nested list": ("a_b::\n  x_y;;\n  c_d:::\n  Text.\n", ["a_b", "c_d"]),
    "C++": ("It is std::string and no more.\n", []),
}


RDOC = {
    "a symbol": (":max_connections :: At most so many.\n", ["max_connections"]),
    "right behind it": ("max_rate:: A rate.\n", ["max_rate"]),
    "on a line of its own": ("* text\n  --all::\n    All of them.\n", ["--all"]),
    "in brackets": ("[:pool_size]\n  The size.\n[+max_rate+] A rate.\n", ["pool_size", "max_rate"]),
    "a call": ("Model.create(hash) :: Saves it.\n", ["Model.create", "Model.create(hash)"]),
    "a class": ("It is Sequel::Model.\n  Sequel::DATABASES.first\n", []),
    "a link": ("[read_me]: there\nword[https://x.org/a_b]\n", []),
}

ORG = {
    "an item": ("- ~org-todo~ :: A state.\n  + --all :: All.\n", ["org-todo", "--all"]),
    "a star": ("  * max_rate :: A rate.\n", ["max_rate"]),
    "a class": ("- It is Sequel::Model.\n", []),
}

POD = {
    "an option": (
        "=item B<--all>, B<-a> I<file>\n\nAll of them.\n",
        ["--all", "-a", "--all, -a file"],
    ),
    "behind a mark": ("=item * C<max_rate>\n\nA rate.\n", ["max_rate"]),
    "a method": ("=item $lamp->set_light( $on )\n\nSwitches.\n", ["set_light", "set_light( $on )"]),
    "for an index": ("=item C<< max_size >> X<size>\n\nA size.\n", ["max_size"]),
    "in Perl": ("my $item = Lamp::Light->new;\n", []),
}

ROFF = {
    "options": (
        "-i, --ignore-case\n    Ignore it.\n\n-q\n    Say less.\n",
        ["-i", "--ignore-case", "-q", "-i, --ignore-case"],
    ),
    "with values": (
        "-s|--spare y|n\n    Keep one.\n\n--rate Size[k|UNIT]\n    A rate.\n",
        ["-s", "--spare", "n", "--rate", "-s|--spare y|n", "--rate Size[k|UNIT]"],
    ),
}

TEXT = {
    "options": (
        "OPTIONS\n       -i, --ignore-case\n           Ignore it.\n",
        ["-i", "--ignore-case", "-i, --ignore-case"],
    ),
    "two": ("   --ff\n   --ff-only\n      Refuse.\n", ["--ff", "--ff-only"]),
    "in quotes": ("‘-r’\n‘--append=FILE’\n     Appends it.\n", ["-r", "--append"]),
    "a word in quotes": (
        "'width' 'w'\tnumber (default 0)\n\t\tOf a lamp.\n\n'word' in a\ntext\n",
        ["width", "width' 'w'\tnumber (default 0)"],
    ),
    "close together": (
        " --all-of\n   All.\n --no-more\n   None.\n",
        ["--all-of", "--no-more"],
    ),
    "on one line": ("  -q, --quiet      say less\n", ["-q", "--quiet", "-q, --quiet"]),
    "a help": (
        "options:\n  -h, --help  print this\n  --name NAME\n              be called so\n",
        ["-h", "--help", "--name", "-h, --help", "--name NAME"],
    ),
    "by tabs": ("  -run regexp\n    \tRun them.\n", ["-run", "-run regexp"]),
    "a setting": (
        "  core.eol (string)\n    Ends.\n\n  RestartSec=\n    Time.\n",
        ["core.eol", "RestartSec", "core.eol (string)"],
    ),
    "several": (
        "  LC_TIME,\n  LC_ALL, LC_CTYPE\n    Words.\n",
        ["LC_TIME", "LC_ALL", "LC_CTYPE", "LC_TIME,", "LC_ALL, LC_CTYPE"],
    ),
    "beside what it is": (
        "   O_SYNC Write at once, and\n          wait for it.\n",
        ["O_SYNC"],
    ),
    "a command": (
        "  set-option [-ag] [-t pane] option value\n        (alias: set)\n",
        ["set-option", "set-option [-ag] [-t pane] option value"],
    ),
    "a call": (
        "  test_void()\t\t*test_void()*\n\t\tReturns it.\n",
        ["test_void", "test_void()\t\t*test_void()"],
    ),
    "Texinfo's": (
        " -- Function: char * gcry_name (int N,\n          int M)\n     Return it.\n"
        " -- Variable: int rl_point\n -- Command: set-mark KEY\n",
        ["gcry_name", "rl_point", "set-mark"],
    ),
    "with carriage returns": ("  --ff-only\r\n    Refuse.\r\n", ["--ff-only"]),
    "the end of a paragraph": ("  It is said by\n  max_rate\n     as code.\n", []),
    "an option there": ("  as it is said by\n  --all  here is so.\n", []),
    "a text": (
        "  max_rate is the rate\n     as code\n  --all is meant by that, as it were\n     x\n",
        [],
    ),
    "a sentence": ("  --all.\n     Code\n", []),
    "code": ("  if (a_b) {\n     c_d();\n  e_f(a,\n      b);\n  def g_h(x):\n     return x\n", []),
    "a synopsis": ("  pg_dump [name]\n       [--all] file\n  git-add\n     --all\n", []),
    "pages": ("  git-add(1)\n     Adds.\n  --all\n     systemd(1), systemctl(1)\n", []),
    "a table": ("            A  B\n  --soft    1  2\n  --hard    A  B\n", []),
    "at the end": ("  --all\n", []),
    "a blank line": ("  --all\n\n     Code\n", []),
    "as deep": ("  --all\n  Text\n", []),
    "nothing": ("", []),
}

CASES = {
    "html": HTML,
    "rst": RST,
    "markdown": MARKDOWN,
    "asciidoc": ASCIIDOC,
    "rdoc": RDOC,
    "org": ORG,
    "pod": POD,
    "roff": ROFF,
    "text": TEXT,
}


@pytest.mark.parametrize(
    ("source_format", "body", "names"),
    [
        pytest.param(source_format, *case, id=f"{source_format}: {name}")
        for source_format, cases in CASES.items()
        for name, case in cases.items()
    ],
)
def test_what_is_defined(source_format: str, body: str, names: list[str]) -> None:
    """The names, and the terms as they are written."""
    assert {*defined_names(source_format, body)} == {*names}


def test_what_a_manual_page_defines() -> None:
    data = b".TP\n\\fB\\-\\-spare\\fP x\nKeep one.\n"
    text = read_roff(data, [(0, len(data))]).text
    assert {*defined_names("roff", text)} == {"--spare x", "--spare"}


@pytest.mark.parametrize("name", ["_call_it", "__STRICT_ANSI__", "a_b_"])
def test_a_line_below_may_be_the_names_own(name: str) -> None:
    body = f"<dt>{name}</dt><dd>What it is.</dd>"
    assert {*defined_names("html", body)} == {name}


@pytest.mark.parametrize(
    "body",
    ["--all\n    " + "a(b)" * 99 + "!\n", "call_it\n    f" + "(a)" * 99 + ";\n"],
    ids=["pages", "calls"],
)
def test_what_is_no_list_of_pages_is_known_at_once(body: str) -> None:
    assert {*defined_names("text", body)} == {body.partition("\n")[0]}


@pytest.mark.parametrize("source_format", sorted(DEFINING_FORMATS))
@pytest.mark.parametrize("opening", ["", "```\n", "<pre>"])
def test_what_is_never_closed_is_looked_through_once(source_format: str, opening: str) -> None:
    for unit in (
        "`",
        "~",
        "<",
        "<pre>",
        "<a ",
        " ",
        "/*",
        "a ",
        "a<",
        "(",
        "a:",
        "word\n",
        "a b(\n",
    ):
        with quadratic_fails():
            list(defined_names(source_format, opening + unit * (300_000 // len(unit))))
