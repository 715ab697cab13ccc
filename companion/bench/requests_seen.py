"""The requests that the scripted server has had."""

import urllib.request


def seen(server: str) -> list[bytes]:
    """The bodies since the last time, oldest first."""
    with urllib.request.urlopen(f"{server}/seen", timeout=30) as response:  # noqa: S310 - loopback
        data = response.read()
    bodies = []
    while data:
        length, _, rest = data.partition(b"\n")
        bodies.append(rest[: int(length)])
        data = rest[int(length) :]
    return bodies
