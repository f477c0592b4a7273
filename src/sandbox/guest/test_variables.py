"""Tests of sonde_variables. Run as cells inside the sandbox by guest.test.ts; every `test_` function is called."""

from sonde_variables import PREVIEW_CHARACTERS, cut, describe, loop_names, names, preview, size_of, type_name


class Hostile:
    def __repr__(self):
        raise RuntimeError("boom" * 100)

    def __len__(self):
        raise RuntimeError("never asked")


def test_cut_keeps_head_and_tail():
    assert cut("short", 10) == "short"
    assert cut("a" * 50 + "z" * 50, 20) == "aaaaaaaaaaa...zzzzzz"
    assert len(cut("x" * 10**6, 120)) == 120


def test_previews_are_short():
    for value in ("x" * 10**6, list(range(10**5)), {i: i for i in range(10**5)}, 1 << 10**6, [["a" * 1000] * 9] * 9):
        assert len(preview(value)) <= PREVIEW_CHARACTERS


def test_hostile_objects():
    assert preview(Hostile()).startswith("<repr failed: RuntimeError: boom")
    assert size_of(Hostile()) is None
    assert preview([Hostile()]).startswith("[<repr failed")


def test_type_names_cannot_be_forged():
    class Meta(type):
        __name__ = property(lambda cls: "forged")

    class Real(metaclass=Meta):
        pass

    assert type_name(Real()) == "Real"


def test_sizes():
    assert [size_of(v) for v in ("abc", b"ab", [1], (), {1: 2}, {1, 2}, range(9), 5, None)] == [
        3, 2, 1, 0, 1, 2, 9, None, None,
    ]


def test_describe_skips_helpers_and_odd_names():
    space = {"a": 1, "helper": 2, 5: "five", "n" * 500: None}
    rows = describe(space, {"helper"})
    assert [(row["name"][:1], row["type"], row["preview"]) for row in rows] == [("a", "int", "1"), ("n", "NoneType", "None")]
    assert len(rows[1]["name"]) == 200
    assert describe(space, set(), previews=False)[0]["preview"] == ""
    assert names({"a": 1, "b": 2, 3: 4}, {"b"}) == ["a"]


def test_what_is_left_over_is_not_described():
    import functools
    import json
    import re
    from collections import Counter
    from urllib.parse import urlsplit

    def mine():
        pass

    mine.__module__ = "__main__"
    namespace = {"re": re, "Counter": Counter, "loads": json.loads, "split": urlsplit, "len": len}
    namespace |= {"m": re.match("a", "a"), "pat": re.compile("a"), "mine": mine, "n": 4}
    namespace["cached"] = functools.lru_cache(mine)
    namespace["Own"] = type("Own", (), {"__module__": "__main__"})
    assert [row["name"] for row in describe(namespace, set())] == ["pat", "mine", "n", "cached", "Own"]


def test_names_of_loops_alone():
    assert loop_names("for i, (a, b) in x:\n    total = a\n    for j in b: pass") == ({"i", "a", "b", "j"}, {"total"})
    assert loop_names("for i in x: pass\ni = 3") == (set(), {"i"})
    assert loop_names("def f():\n    for k in x: pass\n[k for k in x]") == (set(), {"f"})
    assert loop_names("with a as b:\n    for n in b:\n        c.d = n") == ({"n"}, {"b"})
    assert loop_names("this is no code") == (set(), set())
