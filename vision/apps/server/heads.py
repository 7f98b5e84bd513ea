"""HEAD: what GET would answer, without its body."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["AnswerHeads"]


class AnswerHeads:
    """Answers HEAD wherever GET is answered; what tells events as they come ends at once."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, a HEAD as a GET of which only the beginning is sent."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        has_begun = False

        async def send_beginning(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                has_begun = True

        async def receive_until_begun() -> Message:
            return {"type": "http.disconnect"} if has_begun else await receive()

        await self.app({**scope, "method": "GET"}, receive_until_begun, send_beginning)
