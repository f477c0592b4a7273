best = sorted(links_in.items(), key=lambda item: (-item[1], item[0]))[: given["k"]]
FINAL([list(pair) for pair in best])
