# Pages that say a name as a word of their prose and do not link to its page.
said = re.compile(r"(?<!\w)" + re.escape(given["name"]) + r"(?!\w)", re.I)
FINAL(
    sum(
        name != given["page"] and given["page"] not in page.links and any(said.search(line) for line in page.prose)
        for name, page in pages.items()
    )
)
