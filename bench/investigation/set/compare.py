first, second = count(quoted[0]), count(quoted[1])
FINAL("more common than" if first > second else "less common than" if first < second else "same frequency as")
