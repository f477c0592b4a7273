found = [row.number for row in rows if given["text"] in row.text]
FINAL([found[0], found[-1]] if found else [])
