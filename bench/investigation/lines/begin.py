# What every program over a log begins with: its lines with their time, level, component and message.
import collections
import datetime
import json
import re

given = context["given"]
Line = collections.namedtuple("Line", "number text time level component message")

STAMPS = [
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d", "%Y-%m-%d %H:%M:%S"),
    (r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d", "%Y/%m/%d %H:%M:%S"),
    (r"\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d", "%d/%b/%Y:%H:%M:%S"),
    (r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \d{4}", "%a %b %d %H:%M:%S %Y"),
    (r"[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d", "%b %d %H:%M:%S"),
    (r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d", "%y/%m/%d %H:%M:%S"),
    (r"\d{6} \d{6}", "%y%m%d %H%M%S"),
]
LEVELS = {
    name: name
    for name in "TRACE DEBUG INFO NOTICE WARN WARNING ERROR SEVERE CRITICAL FATAL ALERT EMERG PANIC".split()
}
# What stands behind time and level: the component, then the message.
HEADS = [
    r"\[(?:.*:)?(?P<component>[^\s:\]]+?)(?:@\d+)?\] - (?P<message>.*)",
    r"\[[^\]]*\] (?P<component>[\w.$-]+): (?P<message>.*)",
    r"(?P<component>[\w.$-]+)(?:\[\d+\])?: (?P<message>.*)",
    r"(?P<component>\S+) ?(?P<message>.*)",
]


def moment(text):
    """The first time that stands in a text, and where it ends; whole seconds, without a zone."""
    for pattern, form in STAMPS:
        match = re.search(pattern, text[:80])
        if match:
            stamp = re.sub(r"\s+", " ", match[0].replace("T", " ") if form.startswith("%Y-") else match[0])
            return datetime.datetime.strptime(stamp, form), match.end()
    return None, 0


def first_of(row, *names):
    for name in names:
        if row.get(name) not in (None, ""):
            return row[name]
    return None


def from_json(number, text, row):
    stamp = first_of(row, "timestamp", "@timestamp", "time", "ts", "date", "datetime")
    if isinstance(stamp, (int, float)):
        seconds = stamp / 1000 if stamp > 1e11 else stamp
        time = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).replace(tzinfo=None)
    else:
        time = moment(str(stamp))[0]
    level = first_of(row, "level", "severity", "lvl", "levelname", "log_level")
    component = first_of(row, "component", "logger", "service", "app", "source", "name", "host")
    message = first_of(row, "message", "msg", "body", "log", "event", "text")
    return Line(number, text, time, level, component, str(message if message is not None else text))


def from_text(number, text):
    time, end = moment(text)
    rest = re.sub(r"^[.,]\d+|^(?:Z|[+-]\d\d:?\d\d)\b", "", text[end:]).lstrip(" -\t]")
    level = None
    match = re.match(r"\[?(\w+)\]?:?\s+(?:- )?", rest)
    if match and match[1].upper() in LEVELS:
        level, rest = match[1], rest[match.end() :]
    for head in HEADS:
        match = re.match(head + "$", rest)
        if match:
            return Line(number, text, time, level, match["component"], match["message"])
    return Line(number, text, time, level, None, rest)


def parsed(number, text):
    if text.lstrip().startswith("{"):
        try:
            return from_json(number, text, json.loads(text))
        except ValueError:
            pass
    return from_text(number, text)


source = kb_read(context["path"])
rows = [parsed(number, text) for number, text in source.lines if text.strip()]
timed = [row for row in rows if row.time is not None]


def hour(row):
    return row.time.strftime("%Y-%m-%d %H")


def ranked(counts):
    """Largest first, then by name."""
    return sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
