# The first line of each text that has one.
first = {}
for hit in found:
    first.setdefault(hit.path, (hit.line, hit.text.strip()))
FINAL([[path, *first[path]] for path in sorted(first)][: given["k"]])
