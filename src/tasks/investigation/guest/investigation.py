"""What code inside an investigation can call. Every name here is put back before each cell.

All of it asks the host, under the capabilities of whoever asked the question; nothing else leads out.
"""

# Functions of this module look up built-in names here, whatever a cell makes of those that all others share.
__builtins__ = dict(vars(__import__("builtins")))

import sys as _sys

from sonde_host import EndCell as _EndCell
from sonde_host import HostError as _HostError
from sonde_host import call_host as _ask_host

__all__ = [
    "kb_search",
    "kb_list",
    "kb_find",
    "kb_read",
    "cite",
    "memory_get",
    "llm_query",
    "llm_query_batched",
    "investigate",
    "investigate_batched",
    "propose_write",
    "budget",
    "call_tool",
    "FINAL",
    "FINAL_VAR",
    "Failed",
]

# Of one call of the host: it keeps as many of them under way as it may, and no slow one holds the others up.
_ITEMS, _CHARACTERS = 500, 4_000_000
_names = _sys.modules["__main__"].__dict__


def _call_host(operation, **arguments):
    try:
        return _ask_host(operation, **arguments)
    except _HostError as error:
        if error.code == "cancelled":  # nothing more will be answered in this cell
            raise _EndCell() from None
        raise


class Failed(Exception):
    """One item of a batch that failed: it stands in its slot of the list. `code` is stable."""

    def __init__(self, message, code="failed"):
        super().__init__(message)
        self.code = code


class Text(str):
    """Text that was read: a str that knows its `path` and its lines `start` to `end` (1-based)."""

    def __new__(cls, text, path="", start=1, end=1, total=1):
        made = super().__new__(cls, text)
        made.path, made.start, made.end, made.total = path, start, end, total
        return made

    @property
    def lines(self):
        """Pairs (number, line)."""
        return list(enumerate(self.split("\n"), self.start))

    def numbered(self):
        """The text with the number of each line before it, to look at."""
        return "\n".join(f"{number}| {line}" for number, line in self.lines)

    def cite(self, start=None, end=None):
        """As cite(): a marker for lines of this text, all of it where none are given."""
        return cite(self.path, self.start if start is None else start, end if end is not None else start or self.end)


class Hit(dict):
    """A dict whose items are attributes, too."""

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)


class Paths(list):
    """Paths, with `complete` and `note`."""

    def __init__(self, paths, complete=True, note=""):
        super().__init__(paths)
        self.complete, self.note = complete, note


class Lines(Paths):
    """Hits with `path`, `line` and `text`, and `complete` and `note`."""


class Finding(Hit):
    """What a nested investigation came to: answer, status. str() is the answer."""

    def __str__(self):
        return str(self["answer"])


def kb_search(query, k=None, scope=None, wide=False):
    """Places in the material that match a query, best first: a list of hits with path, start, end, score, text.

    k: how many; 10, or as many as the ceiling allows with wide=True (hundreds, several of a file among them).
    scope: comma-separated globs or folders, e.g. "src/**,!src/vendor". `text` holds the lines
    start to end, to filter by in code; it can't be cited before kb_read has read them.
    """
    return [Hit(hit) for hit in _call_host("kb_search", query=query, k=k, scope=scope, wide=wide)]


def kb_list(scope=None):
    """The paths of all texts there are, or of those in a scope such as "docs/**,!docs/old": a sorted list of str,
    to go through with kb_read when nothing may be missed. Where .complete is False, .note says what is not listed."""
    found = _call_host("kb_list", scope=scope)
    return Paths(found["paths"], found["complete"], found["note"])


def kb_find(text, scope=None, ignore_case=False):
    """Every line that holds a plain text: a list of hits with path, line, text; .complete and .note as of kb_list."""
    found = _call_host("kb_find", text=text, scope=scope, ignore_case=ignore_case)
    return Lines([Hit(hit) for hit in found["lines"]], found["complete"], found["note"])


def kb_read(path, start=None, end=None):
    """The text of a file or page, front matter too, or of its lines start to end (1-based, inclusive), as a str with
    .path, .lines (pairs of number and line), .numbered() and .cite(start, end). Only what was read can be cited."""
    if hasattr(path, "get") and "path" in path:
        path, start, end = path["path"], start or path.get("start"), end or path.get("end")
    found = _call_host("kb_read", path=path, start=start, end=end)
    return Text(found["text"], found["path"], found["start"], found["end"], found["total"])


def cite(path, start, end=None):
    """A marker such as "[ev-0123456789]" for lines that you have read: at most 120, and 12,000
    characters; the fewer the better."""
    return _call_host("cite", path=path, start=start, end=start if end is None else end)


def memory_get(tier, key=None, limit=20):
    """What agents remember: the text under a key (None where there is none), or without a key a list of
    {key, text}, newest first. Tiers: conversation, channel, workspace, account."""
    return _call_host("memory_get", tier=tier, key=key, limit=limit)


def _slot(item):
    return item["value"] if "value" in item else Failed(item["error"], item["code"])


def llm_query(prompt, material=None, model="analyst", max_tokens=1000):
    """One question to a language model that sees nothing but what you pass; returns its text. Put text of the
    material into `material`. model: "analyst" (cheap, the default) or "planner". Raises HostError."""
    (item,) = _call_host(
        "llm_query", prompts=[prompt], materials=[material], model=model, max_tokens=max_tokens, single=True
    )
    if "error" in item:
        raise _HostError(item["error"], item["code"])
    return item["value"]


