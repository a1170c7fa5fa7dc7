"""Word lists for Chinese: family names, what surrounds a name, what a place ends in, what says little."""

from __future__ import annotations

import re

from st_bme.write.heuristics.word_set import behind_one_of, one_of, word_set

_SINGLE_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘"
    "杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文佟祝莫慕"
    "邢裴柳凌楚卫华温纪霍庄宁包安"
)
_DOUBLE_SURNAMES = one_of(
    """
    欧阳 慕容 上官 司马 司徒 诸葛 夏侯 皇甫 尉迟 公孙 令狐 东方 南宫 西门 独孤 百里 端木
    轩辕 宇文 长孙
    """
)
SURNAME = f"(?:{_DOUBLE_SURNAMES}|[{_SINGLE_SURNAMES}])"

TRANSLITERATED = (
    "艾琳雷恩尔特克斯罗兰莱德拉卡米娅伊洛薇娜莉丝妮菲蒂奥维塔萨诺西芙琪凯莎玛丽贝蕾露希瑟洁格伦波巴赫泽姆比迪柯杰森汤安"
)
"""Characters that foreign names are written with."""

NOT_NAMES = word_set(
    """
    高兴 高手 高大 高声 高级 高中 高低 何必 何况 何时 何处 何人 何苦 何等 马上 马车 马路
    马虎 方才 方便 方法 方向 方面 于是 于此 白天 白色 白银 白衣 白白 白痴 白费 白发 常常
    常年 任何 任务 任由 任意 任凭 文章 文字 文化 文件 金子 金色 金钱 金币 江湖 江山 石头
    黄金 黄昏 黄色 许多 许久 曾经 钟声 钟楼 钟头 万一 万分 万事 雷声 龙王 易容 夏天 夏日
    余下 田地 周围 周末 唐突 安静 安全 安排 安慰 安心 毛病 毛巾 康复 温柔 温暖 温度 华丽
    包括 包子 包裹 宁静 宁可 宁愿 纪念 庄园 庄重 卫生 江边 林中 林子 林间 程度 石阶 石壁
    武功 武器 武林 武艺 武士 史上 顾客 汤水 易怒 陆续 陆地 金属 金额 钱财 钱包 丁点 谢谢
    谢过 谢罪 贺喜 方圆 方式 凌晨 华山 沈默 夏夜 常识 常规 安然 安抚 安置 安稳 钟点 计划
    雷电 雷雨 高塔 高墙 高处 高贵 石门 石板 黄沙 白雪 白云 白光 金光 马匹 马背 马儿 任性
    孔雀 文书 文静 江水 田野 莫非 莫名 莫要 莫不 罗嗦 罗列
    """
)
"""Words that begin like a family name."""

FUNCTION_CHARACTERS = (
    "的了着是在不有我你他她它这那们么吗呢吧啊呀哦嗯哎唉哈嘿喂就也都很还又才要会能可说道问没上下里中来去和跟与"
    "对把被让给从到为因所以然后前先再最太真什怎谁哪几多少个只些点得地过起出进想看听知当但而且或如果虽却便之其"
    "此该向往将已经"
)
AFTER_NAME = one_of(
    """
    说 道 问 答 喊 叫 笑 点头 点了 摇头 摇了 走 站 坐 看着 看了 望 转身 转过 叹 低声
    轻声 小声 大声 皱 拿 推开 来 去 突然 忽然 也 却 又 便 就 才 还 立刻 缓缓 微微 淡淡
    冷冷 静静 慢慢 连忙 赶紧 已经 正 在 把 对 向 从 的 和 跟 一 没 不 会 要 有 是 死
    抬 低下 伸 握 抓 递 跪 倒 冲 跑 沉默 愣 哭 怒 惊 收 举 告诉 答应 发现 知道 觉得
    离开 回 被 给 让
    """
)
"""What may follow a name in front of a verb or a particle."""

VERB_CHARACTERS = "笑哭叫喊走站坐叹怒惊看望转抬低伸握抓递跪倒冲跑愣收举拿推皱摇回死一不没是有要"
"""What ends no full name but follows one."""

