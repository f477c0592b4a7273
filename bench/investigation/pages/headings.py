counts = {
    name: sum(bool(re.match(r"#{1,6}\s+\S", line)) for line in page.prose) for name, page in pages.items()
}
best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: given["k"]]
FINAL([list(pair) for pair in best])
