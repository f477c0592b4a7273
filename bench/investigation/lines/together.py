def minutes(text):
    return {row.time.replace(second=0) for row in timed if text in row.text}


FINAL(len(minutes(given["a"]) & minutes(given["b"])))
