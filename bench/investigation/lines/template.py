# How many messages end as a template does, where <*> stands for anything.
pattern = re.compile(".*".join(re.escape(part) for part in given["template"].split("<*>")) + r"\s*$")
FINAL(sum(bool(pattern.search(row.message)) for row in rows))
