# Lines that hold the text, and texts with such a line.
FINAL([len(found), len({hit.path for hit in found})])
