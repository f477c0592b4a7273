FINAL("none" if not found else len(found))
