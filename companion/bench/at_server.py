"""What the scripted server tells of itself."""

import urllib.request


def seen(server: str) -> list[bytes]:
    """The bodies of the requests since the last time, oldest first."""
    data = _get(f"{server}/seen")
    bodies = []
    while data:
        length, _, rest = data.partition(b"\n")
        bodies.append(rest[: int(length)])
        data = rest[int(length) :]
    return bodies


def cpu_of(server: str) -> float:
    """Seconds of CPU that it has taken."""
    return float(_get(f"{server}/cpu"))


def _get(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=30) as response:  # noqa: S310 - loopback
        data: bytes = response.read()
    return data
