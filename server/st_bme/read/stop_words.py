"""Words that say nothing about what a text is about. To share one of them with a query is no reason to be recalled.

How rare a word is in the graph tells the same, but not in a young chat, and not when no other word is shared.
"""

from __future__ import annotations

from collections.abc import Iterable


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STOP_WORDS = _listed("""
a about after again all also am an and any anyone anything are as at be because been before being but by can come could
did do does doing don down each even ever every for from get go going got had has have having he her here hers herself
him himself his how i if in into is isn it its itself just know let like ll look looks make me might more most much must
my myself need never no nor not now of off on once one only or other our ours out over own re really said same say says
see she should so some someone something still such take tell than that the their them themselves then there these they
thing things think this those through to too told under until up us ve very want was wasn we well were what when where
which while who whom whose why will with won would yes you your yours yourself
的 了 着 过 是 我 你 您 他 她 它 们 在 有 没 不 和 与 及 就 都 而 或 一 个 这 那 哪 什 么 吗 呢 吧 啊 呀 哦 嗯 谁 怎
样 为 说 到 去 来 要 会 能 可 也 很 还 又 被 把 给 对 从 让 里 上 下 其 之
我们 你们 他们 她们 它们 自己 什么 怎么 怎样 哪里 哪儿 那里 这里 这个 那个 哪个 这些 那些 一个 一下 一些 没有 不是
是不 就是 还是 但是 可是 因为 所以 如果 已经 现在 时候 知道 觉得 告诉 可以 是谁 谁是 在哪 的是 了吗 了一 是什 么时
为什
""")


def is_telling(term: str) -> bool:
    """True if the term says something of what a text is about."""
    return term not in _STOP_WORDS


def telling(terms: Iterable[str]) -> list[str]:
    """The terms that say what a text is about, in their order."""
    return [term for term in terms if term not in _STOP_WORDS]
