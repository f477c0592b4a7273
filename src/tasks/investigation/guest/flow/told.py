"""What is told of an answer."""

def told(origin, at):
    """Spans of lines, other sources, and whether a part of it is lost."""
    stretches, sources, seen, queue = {}, set(), set(), [whole(origin)]
    while queue:
        one = queue.pop()
        # Most are long chains, whose one side is short.
        while type(one) is Join and id(one) not in seen:
            seen.add(id(one))
            if one.b is not None:
                queue.append(one.b)
            one = one.a
        if type(one) is Source:
            sources.add(one.kind)
        elif type(one) is Piece and id(one) not in seen:
            seen.add(id(one))
            if one.doc in stretches:
                stretches[one.doc].append((one.at, one.size))
            else:
                stretches[one.doc] = [(one.at, one.size)]
    spans = {}
    for doc, found in stretches.items():
        spans.setdefault(doc.path, set()).update(lines_of(doc, found))
    merged = [[path, *span] for path in sorted(spans) for span in together(spans[path])]
    lost = "lost" in sources
    sources.discard("lost")
    return {"spans": merged[: MOST_OF_EACH if at else MOST_SPANS], "count": len(merged), "sources": sorted(sources), "lost": lost}


def lines_of(doc, stretches):
    """Pairs of lines. What stands a letter apart at most is on one line, or on the next."""
    stretches.sort()
    start, end = stretches[0][0], 0
    for at, size in stretches:
        if at > end + 1 and end > 0:
            yield doc.line(start), doc.line(max(start, end - 1))
            start = at
        end = max(end, at + size)
    yield doc.line(start), doc.line(max(start, end - 1))


def together(spans):
    result = []
    for first, last in sorted(spans):
        if result and first <= result[-1][1] + 1:
            result[-1][1] = max(last, result[-1][1])
        else:
            result.append([first, last])
    return result


def flat_parts(origin):
    """Parts of a text, and of the texts that it was put together of: what stands in the code between them is no part."""
    for size, one in origin.parts:
        if type(one) is Parts and sum(length for length, _ in one.parts) == size:
            yield from flat_parts(one)
        else:
            yield size, one


def leaves(value, origin, at, found):
    """Of each value within the answer, and of each list as a whole."""
    if len(found) >= MOST_LEAVES:
        return
    if isinstance(value, (list, tuple, set, frozenset)):
        found.append({"at": at, "items": len(value), **told(origin, at)})
        items = listed(value, origin) if isinstance(value, (list, tuple)) else None
        pairs = zip(value, items) if items is not None else pairs_of(value, origin)
        if isinstance(value, (list, tuple)) and len(value) > MANY_ITEMS:  # each as a whole: what it holds would fill the record
            for place, (item, one) in enumerate(pairs):
                if place < MOST_ITEMS:
                    found.append({"at": [*at, place], **told(one, [*at, place])})
            return
        for place, (item, one) in enumerate(sorted(pairs, key=lambda pair: repr(pair[0])) if isinstance(value, (set, frozenset)) else pairs):
            leaves(item, one, [*at, place], found)
    elif isinstance(value, dict):
        box = box_of(value, origin)
        found.append({"at": at, "items": len(value), **told(origin, at)})
        for key in value:
            leaves(value[key], box.items[key][1] if box else whole(origin), [*at, str(key)], found)
    elif isinstance(value, str) and type(origin) is Parts:
        start, parts = 0, []
        for size, one in flat_parts(origin):
            if one is not None and size > 0 and len(parts) < 60:
                parts.append({"text": value[start : start + size][:200], **told(one, at)})
            start += size
        found.append({"at": at, "parts": parts if start == len(value) else [], **told(origin, at)})
    else:
        found.append({"at": at, **told(origin, at)})


def run_cell(code):
    """Runs a cell; gives what FINAL was called with, as far as it was."""
    finals.clear()
    deciding.clear()
    know_helpers()
    try:
        tree = ast.parse(code)
        body = block(tree.body)
    except SyntaxError:
        return {"ended": "error", "error": "SyntaxError", "leaves": []}
    except Unsupported as error:
        return {"ended": "unsupported", "error": str(error), "leaves": []}
    ended, why = "ok", ""
    try:
        body(top)
    except Unsupported as error:
        return {"ended": "unsupported", "error": str(error), "leaves": []}
    except BaseException as error:
        ended, why = ("ok", "") if is_end(error) else ("error", f"{type(error).__name__}: {error}"[:200])
    found = []
    if finals:
        leaves(*finals[-1], [], found)
    return {"ended": ended, "error": why, "leaves": found}


def is_literal(codes):
    """Whether what FINAL was called with last stands in the code, as far as names lead: nothing was called for it."""
    named, given = {}, None
    for code in codes:
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    for one in ast.walk(target):
                        if isinstance(one, ast.Name):
                            named.setdefault(one.id, []).append(node.value)
            elif isinstance(node, (ast.AugAssign, ast.For, ast.comprehension, ast.NamedExpr)):
                for one in ast.walk(node.target):
                    if isinstance(one, ast.Name):
                        named.setdefault(one.id, []).append(None)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("FINAL", "FINAL_VAR"):
                given = (node.args or [one.value for one in node.keywords] or [None])[0]
                if node.func.id == "FINAL_VAR" and isinstance(given, ast.Constant):
                    given = ast.Name(given.value, ast.Load())
    queue, seen = [given], set()
    while queue:
        node = queue.pop()
        if node is None:
            return False
        for one in ast.walk(node):
            if isinstance(one, (ast.Call, ast.Subscript, ast.Attribute, ast.comprehension, ast.Lambda, ast.Await)):
                return False
            if isinstance(one, ast.Name) and one.id not in seen:
                seen.add(one.id)
                if one.id not in named:
                    return False
                queue += named[one.id]
    return True