GESTURE = one_of(
    """
    压低 压着 压下 压住 放低 放轻 放缓 放慢 放柔 放软 沉下 沉着 沉声 提高 提起 提着 抬高 拔高
    扬起 扬声 扬了 扬眉 垂下 垂着 垂首 垂眸 柔声 厉声 朗声 高声 颤声 哑声 哑着 皱起 皱着 皱眉
    蹙起 蹙着 蹙眉 拧起 拧着 拧眉 挑起 挑了 挑眉 舒展 松开 松了 眯起 眯着 眯眼 瞪大 瞪着 睁大
    睁开 闭上 闭着 闭眼 咬紧 咬着 咬牙 咬住 攥紧 攥着 绷紧 绷着 板起 板着 勾起 抿紧 抿着 抿嘴
    抿唇 撇嘴 噘嘴 耸肩 清了 屏住 深吸 咽了 挺起 挺直 弯腰 俯身 欠身 侧身 侧过 拱手 颔首 歪着
    尴尬 惊讶 诧异 惊恐 惊慌 慌张 慌忙 慌乱 着急 焦急 紧张 激动 兴奋 得意 害羞 羞涩 委屈 无奈 无语 疑惑
    疑虑 迟疑 犹豫 茫然 恍然 愤怒 恼怒 生气 失望 伤心 难过 欣慰 满意 满脸 一脸
    """
)
"""What a voice, a face or a hand does, or how someone feels, behind a name: none of it is part of the name."""

BEHIND_CUE = behind_one_of(
    """
    名叫 叫做 我叫 他叫 她叫 唤作 名为 我是 他是 她是 这位是 找 跟 和 对 向 与 替 给 被
    见到 看到 看见 遇到 遇见 认识 喜欢 爱上 告诉 救 杀
    """
)
"""Where a name follows."""

ACTING = (
    "[推拉走跑站坐躺跪看望盯瞪瞥笑哭叹摇点抬低伸握抓递拿放举捧抱拍敲打踢拔抽挥指转回起退进出靠倚扶揉摸擦捂咬喝吃吐咳喘愣怔皱挑眯睁闭"
    "说问答喊叫轻缓慢连忽突猛微淡冷静默悄仔立正在把将被对向从朝往用又再也却便才还只不没已渐偷赶急匆沉苦拾合拨披挂系摘取收端倒换撤攥按翻开关解脱穿戴抹展露溜冲追躲藏甩揪搂塞掏咽舔夹吹扔丢撕写画读念弯侧垂昂咧撇嘟挠伏]"
)
"""Begins a stage direction that leaves out who acts."""

SCENE_OPENING = re.compile(
    "[雨雪风雷天夜月]|第[一二三四五六七八九十百]+[天日夜年]|[^，。]{0,8}[里后时前外夜晨早晚间]，"
)
"""Begins a stage direction that tells of more than what the speaker does."""

HONORIFIC = one_of(
    """
    先生 小姐 女士 太太 夫人 姑娘 公子 少爷 掌柜 大夫 医生 老师 师傅 师父 师兄 师姐 师弟
    师妹 大人 大哥 大嫂 大姐 大叔 大婶 大娘 捕头 将军 王爷 殿下 公主 王子 国王 女王 骑士
    队长 团长 校长 教授 博士 老板 经理 警官 阿姨 叔叔 爷爷 奶奶 前辈
    """
)
PLACE_KIND = one_of(
    """
    森林 学院 大学 中学 小学 学校 客栈 酒馆 酒楼 酒吧 茶馆 茶楼 王国 帝国 宫殿 钟楼 城堡
    城镇 村庄 村子 小镇 广场 车站 机场 医院 公园 图书馆 博物馆 咖啡馆 咖啡厅 餐厅 餐馆 厨房
    大堂 大厅 客厅 房间 院子 后院 花园 码头 港口 衙门 地下室 教堂 神殿 神庙 洞穴 山洞 营地
    办公室 教室 宿舍 书房 卧室 阁楼 走廊 天台 集市 市场 商店 监狱 地牢 遗迹 墓地 沙漠 草原
    海边 河边 湖边 公司 酒店 宾馆 超市 山庄 渡口 药铺 当铺 书店 祠堂
    """
)
"""Words that are a place with or without a name in front."""

PLACE_ENDING = "(?:[城镇村谷岛寺庙塔府派]|阁(?!下))"
"""What a place's name ends in; alone it names none."""

PLACE_POINTING = "了?(?:[这那一][个家座间趟处条片所栋]?)?"
PLACE_BEFORE = one_of(
    """
    在 走到 上 送 到 去 往 从 回 回到 来到 前往 抵达 进入 走进 走出 离开 逃出 逃到 赶到
    赶往 返回 住在
    """
)

WEIGHTY = word_set(
    """
    死 杀 婚 嫁 娶 怀孕 生日 出生 秘密 承诺 答应 发誓 背叛 告白 表白 诅咒 预言 战争 逃 偷
    失踪 绑架 受伤 中毒 宝藏 真相 身世 契约 复活 失忆 凶手 遗嘱 离开 辞职 毕业
    """
)
"""Words of turning points: what holds one is worth more."""
