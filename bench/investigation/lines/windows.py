def within(window):
    start, end = (datetime.datetime.fromisoformat(one) for one in window)
    return sum(start <= row.time < end for row in timed)


FINAL(within(given["first"]) - within(given["second"]))
