# Seconds between a line and the next one in time.
times = sorted(row.time for row in timed)
FINAL(max((int((b - a).total_seconds()) for a, b in zip(times, times[1:])), default=0))
