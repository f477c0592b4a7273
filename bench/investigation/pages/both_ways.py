FINAL(sum(a < b and a in pages[b].links for a in pages for b in pages[a].links))
