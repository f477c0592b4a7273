# Two forms: lines that match a template, and lines whose header has a value.
value = re.search(r"have (\w+) '(.*)'\?", question)
FINAL(sum(row.get(value[1].lower()) == value[2] for row in parsed) if value else count(quoted[0]))
