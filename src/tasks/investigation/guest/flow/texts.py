"""Methods of texts."""

def text_of(value, origin):
    """The place of a text that is a stretch of one that was read, character by character."""
    return origin if type(origin) is Piece and origin.size == len(value) else None


def cut(piece, at, size):
    return Piece(piece.doc, piece.at + at, size)


def pieces(value, piece, parts):
    """Parts of a text in their order, each with its place."""
    at, origins = 0, []
    for part in parts:
        at = value.index(part, at)
        origins.append(cut(piece, at, len(part)))
        at += len(part)
    return origins


def text_method(value, origin, name, args, named):
    """Null where nothing more is known than that it is pure."""
    piece = text_of(value, origin)
    plain = [one for one, _ in args]
    if name == "join":
        values, origins, shape = collected(*args[0])
        result = value.join(values)
        parts = []
        for at, (one, each) in enumerate(zip(values, origins)):
            if at > 0:
                parts.append((len(value), origin))
            parts.append((len(one), each))
        parts.append((0, whole(shape)))
        return result, (all_of(shape, origin, *origins) if len(parts) > 400 else Parts(parts))
    if piece is None or named.keys() - {"sep", "maxsplit", "keepends"}:
        return None
    if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
        result = getattr(value, name)(*plain, **{key: one for key, (one, _) in named.items()})
        if name == "splitlines":
            at, origins = 0, []
            for part, ended in zip(value.splitlines(), value.splitlines(True)):
                origins.append(cut(piece, at, len(part)))
                at += len(ended)
        elif name == "split" and plain and isinstance(plain[0], str):
            at, origins, gap = 0, [], len(plain[0])
            for part in result:
                origins.append(cut(piece, at, len(part)))
                at += len(part) + gap
        elif name in ("partition", "rpartition"):
            origins = [cut(piece, 0, len(result[0])), cut(piece, len(result[0]), len(result[1]))]
            origins.append(cut(piece, len(result[0]) + len(result[1]), len(result[2])))
        elif name == "split":
            origins = pieces(value, piece, result)
        else:
            return None
        return result, Box(join(piece, all_of(*(one for _, one in args))), origins)
    if name in ("strip", "lstrip", "rstrip", "removeprefix", "removesuffix"):
        result = getattr(value, name)(*plain)
        if name in ("strip", "lstrip"):
            at = len(value) - len(value.lstrip(*plain))
        else:
            at = len(value) - len(result) if name == "removeprefix" else 0
        return result, cut(piece, min(at, len(value) - len(result)), len(result))
    if name in ("lower", "upper", "casefold", "title", "capitalize", "swapcase") and not args:
        result = getattr(value, name)()
        return result, (piece if len(result) == len(value) else blurred(piece))
    return None
