"""What reading a chat will cost."""

from __future__ import annotations

from st_bme.write.price import Price, Sample, estimate, sampled


def test_samples_are_spread_over_the_whole_job():
    assert list(sampled(3)) == [0, 1, 2]
    assert sampled(0) == range(0)
    assert len(sampled(2_500)) <= 48
    assert sampled(2_500)[-1] > 2_400


def test_a_price_is_that_of_the_samples_times_the_runs():
    sample = Sample(position=0, prompt_tokens=1_000, run_tokens=100, calls=1, known=12)

    assert estimate([sample], 10, most_known=12) == Price(calls=10, tokens=10 * (1_000 + 20 + 30))
    assert estimate([], 0, most_known=12) == Price(0, 0)


def test_prompts_grow_by_the_memories_that_come():
    early = Sample(position=0, prompt_tokens=1_000, run_tokens=0, calls=1, known=0)
    late = Sample(position=400, prompt_tokens=1_000, run_tokens=0, calls=1, known=0)

    assert estimate([early], 1, most_known=12).tokens == 1_020
    assert estimate([late], 1, most_known=12).tokens == 1_020 + 12 * 48
