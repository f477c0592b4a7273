# Targets of links, other than files with an ending of their own, that lead to no page.
FINAL(
    sum(
        resolved(target, page.name) is None
        for page in pages.values()
        for target in page.targets
        if not re.search(r"\.(?!md$)[A-Za-z0-9]{1,5}$", target, re.I)
    )
)
