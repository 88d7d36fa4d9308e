"""Name runs so that they can be told apart, by their tags or by their files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from stdeval.commands.messages import warn
from stdeval.errors import InputError
from stdeval.files import display_name, plain_name
from stdeval.run_scores import RunScores
from stdeval.trec import Run


def warn_of_changed_tag(name: str, run: RunScores | Run) -> None:
    """Warn of a run in which the tag changes; `name` is the name of its file."""
    if run.other_tag is not None:
        other, line = run.other_tag
        warn(f"{name}:{line}: the run tag changes from '{run.tag[:40]}' to '{other[:40]}', the first is used")


def refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice."""
    repeated = next((path for path, n in Counter(paths).items() if n > 1), None)
    if repeated is not None:
        raise InputError("given twice, expected each run once", repeated)


def run_names(tags: Sequence[str], paths: Sequence[str], label: str) -> list[str]:
    """Return names of runs, see `names_of_runs`, and warn of shared tags."""
    warn_of_shared_tags(tags, label)
    return names_of_runs(tags, paths, label)


def names_of_runs(tags: Sequence[str], paths: Sequence[str], label: str) -> list[str]:
    """Return names of runs, all different: their tags, or their files if ``label`` says so or tags are shared."""
    file_names, n_runs = _file_names([display_name(path) for path in paths]), Counter(tags)
    by_file = label == "file"
    return [name if by_file or n_runs[tag] > 1 else tag for tag, name in zip(tags, file_names, strict=True)]


def warn_of_shared_tags(tags: Sequence[str], label: str) -> None:
    """Warn of tags that several runs share, since these runs are named by their files."""
    shared = [(tag, n) for tag, n in Counter(tags).items() if n > 1]
    if shared and label != "file":
        tag, n = shared[0]
        more = f" (and {len(shared) - 1} more tags are shared)" if len(shared) > 1 else ""
        warn(f"{n} runs have the tag '{tag[:60]}'{more}: they are named by their files")


def _file_names(paths: Sequence[str]) -> list[str]:
    """File names without the ending of a compressed file; whole paths for names that would be the same."""
    names = [os.path.basename(path) for path in paths]
    bare = [plain_name(name) for name in names]
    counts = Counter(bare)
    return [path if counts[name] > 1 else name for path, name in zip(paths, bare, strict=True)]
