"""Text with formatting, as Telegram has it: plain text, and what applies to which part of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from telegram import MessageEntity


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What applies from `start` to `end`, in code points. `kind` is Telegram's word for it."""

    start: int
    end: int
    kind: str
    url: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Rich:
    """A text and its spans, of which any two are apart or one in the other."""

    text: str
    spans: tuple[Span, ...] = ()

    def part(self, start: int, end: int) -> "Rich":
        """What lies from `start` to `end`. A span that reaches out is cut, and keeps its kind."""
        spans = [
            replace(span, start=max(span.start, start) - start, end=min(span.end, end) - start)
            for span in self.spans
            if span.start < end and span.end > start
        ]
        return Rich(self.text[start:end], tuple(spans))

    def entities(self) -> Sequence[MessageEntity]:
        """The spans as the Bot API takes them: in UTF-16 units."""
        entities = [
            MessageEntity(
                type=span.kind,
                offset=span.start,
                length=span.end - span.start,
                url=span.url,
                language=span.language,
            )
            for span in self.spans
        ]
        return MessageEntity.adjust_message_entities_to_utf_16(self.text, entities)
