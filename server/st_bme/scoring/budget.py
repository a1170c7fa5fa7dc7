"""What fits into the prompt: items taken one after the other while there is room."""

from collections.abc import Sequence


def take(prices: Sequence[int], room: int, *, opening: int = 0) -> tuple[list[int], int]:
    """Places of the items that fit into a room, and what they cost together, which never exceeds it.

    An item too long for what remains is passed over, and a shorter one after it may take the room.

    Args:
        prices: tokens of each item, ≥ 0, best first.
        opening: tokens paid once, by the first item.
    """
    taken: list[int] = []
    spent = opening
    for place, price in enumerate(prices):
        if spent + price <= room:
            taken.append(place)
            spent += price
    return taken, spent if taken else 0
