FINAL(sum(1 for times in shapes.values() if times == 1))
