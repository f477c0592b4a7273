"""Synchronous calls of the host, the only way out of the sandbox."""

# A copy of the built-ins for the functions of this module: cells may change the shared ones.
__builtins__ = dict(vars(__import__("builtins")))

import _sbx
from sonde_values import dumps, loads, lower, lower_arguments


class HostError(Exception):
    """The host refused a call, or could not answer it. `code` is stable; the text is for people."""

    def __init__(self, message, code="refused"):
        super().__init__(message)
        self.code = code


class EndCell(BaseException):
    """Raised by a helper to end the cell at once and without an error, as after a final answer."""


def call_host(operation, /, **arguments):
    """Asks the host for one of the operations it offers, and returns the value it answers.

    Raises HostError where the host refuses, and TypeError where an argument can't be sent.
    """
    asked = operation if type(operation) is str else lower(operation)
    answer = loads(_call(dumps([asked, lower_arguments(arguments)])))
    if "error" in answer:
        raise HostError(answer["error"], answer["code"])
    return answer["value"]


_call = _sbx.call
