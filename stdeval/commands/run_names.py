"""Name runs so that they can be told apart, by their tags or by their files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from stdeval import notices
from stdeval.display import excerpt
from stdeval.errors import InputError, warn
from stdeval.files import display_name, plain_name


def refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice, also if it is spelled otherwise: ``a.run`` and ``./a.run``."""
    n_files = Counter(map(os.path.abspath, paths))
    repeated = next((path for path in reversed(paths) if n_files[os.path.abspath(path)] > 1), None)
    if repeated is not None:
        raise InputError("given twice, expected each run once", repeated)


def run_names(tags: Sequence[str], paths: Sequence[str], label: str) -> list[str]:
    """Return names of runs, see `names_of_runs`, and warn of shared tags."""
    warn_of_shared_tags(tags, label)
    return names_of_runs(tags, paths, label)


def names_of_runs(tags: Sequence[str], paths: Sequence[str], label: str) -> list[str]:
    """Return names of runs, all different: their tags, or their files if ``label`` says so or tags are shared.

    Raises
    ------
    InputError
        If the file of a run with a shared tag has the name of another run's tag.
    """
    names = names_in_warnings(tags, paths, label)
    if label != "file":
        _refuse_ambiguous(names, tags, paths)
    return names


def names_in_warnings(tags: Sequence[str], paths: Sequence[str], label: str) -> list[str]:
    """Return the names of `names_of_runs`, but do not refuse ambiguous ones."""
    file_names = _file_names([display_name(path) for path in paths])
    if label == "file":
        return file_names
    n_runs = Counter(tags)
    return [name if n_runs[tag] > 1 else tag for tag, name in zip(tags, file_names, strict=True)]


def _refuse_ambiguous(names: Sequence[str], tags: Sequence[str], paths: Sequence[str]) -> None:
    """Refuse a name that is the tag of one run, and the file of another run whose tag is shared."""
    n_named = Counter(names)
    for name, tag, path in zip(names, tags, paths, strict=True):
        if name == tag and n_named[name] > 1:
            found = f"the tag '{excerpt(tag)}' is also the name of another run's file, whose tag is shared"
            raise InputError(
                f"{found}, expected names that differ: '--label file' names runs by files", display_name(path)
            )


def warn_of_shared_tags(tags: Sequence[str], label: str) -> None:
    """Warn of tags that several runs share, since these runs are named by their files."""
    n_runs = Counter(tags)
    shared = [tag for tag, n in n_runs.items() if n > 1] if label != "file" else []
    warn(notices.shared_tags(shared, n_runs[shared[0]] if shared else 0))


def _file_names(paths: Sequence[str]) -> list[str]:
    """File names without the ending of a compressed file; whole paths for names that would be the same."""
    names = [os.path.basename(path) for path in paths]
    bare = [plain_name(name) for name in names]
    counts = Counter(bare)
    return [path if counts[name] > 1 else name for path, name in zip(paths, bare, strict=True)]
