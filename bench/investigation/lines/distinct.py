# Of a field of the header, or of addresses in the text.
if given["of"] == "address":
    values = {one for row in rows for one in re.findall(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])", row.text)}
else:
    values = {getattr(row, given["of"]) for row in rows} - {None}
FINAL(len(values))
