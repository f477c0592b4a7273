"""Berths of the harbour, and which ship may have which."""

from dataclasses import dataclass, field

# Metres that are kept free at both ends of a ship.
SAFETY_MARGIN = 12


@dataclass
class Berth:
    name: str
    length: float
    depth: float
    tariff_class: str = "standard"
    closed: bool = False


@dataclass
class Ship:
    imo: str
    length: float
    draught: float
    dangerous_goods: bool = False
    visits: list = field(default_factory=list)


def fits(ship, berth):
    """A ship fits where its length and two margins do, and a tenth of its draught stays under the keel."""
    if berth.closed:
        return False
    return ship.length + 2 * SAFETY_MARGIN <= berth.length and ship.draught * 1.1 <= berth.depth


def assign(ship, berths, occupied):
    """The shortest free berth that fits; dangerous goods go to the isolated ones alone."""
    candidates = [b for b in berths if b.name not in occupied and fits(ship, b)]
    if ship.dangerous_goods:
        candidates = [b for b in candidates if b.tariff_class == "isolated"]
    if not candidates:
        raise NoBerth(ship.imo)
    return min(candidates, key=lambda b: b.length)


class NoBerth(Exception):
    """No berth is free that the ship fits into; the caller queues it."""
