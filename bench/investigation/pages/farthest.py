# How many links lie between a page and the farthest that it leads to.
seen, edge, steps = {given["page"]}, {given["page"]}, 0
while True:
    edge = {far for one in edge for far in pages[one].links} - seen
    if not edge:
        break
    seen |= edge
    steps += 1
FINAL([steps, len(seen) - 1])
