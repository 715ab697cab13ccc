"""Text that every database and every server takes."""


def clean(text: str) -> str:
    """`text` without NUL; halves of surrogate pairs are joined, or replaced where alone."""
    text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def utf8(text: str) -> bytes:
    """`text` in UTF-8, whatever is in it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return clean(text).encode()
