"""Definitions in JavaScript and TypeScript against those of the TypeScript compiler.

    NODE_PATH=FOLDER/node_modules python -m benchmarks.compiler FOLDER…

Every function, class, method, accessor, interface, enum, namespace and type alias
that the compiler's syntax tree has must be a definition here with the same name
that ends on the same line, and the other way round. Functions without a name are
no definitions, names are cut at 100 characters, and files in Flow are left out.
Needs node, and `npm install typescript@5` in some folder.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from leafmark.parsing import parse

SUFFIXES = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
LARGEST_BYTES = 500_000
EXAMPLES = 15

ORACLE = r"""
const ts = require('typescript'), fs = require('fs'), K = ts.SyntaxKind
const isFunction = n =>
  n && (ts.isArrowFunction(n) || ts.isFunctionExpression(n) || ts.isClassExpression(n))
const bare = n => { while (n && ts.isParenthesizedExpression(n)) n = n.expression; return n }
function nameOf(n) {
  if (ts.isConstructorDeclaration(n)) return 'constructor'
  if (ts.isIdentifier(n) || ts.isPrivateIdentifier(n) || ts.isStringLiteral(n) ||
      ts.isNumericLiteral(n)) return n.text
  if (ts.isPropertyAccessExpression(n)) return n.name.text
  return null
}
function of(n) {
  switch (n.kind) {
    case K.FunctionDeclaration: case K.ClassDeclaration: case K.InterfaceDeclaration:
    case K.EnumDeclaration: case K.TypeAliasDeclaration: case K.MethodDeclaration:
    case K.GetAccessor: case K.SetAccessor: case K.MethodSignature:
      return n.name ? nameOf(n.name) : 'default'
    case K.Constructor: return 'constructor'
    case K.ModuleDeclaration:
      if (n.flags & ts.NodeFlags.GlobalAugmentation) return null
      return n.body && n.body.kind === K.ModuleBlock ? nameOf(n.name) : null
    case K.VariableDeclaration: case K.PropertyDeclaration: case K.PropertyAssignment:
      return isFunction(bare(n.initializer)) ? nameOf(n.name) : null
    case K.BinaryExpression:
      if (n.operatorToken.kind !== K.EqualsToken || !isFunction(bare(n.right))) return null
      if (/^(module\.)?exports$/.test(n.left.getText())) return nameOf(bare(n.right).name || n.left)
      return nameOf(n.left)
    case K.ExportAssignment:
      if (!isFunction(bare(n.expression))) return null
      return bare(n.expression).name ? nameOf(bare(n.expression).name) : 'default'
  }
  return null
}
for (const path of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const text = fs.readFileSync(path, 'utf8')
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const line = at => file.getLineAndCharacterOfPosition(at).line + 1
  const found = []
  const walk = n => {
    const name = of(n)
    if (name !== null && name !== undefined) found.push([name, line(n.getStart()), line(n.end)])
    ts.forEachChild(n, walk)
  }
  walk(file)
  console.log(JSON.stringify([path, file.parseDiagnostics.length, found]))
}
"""


def ours(path: str, data: bytes) -> tuple[Counter[tuple[str, int]], bool]:
    """Names and last lines of the definitions, and whether the source was parsed."""
    document = parse(data, path)
    found: Counter[tuple[str, int]] = Counter()
    for heading in document.headings:
        name = (heading.slug_path or "").rsplit(".", 1)[-1]
        found[name, document.data.count(b"\n", 0, heading.limit - 1) + 1] += 1
    return found, not document.degraded


def theirs(found: list[tuple[str, int, int]]) -> Counter[tuple[str, int]]:
    """Names as they stand in a name path, and last lines."""
    return Counter(
        (re.sub(r"\s", "-", name[:100].rsplit(".", 1)[-1]), end) for name, _, end in found
    )


def main(folders: list[str]) -> int:
    paths = sorted(
        path
        for folder in folders
        for path in Path(folder).rglob("*")
        if path.suffix in SUFFIXES and path.is_file() and path.stat().st_size < LARGEST_BYTES
    )
    given = "\n".join(map(str, paths)).encode()
    done = subprocess.run(["node", "-e", ORACLE], input=given, capture_output=True, check=True)
    total, missed, unknown, skipped = 0, [], [], 0
    for line in done.stdout.splitlines():
        path, mistakes, found = json.loads(line)
        data = Path(path).read_bytes()
        mine, parsed = ours(path, data)
        if mistakes or not parsed or b"@flow" in data[:2000]:
            skipped += 1
            continue
        wanted = theirs(found)
        total += wanted.total()
        missed += [(path, *each) for each in (wanted - mine).elements()]
        unknown += [(path, *each) for each in (mine - wanted).elements()]
    print(f"{len(paths)} files ({skipped} not compared), {total} definitions of the compiler")
    for what, several in (("missed", missed), ("unknown", unknown)):
        print(f"{len(several)} {what}")
        for file, name, last in several[:: max(1, len(several) // EXAMPLES)]:
            print(f"  {file}:{last} {name}")
    return 1 if missed or unknown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