def llm_query_batched(prompts, materials=None, model="analyst", max_tokens=1000):
    """Many questions side by side, any number; returns their texts in the same order. One that failed is a
    Failed in its place: check with isinstance(item, Failed)."""
    prompts = _listed(prompts, "prompts")
    materials = [None] * len(prompts) if materials is None else _listed(materials, "materials")
    if len(materials) != len(prompts):
        raise ValueError(f"{len(prompts)} prompts and {len(materials)} materials")
    answers = []
    for start, end in _pieces(prompts, materials):
        answers += _call_host(
            "llm_query",
            prompts=prompts[start:end],
            materials=materials[start:end],
            model=model,
            max_tokens=max_tokens,
            single=False,
        )
    return [_slot(item) for item in answers]


def _pieces(*lists):
    """Where a call of the host begins and ends, so that none is too large."""
    start, size = 0, 0
    for at, items in enumerate(zip(*lists)):
        more = sum(len(item) for item in items if isinstance(item, str))
        if at > start and (at - start >= _ITEMS or size + more > _CHARACTERS):
            yield start, at
            start, size = at, 0
        size += more
    if start < len(lists[0]):
        yield start, len(lists[0])


def investigate(prompt, context=None, scope=None):
    """A nested investigation with a namespace of its own, on the same budget. `context` is there as `context`.
    Returns a Finding: .answer (with its citations, which you may use) and .status."""
    (item,) = _call_host("investigate", prompts=[prompt], contexts=[_plain(context)], scope=scope)
    if "error" in item:
        raise _HostError(item["error"], item["code"])
    return Finding(item["value"])


def investigate_batched(prompts, contexts=None, scope=None):
    """Many nested investigations, some of them side by side; Findings in the same order, a Failed where one failed."""
    prompts = _listed(prompts, "prompts")
    contexts = [None] * len(prompts) if contexts is None else [_plain(one) for one in _listed(contexts, "contexts")]
    if len(contexts) != len(prompts):
        raise ValueError(f"{len(prompts)} prompts and {len(contexts)} contexts")
    if not prompts:
        return []
    found = _call_host("investigate", prompts=prompts, contexts=contexts, scope=scope)
    return [Finding(item["value"]) if "value" in item else _slot(item) for item in found]


def propose_write(op, **fields):
    """Proposes a change of the workspace, e.g. propose_write("create_page", path="Reports/X", text="...").
    Nothing is written now: what you proposed goes out with FINAL, as a candidate for the author, resting on
    what was read. Also: add_block(page, text), update_block(block, text), update_page(page, text)."""
    return _call_host("propose_write", op=op, fields=_plain(fields))


def budget():
    """What is left of the budget, shared by all nested work: a dict of tokens, usd, calls, steps, fuel, wall_ms."""
    return _call_host("budget")


def call_tool(tool, /, **arguments):
    """What one of the tools below gives, by its name: a value, or a text. Raises HostError where it fails."""
    return _call_host("call_tool", name=tool, arguments=_plain(arguments))


def FINAL(answer):
    """Ends the investigation with this answer. A text carries its citations. Where a form was asked for,
    give a value of that form. One that is too long raises HostError with the numbers: shorten it and call FINAL again."""
    text = answer if isinstance(answer, str) else None
    back = _call_host(
        "final", text=None if text is None else str(text), value=None if text is not None else _plain(answer)
    )
    if back is not None:
        raise _HostError(back["error"], back["code"])
    raise _EndCell()


def FINAL_VAR(name):
    """Ends the investigation with the value of the variable of this name."""
    if not isinstance(name, str):
        raise TypeError("FINAL_VAR takes the name of a variable, as a text")
    if name not in _names or name.startswith("__") or name in __all__:
        raise NameError(f"there is no variable {name!r}")
    FINAL(_names[name])


def _listed(value, name):
    """A list of what was given one after the other: a text is one of them, and no list of its characters."""
    if isinstance(value, (str, bytes, bytearray, dict)):
        raise TypeError(f"{name} is a list, one item for each question; this is one {type(value).__name__}: write [{name[:-1]}]")
    return list(value)


# Deeper than the host takes; what holds itself comes to an end here.
_DEEPEST = 100


def _plain(value, depth=0):
    """The value as JSON has it: tuples and sets as lists, dates as texts, other keys as texts. Without `json`: a cell
    may have put another function in the place of any that is there."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if depth > _DEEPEST:
        raise ValueError("the value is nested too deep, or holds itself")
    if isinstance(value, dict):
        return {_key(key): _plain(item, depth + 1) for key, item in dict.items(value)}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    return _plain(_lower(value), depth + 1)


def _key(key):
    if key is None or key is True or key is False:
        return {None: "null", True: "true", False: "false"}[key]
    if isinstance(key, (str, int, float)):
        return str(key)
    raise TypeError(f"keys are texts or numbers, not {type(key).__name__}")


def _lower(value):
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "items"):
        return dict(value.items())
    if hasattr(value, "__iter__") and not isinstance(value, (bytes, bytearray)):
        return list(value)
    return str(value)
