"""Which texts from outside reach a place where Markdown is rendered without having been made plain?

Follows texts through the pages' sources: from attributes that hold names and messages, from errors
that are caught and from what is typed, through variables, f-strings, functions and what they
return, to the arguments of Streamlit that it renders as Markdown. What passes through
``pages.charts.plain.plain``, or is formatted as a number, is clean. By name and without running
anything: what travels in a field that is named otherwise, as a key of a dict that is built in a
loop, or through session state, is not seen; tests/browser/test_outside.py opens such a file.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

# Attributes and keys of results, jobs, options and files whose text may not be ours.
OUTSIDE = {
    *("label", "labels", "message", "note", "notes", "found", "title", "why", "told", "fault"),
    *("domain", "name", "names", "columns", "available", "profile", "profiles", "option", "space"),
    "method",
    *("discordant_pairs", "user_ids", "query_params", "text", "time_format", "encoding"),
}
TYPED = {"text_input", "text_area", "file_uploader", "chat_input"}
# Of each call, the arguments that are rendered as Markdown, by position and by name; options of a
# list that drops down are not.
_LABEL = ((0,), {"label", "help"})
_BODY = ((0,), {"body", "help", "text", "title", "icon"})
_ALL = ((0, 1, 2, 3), {"label", "options", "help", "format_func", "captions", "value", "delta"})
RENDERED = {
    **dict.fromkeys(("caption", "markdown", "write", "error", "warning", "info", "success"), _BODY),
    **dict.fromkeys(("title", "header", "subheader", "toast", "badge", "dialog", "spinner"), _BODY),
    **dict.fromkeys(("button", "download_button", "form_submit_button", "link_button"), _LABEL),
    **dict.fromkeys(("checkbox", "toggle", "slider", "number_input", "text_input"), _LABEL),
    **dict.fromkeys(("text_area", "file_uploader", "date_input", "time_input"), _LABEL),
    **dict.fromkeys(("expander", "popover", "status", "selectbox", "multiselect", "tabs"), _LABEL),
    **dict.fromkeys(("radio", "segmented_control", "pills", "metric", "select_slider"), _ALL),
    **dict.fromkeys(("TextColumn", "NumberColumn", "ProgressColumn"), ((), {"help"})),
    "progress": ((1,), {"text"}),
    "page_link": ((1,), {"label", "help"}),
    "write_stream": ((0,), set()),
    "exception": ((0,), set()),
}
_ONWARD = {  # of builtins and methods: what comes out holds what went in
    *("str", "repr", "format", "sorted", "list", "tuple", "set", "dict", "zip", "enumerate"),
    *("reversed", "iter", "next", "map", "filter", "partial", "join", "replace", "strip", "lstrip"),
    *("rstrip", "split", "rsplit", "partition", "rpartition", "removesuffix", "removeprefix"),
    *("capitalize", "lower", "upper", "casefold", "get", "pop", "items", "values", "keys"),
    *("setdefault", "tolist", "unique", "copy", "splitlines", "sub", "title", "head"),
}
CLEANING = {
    "plain",
    "page",  # of a release: made plain where it is made, fpanon_core/model/release_page.py
}
_NUMERIC = set(",.%dgfeb")

Key = tuple[str, str]


@dataclass
class _Module:
    name: str
    tree: ast.Module
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)  # alias -> module of the pages
    imported: dict[str, Key] = field(default_factory=dict)  # alias -> function of the pages


class Program:
    """Sources that call one another.

    Parameters
    ----------
    sources : mapping of dotted module name to source
    """

    def __init__(self, sources: dict[str, str]) -> None:
        self.modules = {name: _Module(name, ast.parse(text)) for name, text in sources.items()}
        self.given: dict[Key, set[str]] = defaultdict(set)  # parameters that get texts from outside
        self.givers: dict[Key, set[str]] = defaultdict(set)  # where from
        self.returning: set[Key] = set()
        self.nodes: dict[Key, list[ast.AST]] = {}
        for module in self.modules.values():
            self._names_in(module)

    @classmethod
    def of_folder(cls, root: Path, folder: str) -> Program:
        """All modules below a folder."""
        return cls(
            {
                ".".join(path.relative_to(root).with_suffix("").parts): path.read_text("utf-8")
                for path in sorted((root / folder).rglob("*.py"))
            }
        )

    def leaks(self) -> list[str]:
        """Places, as ``module:line call``, where such a text is rendered; none if all is well."""
        while True:
            before = (sum(map(len, self.given.values())), len(self.returning))
            found: set[str] = set()
            for module in self.modules.values():
                for function in (None, *module.functions.values()):
                    found |= _Scope(self, module, function).leaks()
            if before == (sum(map(len, self.given.values())), len(self.returning)):
                return sorted(found)

    def _names_in(self, module: _Module) -> None:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef):
                module.functions[node.name] = node
            elif isinstance(node, ast.ImportFrom):
                parts = module.name.split(".")
                base = ".".join(parts[: -node.level]) if node.level else ""
                source = ".".join(p for p in (base, node.module) if p)
                for alias in node.names:
                    at = alias.asname or alias.name
                    if f"{source}.{alias.name}" in self.modules:
                        module.modules[at] = f"{source}.{alias.name}"
                    elif source in self.modules:
                        module.imported[at] = (source, alias.name)


class _Scope:
    """One function, or what a module does outside all of them."""

    def __init__(self, program: Program, module: _Module, function: ast.FunctionDef | None) -> None:
        self.program, self.module, self.function = program, module, function
        self.key = (module.name, function.name if function else "")
        self.outside = set(program.given[self.key])
        if self.key not in program.nodes:
            program.nodes[self.key] = self._own(function or module.tree)
        self.nodes = program.nodes[self.key]

    def leaks(self) -> set[str]:
        """Those of this scope; passes on what it hands to others and returns."""
        size = -1
        while size != len(self.outside):
            size = len(self.outside)
            for node in self.nodes:
                self._bind(node)
        found = set()
        for node in self.nodes:
            if isinstance(node, ast.Call):
                self._hand_on(node)
                if self._rendered(node):
                    called = node.func.attr if isinstance(node.func, ast.Attribute) else "?"
                    givers = sorted(self.program.givers[self.key])
                    given = f", perhaps given by {', '.join(givers)}" if givers else ""
                    found.add(f"{self.module.name}:{node.lineno} {called}{given}")
            elif isinstance(node, ast.Return | ast.Yield) and self.of(node.value):
                self.program.returning.add(self.key)
        return found

    def of(self, node: ast.AST | None) -> bool:
        """Whether an expression may hold a text from outside."""
        match node:
            case ast.Name(id=name):
                return name in self.outside or name in ("profile", "profiles")
            case ast.Attribute(value=ast.Name(id=name)) if name in self.module.modules:
                return False
            case ast.Attribute(attr=attribute):
                return attribute in OUTSIDE
            case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
                return key in OUTSIDE or self.of(value)
            case ast.FormattedValue(value=value, format_spec=spec):
                return self.of(value) and not _numeric(spec)
            case ast.Call():
                return self._answered(node)
            case ast.Compare() | ast.Constant() | ast.UnaryOp() | None:
                return False
            case ast.IfExp(body=body, orelse=other):
                return self.of(body) or self.of(other)
            case ast.Subscript(value=part) | ast.DictComp(value=part) | ast.Lambda(body=part):
                return self.of(part)
            case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part):
                return self.of(part)
        return any(self.of(child) for child in ast.iter_child_nodes(node))

    def _answered(self, call: ast.Call) -> bool:
        name = _called(call)
        if name in CLEANING:
            return False
        if (key := self._ours(call)) is not None:
            return key in self.program.returning
        into = [*call.args, *(k.value for k in call.keywords)]
        if name in TYPED or name == "for_screen":
            return True
        if name in _ONWARD:
            receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
            into = into[1:] if name == "get" else into  # a key is not what it leads to
            return self.of(receiver) or any(map(self.of, into))
        if name in ("selectbox", "multiselect", "radio", "segmented_control", "pills"):
            return any(map(self.of, into[1:]))
        return False

    def _rendered(self, call: ast.Call) -> bool:
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in RENDERED:
            return False
        positions, names = RENDERED[call.func.attr]
        return any(
            self.of(argument)
            for at, argument in enumerate(call.args)
            if at in positions or (isinstance(argument, ast.Starred) and positions)
        ) or any(self.of(k.value) for k in call.keywords if k.arg is None or k.arg in names)

    def _hand_on(self, call: ast.Call) -> None:
        key = self._ours(call)
        function = key and self.program.modules[key[0]].functions.get(key[1])
        if not key or not function:
            return
        spec = function.args
        names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
        rest = [spec.vararg.arg] if spec.vararg else []
        for at, argument in enumerate(call.args):
            if self.of(argument):
                starred = isinstance(argument, ast.Starred)
                taking = names[at:] + rest if starred else (names[at : at + 1] or rest)
                self._give(key, taking, call)
        for keyword in call.keywords:
            if keyword.arg and self.of(keyword.value):
                self._give(key, [keyword.arg], call)

    def _give(self, key: Key, names: list[str], call: ast.Call) -> None:
        self.program.given[key].update(names)
        self.program.givers[key].add(f"{self.module.name}:{call.lineno}")

    def _ours(self, call: ast.Call) -> Key | None:
        match call.func:
            case ast.Name(id=name) if name in self.module.functions:
                return (self.module.name, name)
            case ast.Name(id=name) if name in self.module.imported:
                return self.module.imported[name]
            case ast.Attribute(value=ast.Name(id=alias), attr=name):
                if alias in self.module.modules:
                    return (self.module.modules[alias], name)
        return None

    def _bind(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._take(target, value)
            case ast.AnnAssign() | ast.NamedExpr() | ast.AugAssign():
                self._take(node.target, node.value)
            case ast.For(target=target, iter=of) | ast.comprehension(target=target, iter=of):
                self._take_each(target, of)
            case ast.withitem(context_expr=value, optional_vars=target) if target is not None:
                self._take(target, value)
            case ast.ExceptHandler(name=str(name)):
                self.outside.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=how), args=args):
                if how in ("append", "extend", "insert", "add", "update") and any(
                    map(self.of, args)
                ):
                    self.outside.add(name)

    def _take_each(self, target: ast.expr, of: ast.expr) -> None:
        """Of a loop: element by element where it goes over a literal or over zip."""
        if isinstance(target, ast.Tuple):
            match of:
                case ast.Call(func=ast.Name(id="zip"), args=args):
                    for one, each in zip(target.elts, args, strict=False):
                        self._take(one, each)
                    return
                case ast.Call(func=ast.Name(id="enumerate"), args=[each, *_]):
                    self._take(target.elts[1], each)
                    return
                case ast.Tuple(elts=rows) | ast.List(elts=rows) if all(
                    isinstance(row, ast.Tuple) for row in rows
                ):
                    for row in rows:
                        self._take(target, row)
                    return
        self._take(target, of)

    def _take(self, target: ast.expr, value: ast.expr | None) -> None:
        if value is None:
            return
        match target, value:
            case ast.Tuple(elts=ones), ast.Tuple(elts=others) if len(ones) == len(others):
                for one, other in zip(ones, others, strict=True):
                    self._take(one, other)
                return
        if not self.of(value):
            return
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self.outside.add(node.id)

    def _own(self, node: ast.AST) -> list[ast.AST]:
        """Everything in it, but for functions defined in it."""
        found: list[ast.AST] = []
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef):
                found += [child, *self._own(child)]
        return found


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _numeric(spec: ast.expr | None) -> bool:
    """Whether a format fails for anything but a number."""
    if not isinstance(spec, ast.JoinedStr):
        return False
    text = "".join(str(v.value) for v in spec.values if isinstance(v, ast.Constant))
    return bool(set(text) & _NUMERIC)
