# What every program over found lines begins with.
import collections
import re

given = context["given"]
found = kb_find(given["text"], scope=given.get("scope"), ignore_case=given.get("fold", False))
