from __future__ import annotations

import pytest

from st_bme.write.heuristics.chinese import find_mentions
from st_bme.write.heuristics.word_set import word_set


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("林月轻声说：“走吧。”", ["林月"]),
        ("他叫陈远山，是个铁匠。", ["陈远山"]),
        ("我昨天遇到艾琳，她很好。", ["艾琳"]),
        ("欧阳青点头。", ["欧阳青"]),
        ("安娜·维尔纳来过。", ["安娜·维尔纳"]),
        ("这是沈掌柜的账本。", ["沈掌柜"]),
        ("老周，开门！", ["老周"]),
    ],
)
def test_people_by_what_stands_around_them(text, people):
    assert find_mentions(text, ()).people == people


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("两人来到青石镇。", ["青石镇"]),
        ("她在旧图书馆等他。", ["旧图书馆"]),
        ("我们回客栈吧。", ["客栈"]),
        ("他回听雨客栈了。", ["听雨客栈"]),
        ("今晚去一趟云隐寺。", ["云隐寺"]),
        ("她走到镇上的集市。", []),
    ],
)
def test_places_by_what_stands_around_them(text, places):
    mentions = find_mentions(text, ())

    assert mentions.places == places


@pytest.mark.parametrize("text", ["马上说清楚。", "高兴地笑了。", "何必问呢？", "于是他走了。", "白天在家。"])
def test_words_that_begin_like_a_name_are_none(text):
    mentions = find_mentions(text, ())

    assert (mentions.people, mentions.places) == ([], [])


def test_a_known_name_counts_wherever_it_stands():
    assert find_mentions("今天小满没来。", ["小满"]).people == ["小满"]


@pytest.mark.parametrize(
    ("known", "people"),
    [
        pytest.param(["沈月"], ["沈月"], id="the one of that family"),
        pytest.param(["沈月", "沈星"], ["沈掌柜"], id="one of two"),
        pytest.param(["林晚"], ["沈掌柜"], id="another family"),
    ],
)
def test_a_title_stands_for_the_known_person_of_that_family(known, people):
    assert find_mentions("听说沈掌柜的账本丢了。", known).people == people


DOES = """
压低声音 压低了嗓音 压着火气 放低声音 放轻脚步 放缓语气 沉下脸 沉声道 提高声音 抬高嗓门 拔高音量 扬起眉毛
垂下眼帘 皱起眉头 皱眉道 蹙起眉 拧着眉 挑起眉毛 眯起眼睛 瞪大眼睛 咬紧牙关 攥紧拳头 绷紧嘴唇 板着脸
抿着嘴 清了清嗓子 屏住呼吸 尴尬 惊讶地站住 得意洋洋 一脸委屈 满脸通红
"""


@pytest.mark.parametrize("does", sorted(word_set(DOES)))
@pytest.mark.parametrize("name", ["沈秋", "陈远山"])
def test_what_a_voice_or_a_face_does_is_no_part_of_a_name(name, does):
    assert find_mentions(f"{name}{does}。", ()).people == [name]
    assert find_mentions(f"{name}{does}。", (name,)).people == [name]


@pytest.mark.parametrize("does", sorted(word_set(DOES)))
def test_a_family_name_alone_takes_no_given_name_from_what_a_face_does(does):
    assert find_mentions(f"（佟{does}）", ()).people == []
