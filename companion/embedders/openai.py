"""An embedding model behind any endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from companion.embedders.protocol import Matrix, normalised
from companion.errors import EmbedderUnavailableError

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from pydantic import SecretStr

logger = logging.getLogger(__name__)

OPENAI_URL = "https://api.openai.com/v1"
LONGEST = 6000
"""Characters of a text that are sent: in any script under the usual limit of 8,192 tokens."""
PATIENCE_SECONDS = 30.0
RETRIES = 1
"""Of the SDK's. Whoever makes vectors in the background tries again later on its own."""


class OpenAIEmbedder:
    """Asks one model at one endpoint.

    A text that the endpoint refuses alone gets no vector, so that it cannot hold up the others.
    """

    trust = 0.45

    def __init__(
        self, model: str, *, base_url: str | None = None, api_key: SecretStr | None = None
    ) -> None:
        """`base_url` None is OpenAI's own. Many servers of one's own need no key."""
        self._model = model
        self._base_url = base_url or OPENAI_URL
        self._api_key = api_key
        self._client: AsyncOpenAI | None = None

    @property
    def name(self) -> str:
        url = urlsplit(self._base_url)
        return f"{self._model} at {url.netloc.rpartition('@')[2]}{url.path.rstrip('/')}"

    async def embed(self, texts: Sequence[str], *, as_query: bool = False) -> Matrix:
        rows = await self._rows([text[:LONGEST] or " " for text in texts])
        size = next((len(row) for row in rows if row), 0)
        if not size:
            raise EmbedderUnavailableError(f"{self.name} gives no vector for these texts.")
        try:
            vectors = np.array([row or [0.0] * size for row in rows], np.float32)
        except (TypeError, ValueError) as error:
            raise EmbedderUnavailableError(f"{self.name} answers with no vectors.") from error
        return normalised(np.nan_to_num(vectors, nan=0, posinf=0, neginf=0))

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _rows(self, texts: list[str]) -> list[list[float] | None]:
        """A vector for each text; None for one that the endpoint refuses."""
        import openai

        client = self._connected()
        try:
            answer = await client.embeddings.create(
                model=self._model, input=texts, encoding_format="float"
            )
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if len(texts) == 1:
                logger.warning("%s refuses a text: %d", self.name, error.status_code)
                return [None]
            middle = len(texts) // 2
            return await self._rows(texts[:middle]) + await self._rows(texts[middle:])
        except openai.APIStatusError as error:
            raise EmbedderUnavailableError(f"{self.name} answers {error.status_code}.") from error
        except openai.OpenAIError as error:
            raise EmbedderUnavailableError(f"{self.name} cannot be reached.") from error
        except ValueError as error:  # the SDK lets the JSON parser's own error through
            raise EmbedderUnavailableError(f"{self.name} answers with no JSON.") from error
        # The SDK checks nothing of what a server of one's own sends.
        data = getattr(answer, "data", None) or []
        if len(data) != len(texts):
            raise EmbedderUnavailableError(f"{self.name} answers with the wrong number of vectors.")
        return [item.embedding for item in data]

    def _connected(self) -> AsyncOpenAI:
        # The SDK takes seconds and 30 MB to import, so only who configured it pays for it.
        from openai import AsyncOpenAI

        if self._client is None:
            self._client = AsyncOpenAI(
                base_url=self._base_url,
                api_key=self._api_key.get_secret_value() if self._api_key else "none",
                timeout=PATIENCE_SECONDS,
                max_retries=RETRIES,
            )
        return self._client
