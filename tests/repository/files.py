"""The repository's own files: what version control would hold, without caches, environments and reports."""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {".git", ".venv", "__pycache__", "node_modules", "htmlcov", "build", "dist"}


def is_ours(path: Path) -> bool:
    if path.is_dir():
        hides = path.name.startswith(".") and path.name != ".ci"
        return not hides and path.name not in NOT_OURS and not path.name.endswith(".egg-info")
    # A worktree's .git is a file; coverage leaves its measurements beside the programs.
    return path.name not in {".git", ".DS_Store"} and not path.name.startswith(".coverage") and path.suffix != ".pyc"


def walk(folder: Path = ROOT) -> Iterator[Path]:
    """Every file below, in order of name."""
    for path in sorted(folder.iterdir()):
        if not is_ours(path):
            continue
        if path.is_dir():
            yield from walk(path)
        else:
            yield path


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
