# Of the lines that hold a text, in whole percent, those of one component.
held = [row for row in rows if given["text"] in row.text]
FINAL(int(100 * sum(row.component == given["component"] for row in held) / len(held)) if held else 0)
