# Of a key of the front matter: the page with its greatest value, as texts are compared, and how many have it.
held = {name: page.front[given["key"]] for name, page in pages.items() if page.front.get(given["key"])}
held = {name: value if isinstance(value, str) else " ".join(value) for name, value in held.items()}
FINAL([max(sorted(held), key=lambda name: held[name]), len(held)] if held else [])
