FINAL(sum(row.level == given["level"] for row in rows))
