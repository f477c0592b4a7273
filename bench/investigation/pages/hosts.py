hosts = collections.Counter()
for page in pages.values():
    hosts.update(
        {host.lower() for line in page.prose for host in re.findall(r"https?://([A-Za-z0-9.-]+)", line)}
    )
best = sorted(hosts.items(), key=lambda item: (-item[1], item[0]))[: given["k"]]
FINAL([list(pair) for pair in best])
