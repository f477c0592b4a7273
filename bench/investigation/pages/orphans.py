FINAL(sum(not page.links and links_in[page.name] == 0 for page in pages.values()))
