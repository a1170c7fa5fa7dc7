"""Keys in turn."""

from st_bme.adapters.key_ring import EndpointKeys, KeyRing, KeyTurn

NOW_S = 100.0


def _take(ring: KeyRing, **options: frozenset[int]) -> KeyTurn:
    turn = ring.take(NOW_S, **options)
    assert turn is not None
    return turn


def test_keys_are_used_in_turn():
    ring = KeyRing(("a", "b", "c"))

    assert [_take(ring).key for _ in range(4)] == ["a", "b", "c", "a"]


def test_a_key_that_waits_is_left_out_until_then():
    ring = KeyRing(("a", "b"))
    ring.hold(0, NOW_S + 5, "busy")

    assert [_take(ring).key for _ in range(3)] == ["b", "b", "b"]
    later = ring.take(NOW_S + 5)
    assert later is not None
    assert later.key == "a"


def test_when_all_wait_the_soonest_is_next_with_its_reason():
    ring = KeyRing(("a", "b"))
    ring.hold(0, NOW_S + 9, "long")
    ring.hold(1, NOW_S + 2, "short")

    turn = _take(ring)
    assert (turn.key, turn.free_at_s, turn.reason) == ("b", NOW_S + 2, "short")


def test_refused_keys_are_passed_over_and_none_is_left_of_none():
    ring = KeyRing(("a", "b"))

    assert _take(ring, refused=frozenset({0})).key == "b"
    assert ring.take(NOW_S, refused=frozenset({0, 1})) is None


def test_without_keys_there_is_one_turn_without_a_key():
    ring = KeyRing(())

    assert ring.is_empty
    assert _take(ring).key == ""


def test_no_printed_form_shows_a_key():
    ring = KeyRing(("canary-key",))

    shown = f"{EndpointKeys('https://host.example', ('canary-key',))} {_take(ring)} {ring!r}"
    assert "canary" not in shown
    assert ring.hide("you sent canary-key, canary-key") == "you sent [hidden], [hidden]"
