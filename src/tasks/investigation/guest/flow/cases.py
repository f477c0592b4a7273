"""`match`: each pattern tells whether it fits, what decided on that, and which names it binds."""


def pattern_of(node):
    maker = _PATTERNS.get(type(node))
    if maker is None:
        raise Unsupported(type(node).__name__)
    return maker(node)


def _value_pattern(node):
    wanted = expression(node.value)

    def fits(frame, value, origin, bound):
        other, other_origin = wanted(frame)
        return value == other, all_of(origin, other_origin)

    return fits


def _singleton_pattern(node):
    return lambda frame, value, origin, bound: (value is node.value, whole(origin))


def _as_pattern(node):
    inner, name = pattern_of(node.pattern) if node.pattern is not None else None, node.name

    def fits(frame, value, origin, bound):
        fitting, why = inner(frame, value, origin, bound) if inner is not None else (True, None)
        if fitting and name is not None:
            bound.append((name, value, origin))
        return fitting, why

    return fits


def _or_pattern(node):
    choices = [pattern_of(one) for one in node.patterns]

    def fits(frame, value, origin, bound):
        why, before = None, len(bound)
        for one in choices:
            fitting, because = one(frame, value, origin, bound)
            why = join(why, because)
            if fitting:
                return True, why
            del bound[before:]
        return False, why

    return fits


def all_fit(frame, patterns, pairs, bound, why):
    for one, (value, origin) in zip(patterns, pairs):
        fitting, because = one(frame, value, origin, bound)
        why = join(why, because)
        if not fitting:
            return False, why
    return True, why


def _sequence_pattern(node):
    star = next((at for at, one in enumerate(node.patterns) if isinstance(one, ast.MatchStar)), None)
    patterns = [pattern_of(one) for one in node.patterns if not isinstance(one, ast.MatchStar)]
    rest = node.patterns[star].name if star is not None else None

    def fits(frame, value, origin, bound):
        why = shape_of(origin)
        if not isinstance(value, collections.abc.Sequence) or isinstance(value, (str, bytes, bytearray)):
            return False, why
        values, origins, _ = collected(value, origin)
        if len(values) < len(patterns) or (star is None and len(values) != len(patterns)):
            return False, why
        pairs = list(zip(values, origins))
        if star is None:
            return all_fit(frame, patterns, pairs, bound, why)
        behind = len(values) - (len(patterns) - star)
        fitting, why = all_fit(frame, patterns, pairs[:star] + pairs[behind:], bound, why)
        if fitting and rest is not None:
            bound.append((rest, values[star:behind], Box(shape_of(origin), origins[star:behind])))
        return fitting, why

    return fits


def _mapping_pattern(node):
    keys, patterns = [expression(one) for one in node.keys], [pattern_of(one) for one in node.patterns]

    def fits(frame, value, origin, bound):
        why = shape_of(origin)
        if not isinstance(value, collections.abc.Mapping):
            return False, why
        wanted = [one(frame) for one in keys]
        pairs = []
        for key, key_origin in wanted:
            why = join(why, membership(key, value, origin))
            if key not in value:
                return False, why
            pairs.append(subscript(value, origin, key, key_origin))
        fitting, why = all_fit(frame, patterns, pairs, bound, why)
        if fitting and node.rest is not None:
            left = {key: one for key, one in value.items() if key not in {key for key, _ in wanted}}
            box = box_of(value, origin)
            each = uniform(left, whole(origin)) if box is None else Box(box.shape, {key: list(box.items[key]) for key in left})
            bound.append((node.rest, left, each))
        return fitting, why

    return fits


_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def _class_pattern(node):
    kind, patterns = expression(node.cls), [pattern_of(one) for one in node.patterns]
    named = list(zip(node.kwd_attrs, [pattern_of(one) for one in node.kwd_patterns]))

    def fits(frame, value, origin, bound):
        wanted, why = kind(frame)[0], whole(origin)
        if not isinstance(value, wanted):
            return False, why
        if wanted in _WHOLE and patterns:
            return patterns[0](frame, value, origin, bound)
        both = [*zip(getattr(wanted, "__match_args__", ()), patterns), *named]
        if len(both) < len(patterns) + len(named):
            raise TypeError(f"{wanted.__name__}() accepts fewer positional sub-patterns")
        pairs = []
        for name, _ in both:
            if not hasattr(value, name):
                return False, why
            pairs.append(attribute(value, origin, name))
        return all_fit(frame, [one for _, one in both], pairs, bound, why)

    return fits


_PATTERNS = {
    ast.MatchValue: _value_pattern, ast.MatchSingleton: _singleton_pattern, ast.MatchAs: _as_pattern, ast.MatchOr: _or_pattern,
    ast.MatchSequence: _sequence_pattern, ast.MatchMapping: _mapping_pattern, ast.MatchClass: _class_pattern,
}  # fmt: skip


def _match(node, around):
    subject = expression(node.subject)
    cases = [
        (pattern_of(one.pattern), expression(one.guard) if one.guard is not None else None, block(one.body, around))
        for one in node.cases
    ]
    names = changed_in(node.cases)
    beyond = around if leaves_early(node.cases) else ()

    def run(frame):
        value, origin = subject(frame)
        came = None
        try:
            for fits, guard, body in cases:
                bound = []
                fitting, why = fits(frame, value, origin, bound)
                came = join(came, why)
                if not fitting:
                    continue
                for name, one, each in bound:
                    store(name, frame, one, each)
                if guard is not None:
                    asked, because = guard(frame)
                    came = join(came, truth(asked, because))
                    if not asked:
                        continue
                deciding.append([came, 0])
                try:
                    return body(frame)
                finally:
                    deciding.pop()
        finally:
            touched(names, frame, came)
            touched(beyond, frame, came)
        return None

    return run


_STATEMENTS[ast.Match] = _match
