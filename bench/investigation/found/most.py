counts = collections.Counter(hit.path for hit in found)
best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: given["k"]]
FINAL([list(pair) for pair in best])
