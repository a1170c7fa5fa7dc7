"""The page on which the user allows an origin: one question, one button, nothing a stranger's page could press."""

from __future__ import annotations

import html
import json
import re
import secrets
import time
from collections import OrderedDict
from importlib.resources import files
from ipaddress import ip_address
from urllib.parse import parse_qs, urlencode

from aiohttp import hdrs, web

from st_bme.errors import BadRequest, OriginRefused
from st_bme.origins import is_exact_origin
from st_bme.web.dispatch import read_body
from st_bme.web.languages import LANGUAGES, Language, language_of
from st_bme.web.pairing import Pairing
from st_bme.web.security import Handler, is_loopback_host, own_origin

NONCE_VALID_S = 600
MOST_NONCES = 100
FORM_LIMIT_BYTES = 4 * 1024
_PAGES = files("st_bme.web") / "pages"
_GAP = re.compile(r"\{\{(\w+)\}\}")

# The form's POST must carry our origin, which `no-referrer` would turn into "null".
_PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    ),
    "Referrer-Policy": "same-origin",
}


class AllowPage:
    """`GET /allow?origin=…` asks, `POST /allow` answers. A nonce ties an answer to the question that was shown."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        self._asked: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_get("/allow", self._ask, allow_head=False)
        router.add_post("/allow", self._answer)
        router.add_get("/pages/allow.css", _file("allow.css", "text/css"), allow_head=False)
        router.add_get("/pages/allow.js", _file("allow.js", "text/javascript"), allow_head=False)

    async def _ask(self, request: web.Request) -> web.Response:
        _check_is_here(request)
        origin = request.query.get("origin", "")
        _check_origin(origin)
        nonce = secrets.token_urlsafe(16)
        self._asked[nonce] = (origin, time.monotonic())
        while len(self._asked) > MOST_NONCES:
            self._asked.popitem(last=False)
        return _page("allow.html", _language(request), origin, nonce)

    async def _answer(self, request: web.Request) -> web.Response:
        """Only our own page may answer: a form of another one carries another Origin, and knows no nonce."""
        _check_is_here(request)
        if request.headers.get(hdrs.ORIGIN) != own_origin(request):
            raise OriginRefused("only the server's own page can allow an address; press the button there")
        if request.content_type != "application/x-www-form-urlencoded":
            raise BadRequest("press the button on the page that asks")
        form = parse_qs((await read_body(request, FORM_LIMIT_BYTES)).decode("ascii", "replace"))
        nonce = form.get("nonce", [""])[0]
        origin, asked_s = self._asked.pop(nonce, ("", float("-inf")))
        if time.monotonic() - asked_s > NONCE_VALID_S:
            raise BadRequest("this question is too old; open the page again and press the button there")
        self._pairing.allow(origin)
        return _page("allowed.html", _language(request), origin)


def is_on_this_machine(request: web.Request) -> bool:
    """Whether the caller's own address is a loopback one. What a header says of it is never believed."""
    try:
        return request.remote is not None and ip_address(request.remote).is_loopback
    except ValueError:
        return False


def _check_is_here(request: web.Request) -> None:
    """On a server that others can reach, only someone at this machine may allow."""
    if not (is_on_this_machine(request) and is_loopback_host(request)):
        raise OriginRefused("open this page on the machine that the server runs on, or type the code of its console")


def _check_origin(origin: str) -> None:
    if origin and not is_exact_origin(origin):
        raise BadRequest("origin must be scheme, host and port of a page, as in http://127.0.0.1:8001")


def _language(request: web.Request) -> Language:
    return language_of(request.query.get("language", ""), request.headers.get(hdrs.ACCEPT_LANGUAGE, ""))


def _page(name: str, language: Language, origin: str, nonce: str = "") -> web.Response:
    texts = json.loads((_PAGES / "texts.json").read_text(encoding="utf-8"))
    other = next(each for each in LANGUAGES if each != language)
    values = texts[language] | {
        "language": language,
        "origin": origin or texts[language]["no_origin"],
        "nonce": nonce,
        "other_language": other,
        "other_name": texts[other]["name"],
        "other_page": "/allow?" + urlencode({"origin": origin, "language": other}),
    }
    page = (_PAGES / name).read_text(encoding="utf-8")
    text = _GAP.sub(lambda gap: html.escape(values[gap[1]]), page)
    return web.Response(text=text, content_type="text/html", headers=_PAGE_HEADERS)


def _file(name: str, content_type: str) -> Handler:
    async def handle(_: web.Request) -> web.StreamResponse:
        return web.Response(text=(_PAGES / name).read_text(encoding="utf-8"), content_type=content_type)

    return handle
