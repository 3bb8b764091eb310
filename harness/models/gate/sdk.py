"""Connection through a provider's official SDK.

It never retries: a refusal is returned like any other response.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2


def client_options(sdk: ModuleType, key: str, url: str, http: Mapping[str, Any]) -> dict[str, Any]:
    """Make the constructor arguments of an SDK's client: key, URL, timeout, an aiohttp transport and no retries."""
    return {
        "api_key": key,
        "base_url": url,
        "timeout": http["timeout"],
        "max_retries": 0,
        "http_client": sdk.DefaultAioHttpClient(**http),
    }


class Sdk:
    """A connection that wraps an SDK's asynchronous client."""

    def __init__(self, sdk: ModuleType, client: Any, options: Mapping[str, Any]) -> None:
        self._sdk, self._client, self._options = sdk, client, options

    async def post(self, path: str, content: bytes, headers: Mapping[str, str]) -> httpx2.Response:
        """Send one POST; an HTTP error is returned as a response, a lost connection raised as an httpx2 error."""
        import httpx2  # noqa: PLC0415 - heavy

        try:
            response: httpx2.Response = await self._client.post(
                path,
                cast_to=httpx2.Response,
                content=content,
                options={"max_retries": 0, "headers": dict(headers), **self._options},
                stream=True,
                stream_cls=self._sdk.AsyncStream[Any],
            )
        except self._sdk.APIStatusError as bad:
            refused: httpx2.Response = bad.response
            return refused
        except self._sdk.APIConnectionError as bad:
            cause = bad.__cause__
            raise cause if isinstance(cause, httpx2.RequestError) else httpx2.NetworkError(repr(cause)) from None
        return response

    async def close(self) -> None:
        """Close the client's connections."""
        await self._client.close()
