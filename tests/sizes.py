"""Source text -> what is too large in it: functions by lines and arguments, modules by lines.

Python is read by ``ast``. JavaScript is read by its brackets: strings, comments, templates and
patterns are blanked first, so that every bracket left is one of the program's own.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from tests.source import tree_of

__all__ = ["FUNCTION_LINES", "MODULE_LINES", "PARAMETERS", "too_large", "unsaid_settings"]

FUNCTION_LINES = 60
PARAMETERS = 6
MODULE_LINES = {".py": 600, ".js": 400}
MODULE = "module"  # how a whole module is named beside its functions

Measured = Iterator[tuple[str, int, int]]  # name, lines, parameters


def too_large(text: str, suffix: str) -> set[str]:
    """Return the names in a file that break the size law; ``MODULE`` for the file itself."""
    measured = python_functions(text) if suffix == ".py" else javascript_functions(text)
    broken = {
        name
        for name, lines, parameters in measured
        if lines > FUNCTION_LINES or parameters > PARAMETERS
    }
    return broken | ({MODULE} if text.count("\n") > MODULE_LINES[suffix] else set())


def python_functions(text: str) -> Measured:
    def visit(node: ast.AST, inside: str, is_class: bool) -> Measured:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                name = inside + child.name
                taken = child.args
                several = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]
                count = len(several) + (taken.vararg is not None) + (taken.kwarg is not None)
                static = any(ast.unparse(d) == "staticmethod" for d in child.decorator_list)
                own = is_class and not static  # self, or the class
                assert child.end_lineno is not None
                yield name, child.end_lineno - child.lineno + 1, count - own
                yield from visit(child, name + ".", False)
            elif isinstance(child, ast.ClassDef):
                yield from visit(child, inside + child.name + ".", True)
            else:
                yield from visit(child, inside, is_class)

    return visit(tree_of(text), "", False)


def unsaid_settings(text: str, *, is_tuned: bool = False) -> set[str]:
    """Return fields of ``...Settings`` without a comment; constants too if the module is tuned."""
    comments: dict[int, bool] = {}  # line -> whether it is a comment alone
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments[token.start[0]] = token.line.lstrip().startswith("#")
    tree = tree_of(text)
    fields = {
        f"{kind.name}.{ast.unparse(field.target)}": field
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef) and kind.name.endswith("Settings")
        for field in kind.body
        if isinstance(field, ast.AnnAssign)
    }
    numbers = {
        ast.unparse(target): node
        for node in tree.body
        if is_tuned and isinstance(node, ast.Assign | ast.AnnAssign) and is_number(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    return {
        name
        for name, node in {**fields, **numbers}.items()
        if not comments.get(node.lineno - 1, False)
        and not any(line in comments for line in range(node.lineno, node.end_lineno + 1))
    }


def is_number(value: ast.expr | None) -> bool:
    """Tell whether an expression is a number that was chosen, or a tuple of some."""
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(is_number, value.elts))
    if isinstance(value, ast.BinOp):
        return is_number(value.left) and is_number(value.right)
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float)


STRINGS = re.compile(  # comments, strings, patterns
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    r"|(?<=[=(,:!&|?;{}\[+])\s*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/\w*",
    re.DOTALL,
)
TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?P<end>`|\$\{)", re.DOTALL)
FUNCTION = re.compile(
    r"\bfunction\b\s*\*?\s*(?P<name>[\w$]*)\s*(?=\()"
    r"|(?P<method>[#\w$]+)\s*(?=\()"
    r"|(?P<arrow>=>)"
)
NO_METHOD = {"if", "for", "while", "switch", "catch", "with", "function", "return", "await"}
PAIRS = {"(": ")", "[": "]", "{": "}"}


def blank(text: str) -> str:
    """Return JavaScript with all that is no program replaced by blanks; every place stays."""

    def blanks(part: str, mark: str = " ") -> str:
        """Leave a mark where a string stood: it is a value, as ``0`` is."""
        return mark + re.sub(r"[^\n]", " ", part[1:])

    out = ""
    opened: list[bool] = []  # of each brace: whether it interrupts a template
    while len(out) < len(text):
        at, char = len(out), text[len(out)]
        found = STRINGS.match(text, at)
        goes_on = char == "}" and opened.pop()
        if found:
            out += blanks(found.group(), " " if found["comment"] else char if char == "\n" else "0")
        elif char == "`" or goes_on:
            rest = TEMPLATE.match(text, at + 1)
            assert rest, "a template that does not end"
            interrupted = rest["end"] == "${"
            filled = blanks(char + rest.group(), "}" if goes_on else "0")
            out += filled[:-1] + "{" if interrupted else filled
            opened += [True] if interrupted else []
        else:
            opened += [False] if char == "{" else []
            out += char
    assert not opened, "brackets do not match"
    return out


def partners(text: str) -> dict[int, int]:
    """Return where each bracket's partner stands, both ways."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for at, char in enumerate(text):
        if char in PAIRS:
            opened.append(at)
        elif char in PAIRS.values():
            begin = opened.pop()
            assert PAIRS[text[begin]] == char, f"brackets do not match at line {line_of(text, at)}"
            found[begin], found[at] = at, begin
    return found


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def end_of_expression(text: str, at: int, partner: dict[int, int]) -> int:
    """Return where an arrow's expression ends: at a comma, a semicolon or the bracket around."""
    while at < len(text) and text[at] not in ",;)]}":
        at = partner.get(at, at) + 1
    return at - 1


def javascript_functions(text: str) -> Measured:
    code = blank(text)
    partner = partners(code)
    for found in FUNCTION.finditer(code):
        if found["arrow"]:
            before = len(code[: found.start()].rstrip()) - 1
            is_list = code[before] == ")"
            single = re.search(r"[\w$]+$", code[: before + 1])
            begin = partner[before] if is_list else single.start() if single else before
            taken = code[begin + 1 : before] if is_list else "x"
            body = re.compile(r"\s*").match(code, found.end()).end()
            named = re.search(r"([\w$]+)\s*[=:]\s*(?:async\s*)?$", code[:begin])
            name = named[1] if named else f"=> in line {line_of(code, begin)}"
            braces = code[body] == "{"
            end = partner[body] if braces else end_of_expression(code, body, partner)
        else:
            if found["method"] in NO_METHOD:
                continue
            close = partner[found.end()]
            body = re.compile(r"\s*").match(code, close + 1).end()
            if code[body : body + 1] != "{":
                continue  # a call
            begin, end, taken = found.start(), partner[body], code[found.end() + 1 : close]
            name = found["method"] or found["name"] or f"function in line {line_of(code, begin)}"
        yield name, line_of(code, end) - line_of(code, begin) + 1, parameters(taken)


def parameters(taken: str) -> int:
    """Count a parameter list; the names taken apart from an object count each, as keywords do."""
    calls = re.compile(r"\([^()]*\)")  # in defaults: their commas part no parameters
    while calls.search(taken):
        taken = calls.sub("", taken)
    return sum(bool(part.strip(" \n{}[]=")) for part in taken.split(","))
