# What every program over a vault begins with: its pages with front matter, body, tags and links.
import collections
import json
import posixpath
import re
import urllib.parse

given = context["given"]
Page = collections.namedtuple("Page", "name front lines prose tags links targets")


def without_end(path):
    return path[:-3] if path.lower().endswith(".md") else path


def front_matter(lines):
    """Top-level keys with their texts, lists as lists; and the number of lines it takes."""
    if not lines or lines[0].strip() != "---":
        return {}, 0
    end = next((at for at in range(1, len(lines)) if lines[at].strip() == "---"), None)
    if end is None:
        return {}, 0
    if lines[1].strip() == "{":
        try:
            held = json.loads("\n".join(lines[1:end]))
            return {key: [str(one) for one in value] if isinstance(value, list) else json.dumps(value).strip('"') for key, value in held.items()}, end + 1
        except ValueError:
            pass
    front, key = {}, None
    for line in lines[1:end]:
        item = re.match(r"\s*-\s+(.*)", line)
        field = re.match(r"([A-Za-z_][\w -]*?):(?:\s+(.*))?$", line)
        if item and key is not None:
            front[key] = (front[key] if isinstance(front[key], list) else []) + [bare(item[1])]
        elif field:
            key, value = field[1], (field[2] or "").strip()
            listed = re.fullmatch(r"\[(.*)\]", value)
            front[key] = [bare(one) for one in listed[1].split(",") if one.strip()] if listed else bare(value)
    return front, end + 1


def bare(text):
    return text.strip().strip("\"'")


def outside_fences(lines):
    kept, fence = [], None
    for line in lines:
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if fence is None and mark:
            fence = mark[1][:3]
        elif fence is not None and mark and mark[1].startswith(fence):
            fence = None
        elif fence is None:
            kept.append(re.sub(r"`[^`]*`", "", line))
    return kept


def tags_of(front, prose):
    named = front.get("tags", front.get("tag", []))
    named = named if isinstance(named, list) else re.split(r"[,\s]+", named)
    inline = [tag for line in prose for tag in re.findall(r"(?:^|\s)#([\w/-]*[A-Za-z_/-][\w/-]*)", line)]
    return {tag.lstrip("#").lower() for tag in [*named, *inline] if tag.strip("# ")}


def targets_of(prose):
    text = "\n".join(prose)
    wiki = [one.split("|")[0].split("#")[0] for one in re.findall(r"\[\[([^\[\]\n]+)\]\]", text)]
    plain = [
        urllib.parse.unquote(one.split("#")[0])
        for one in re.findall(r"\]\(<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\)", text)
        if not re.match(r"[a-zA-Z][\w+.-]*:", one)
    ]
    return [one.strip() for one in [*wiki, *plain] if one.strip()]


# Files of a folder have their ending; pages of a workspace have none.
listed = kb_list()
paths = [path for path in listed if path.lower().endswith(".md")] or listed
names = sorted(without_end(path) for path in paths)
by_path = {}
by_file = {}
for name in names:
    by_path.setdefault(name.lower(), name)
    by_file.setdefault(name.rsplit("/", 1)[-1].lower(), name)


def resolved(target, name):
    """The page that a target names: beside the page, from the root, or by its file name alone."""
    wanted = without_end(target)
    if wanted.startswith("/"):
        tries = [wanted[1:]]
    else:
        tries = [posixpath.normpath(posixpath.join(posixpath.dirname(name), wanted)), posixpath.normpath(wanted)]
    for one in tries:
        if one.lower() in by_path:
            return by_path[one.lower()]
    return by_file.get(wanted.rsplit("/", 1)[-1].lower())


def page_of(path):
    name = without_end(path)
    lines = kb_read(path).split("\n")
    front, skip = front_matter(lines)
    prose = outside_fences(lines[skip:])
    targets = targets_of(prose)
    links = {found for found in (resolved(one, name) for one in targets) if found not in (None, name)}
    return Page(name, front, lines[skip:], prose, tags_of(front, prose), links, targets)


pages = {page.name: page for page in map(page_of, paths)}
links_in = collections.Counter(target for page in pages.values() for target in page.links)
