FINAL(sum(given["with"] in page.tags and given["without"] not in page.tags for page in pages.values()))
