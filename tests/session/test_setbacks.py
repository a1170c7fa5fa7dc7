"""A run that failed rests longer each time."""

from st_bme.session.setbacks import LONGEST_REST_S, Setbacks

RUN = ("a", "b")


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_a_run_rests_one_minute_then_two_then_four():
    clock = Clock()
    setbacks = Setbacks(clock)
    for minutes in (1, 2, 4):
        setbacks.note(RUN)
        clock.now_s += 60 * minutes - 1
        assert setbacks.rests(RUN)
        clock.now_s += 1
        assert not setbacks.rests(RUN)


def test_no_rest_is_longer_than_an_hour():
    clock = Clock()
    setbacks = Setbacks(clock)
    for _ in range(50):
        setbacks.note(RUN)
    clock.now_s = LONGEST_REST_S

    assert not setbacks.rests(RUN)


def test_a_success_ends_the_count():
    clock = Clock()
    setbacks = Setbacks(clock)
    setbacks.note(RUN)
    setbacks.note(RUN)
    setbacks.forget(RUN)
    assert not setbacks.rests(RUN)

    setbacks.note(RUN)
    clock.now_s = 60
    assert not setbacks.rests(RUN)


def test_other_runs_do_not_rest():
    setbacks = Setbacks(Clock())
    setbacks.note(RUN)

    assert not setbacks.rests(("a",))
