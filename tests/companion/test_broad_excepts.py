"""Where everything may be caught: in these few places, each for a reason of its own."""

import ast
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
ALLOWED = {
    "companion/turns/worker.py": ("_guarded",),  # whatever one event does, the next ones go on
    "companion/tasks.py": ("failure_of",),  # the same for an update, a send, a piece of work
    "companion/cli/main.py": ("main",),  # nobody is shown a traceback
    "companion/local/sources.py": ("run",),  # carried over to the caller's thread
    "companion/local/server.py": ("_start",),  # the process that was started ends with it
    "companion/storage/migrate.py": ("_run",),  # rolled back, and raised again
    "companion/storage/database.py": (  # given to whoever waits for the database's threads
        *("_read_what_waits", "_commit_what_waits", "_run_alone", "_query"),
        *("_commit", "_run_in_savepoint"),
    ),
}
BROAD = ("Exception", "BaseException")


def broad_excepts(source: str) -> list[str]:
    """The functions in which everything is caught, one for each handler, in order."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.ExceptHandler) and _is_broad(inner.type):
                found.append((inner.lineno, node.name))
    return [name for _, name in sorted(dict(found).items())]


def _is_broad(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(name, ast.Name) and name.id in BROAD for name in names)


def test_everything_is_caught_in_the_known_places_only() -> None:
    found = {
        str(file.relative_to(REPOSITORY)): tuple(names)
        for folder in ("companion", "adapters")
        for file in sorted((REPOSITORY / folder).rglob("*.py"))
        if (names := broad_excepts(file.read_text(encoding="utf-8")))
    }
    assert found == ALLOWED


def test_a_broad_except_is_noticed_however_it_is_written() -> None:
    for caught in ("", " Exception", " BaseException as error", " (ValueError, Exception)"):
        assert broad_excepts(f"def f():\n    try: g()\n    except{caught}: pass") == ["f"]
    assert broad_excepts("def f():\n    try: g()\n    except ValueError: pass") == []
