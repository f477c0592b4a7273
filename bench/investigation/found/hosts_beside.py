hosts = collections.Counter()
for hit in found:
    for host in re.findall(r"https?://([A-Za-z0-9.-]+)", hit.text):
        hosts[host.lower()] += 1
FINAL([list(pair) for pair in sorted(hosts.items(), key=lambda item: (-item[1], item[0]))[: given["k"]]])
