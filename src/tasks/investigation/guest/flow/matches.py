"""Methods of patterns and matches."""

def group_of(match, origin, which):
    value = match[which]
    if value is None:
        return None, whole(origin)
    piece = text_of(match.string, origin.text) if type(origin) is Matched else None
    if piece is None or isinstance(value, bytes):
        return value, blurred(whole(origin))
    return value, cut(piece, match.start(which), len(value))


def match_method(value, origin, name, args, named):
    plain = [one for one, _ in args]
    if name == "group" and len(plain) < 2:
        return group_of(value, origin, plain[0] if plain else 0)
    if name in ("groups", "group"):
        numbers = plain if name == "group" else range(1, value.re.groups + 1)
        pairs = [group_of(value, origin, one) for one in numbers]
        default = plain[0] if name == "groups" and plain else None
        return tuple(default if one is None else one for one, _ in pairs), Box(None, [one for _, one in pairs])
    if name == "groupdict":
        pairs = {key: group_of(value, origin, key) for key in value.re.groupindex}
        default = plain[0] if plain else None
        made = {key: default if one is None else one for key, (one, _) in pairs.items()}
        return made, Box(None, {key: [None, one] for key, (_, one) in pairs.items()})
    return None


def pattern_method(value, origin, name, args, named):
    """`re` with the place of what it finds."""
    if named or not args or not isinstance(args[0][0] if name not in ("sub", "subn") else "", str):
        return None
    if name in ("match", "search", "fullmatch"):
        found = getattr(value, name)(*(one for one, _ in args))
        text = args[0][1]
        if found is None:
            return None, all_of(text, origin)
        return found, Matched(text, whole(origin))
    if name == "finditer":
        text = args[0][1]
        both = all_of(text, origin)
        found = value.finditer(*(one for one, _ in args))
        return Stream(((one, Matched(text, whole(origin))) for one in found), both), None
    if name == "findall":
        piece = text_of(args[0][0], args[0][1])
        if piece is None:
            return None
        result, origins = [], []
        for found in value.finditer(*(one for one, _ in args)):
            groups = value.groups
            if groups > 1:
                result.append(tuple(one or "" for one in found.groups()))
                spans = [found.span(one) for one in range(1, groups + 1)]
                origins.append(Box(None, [cut(piece, max(0, a), max(0, b - a)) for a, b in spans]))
            else:
                result.append(found[groups] or "")
                start, end = found.span(groups)
                origins.append(cut(piece, max(0, start), max(0, end - start)))
        return result, Box(join(piece, whole(origin)), origins)
    return None
