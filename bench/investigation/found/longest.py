longest = max(found, key=lambda hit: (len(hit.text), hit.path, hit.line))
FINAL({"path": longest.path, "line": longest.line, "length": len(longest.text)})
