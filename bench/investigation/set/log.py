# What every program over a log begins with: its lines, and the message of each behind whatever header it has.
import collections
import re

path = context["path"]
question = context["question"]
text = kb_read(path)
rows = [line for _, line in text.lines if line.strip()]

# Header forms in common use, most telling first. Named parts: level, component, message.
FORMS = [
    r"\S+ \S+ - (?P<level>[A-Z]+)\s+\[(?P<node>.*?):(?P<component>.*)@\d+\] - (?P<message>.*)",
    r"\S+ \S+ (?P<level>[A-Z]+) \[[^\]]*\] (?P<component>\S+): (?P<message>.*)",
    r"\S+ \S+ \d+ (?P<level>[A-Z]+) (?P<component>\S+): (?P<message>.*)",
    r"\S+ \S+ (?P<level>[A-Z]+) (?P<component>\S+): (?P<message>.*)",
    r"\[[^\]]+\] \[(?P<level>\w+)\] (?P<message>.*)",
    r"[A-Z][a-z]{2}\s+\d+ [\d:]+ (?P<host>\S+) (?P<component>[^\s:\[]+)(?:\[\d+\])?: (?P<message>.*)",
    r"(?P<message>.*)",
]


def share(form):
    pattern = re.compile(form + r"$")
    return sum(bool(pattern.match(row)) for row in rows[:400]) / max(1, len(rows[:400]))


form = re.compile(next(f for f in FORMS if share(f) > 0.9) + r"$")
parsed = [match.groupdict() for match in map(form.match, rows) if match]
messages = [row["message"].strip() for row in parsed]


def matcher(template):
    """A template as a pattern of the whole message: <*> stands for anything."""
    return re.compile(".*?".join(re.escape(part) for part in template.strip().split("<*>")) + r"\s*$")


def count(template):
    pattern = matcher(template)
    return sum(bool(pattern.match(message)) for message in messages)


def shape(message):
    """What stays the same in messages of one template: words that hold a digit are variable."""
    return " ".join("<*>" if re.search(r"\d", word) else word for word in message.split())


quoted = re.findall(r"'(.*?)'(?=[?,\s]|$)", question)
shapes = collections.Counter(shape(message) for message in messages)
