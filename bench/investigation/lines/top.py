counts = collections.Counter(row.component for row in rows if row.component is not None)
FINAL([[name, count] for name, count in ranked(counts)[: given["k"]]])
