counts = collections.Counter(hour(row) for row in timed if given["text"] in row.text)
FINAL([list(pair) for pair in ranked(counts)[:1]])
