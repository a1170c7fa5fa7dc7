"""A way to the memory server that can be made slow, and that knows what came through."""

import asyncio
import contextlib


class Door:
    """Passes bytes on between its own port and the server's. What comes in waits for `delay_s`, answers do not."""

    def __init__(self, port: int, server_port: int) -> None:
        self.delay_s = 0.0
        self.bytes_in = 0
        self._port = port
        self._server_port = server_port
        self._listening: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        self._listening = await asyncio.start_server(self._let_in, "127.0.0.1", self._port)

    async def stop(self) -> None:
        if self._listening is not None:
            self._listening.close()
            for writer in self._open:
                writer.close()
            await self._listening.wait_closed()

    async def _let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        except ConnectionError:
            writer.close()
            return
        self._open |= {writer, server_writer}
        await asyncio.gather(self._pass_late(reader, server_writer), self._pass(server_reader, writer))
        self._open -= {writer, server_writer}

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(65536):
                writer.write(piece)
                await writer.drain()
        writer.close()

    async def _pass_late(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Each piece goes out `delay_s` after it came, so that a request in two pieces waits once."""
        loop = asyncio.get_running_loop()
        due: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def send() -> None:
            while True:
                at, piece = await due.get()
                await asyncio.sleep(at - loop.time())
                writer.write(piece)

        sending = asyncio.create_task(send())
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(65536):
                self.bytes_in += len(piece)
                due.put_nowait((loop.time() + self.delay_s, piece))
        sending.cancel()
        writer.close()
