best = shapes.most_common(1)[0][0]
FINAL(next(row for row in rows if shape(form.match(row)["message"].strip()) == best))
