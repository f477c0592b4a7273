# What an investigation does without a model: seed wide, score in code, read the best, quote what tells, cite it.
# QUESTION stands above. `draft` holds the answer as it grows.
import math
import re

STOP = set(
    """a about after all also an and any are as at be because been before being between both but by can could
    did do does each for from has have how if in into is it its many may more most much must no not of on one
    only or other our out over should so some such than that the their them then there these they this those
    through to under up use used uses using was we were what when where whether which while who whose why will
    with within without would you your class code file function line lines method module""".split()
)
QUOTES, PER_PATH, LINES_READ = 6, 2, 40


def stem(word):
    for ending in ("ations", "ation", "ings", "ing", "edly", "ers", "ions", "ies", "ed", "er", "ion", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def words(text):
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", text)
    return [stem(word) for word in re.findall(r"[^\W_]+", spaced.lower()) if len(word) > 1 and word not in STOP]


wanted = list(dict.fromkeys(words(QUESTION)))
hits = kb_search(QUESTION, wide=True)
seen = [set(words(hit.text)) | set(words(hit.path)) for hit in hits]
weights = {
    word: math.log(1 + (len(seen) + 1) / (1 + sum(word in each for each in seen))) for word in wanted
}


def score(found):
    return sum(weights[word] for word in wanted if word in found)


# The rank of the search counts as well: the first hit as much as the rarest word.
rarest = max(weights.values(), default=1)
ranked = sorted(
    range(len(hits)), key=lambda at: score(seen[at]) + 2 * rarest / (1 + at / 4), reverse=True
)


def telling(hit):
    """The best lines of what a hit leads to, as (score, number, line, text read)."""
    middle = (hit.start + hit.end) // 2
    start = max(1, min(hit.start, middle - LINES_READ // 2))
    try:
        text = kb_read(hit.path, start, max(hit.end, start + LINES_READ))
    except HostError:
        return []
    found = []
    for number, line in text.lines:
        bare = line.strip()
        if len(bare) < 12 or not re.search(r"[^\W\d_]{3}", bare):
            continue
        # A long line holds many words without telling more.
        found.append((score(set(words(bare))) / (1 + len(bare) / 400), number, bare, text))
    return sorted(found, key=lambda one: -one[0])


def one_line(name):
    # The name of a file may hold lines that look like those of a result.
    return ' '.join(name.split())


def span(text):
    """The text as code, as it stands: between more backticks than it holds in a row."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    edge = " " if "`" in (text[0], text[-1]) else ""
    return f"{fence}{edge}{text}{edge}{fence}"


quotes, taken, draft = [], {}, ""
for at in ranked[: 4 * QUOTES]:
    hit = hits[at]
    if len(quotes) >= QUOTES:
        break
    if taken.get(hit.path, 0) >= PER_PATH:
        continue
    for worth, number, bare, text in telling(hit)[:1]:
        if worth <= 0 or (hit.path, number) in taken:
            continue
        taken[hit.path, number] = True
        taken[hit.path] = taken.get(hit.path, 0) + 1
        quote = " ".join(bare.split())
        quote = quote[:200].rsplit(" ", 1)[0] if len(quote) > 200 else quote
        quotes.append((worth, f"- {span(one_line(hit.path) + ':' + str(number))}: {span(quote)} {text.cite(number, number)}"))
        draft = "\n".join(line for _, line in sorted(quotes, key=lambda one: -one[0]))

texts = "" if draft else f" in the {len(kb_list())} texts here"
FINAL(draft or f"Nothing was found{texts} that bears on the question.")
