"""Helpers like those of an investigation, over the operations that the suite offers."""

from sonde_host import EndCell, call_host

__all__ = ["kb_search", "kb_read", "memory_get", "llm_query", "llm_query_batched", "FINAL", "FINAL_VAR"]


def kb_search(query, k=8):
    return call_host("kb_search", query=query, k=k)


def kb_read(path, start=0, end=None):
    return call_host("kb_read", path=path, start=start, end=end)


def memory_get(key):
    return call_host("memory_get", key=key)


def llm_query(prompt, context=None):
    return call_host("llm_query", prompt=prompt, context=context)


def llm_query_batched(prompts):
    return call_host("llm_query_batched", prompts=list(prompts))


def FINAL(answer):
    call_host("final", answer=answer)
    raise EndCell


def FINAL_VAR(name):
    import __main__

    FINAL(getattr(__main__, name))
