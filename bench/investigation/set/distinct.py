field = re.search(r"distinct (\w+) values", question)[1].lower()
FINAL(len({row[field] for row in parsed}))
