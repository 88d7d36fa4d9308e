"""Make the pictures of the README from the simulated track: `python sample_data/pictures.py [FOLDER]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent
MADE_WITH = "3.11.2"
"""The version of matplotlib that made the pictures in this folder; it makes exactly the same ones again."""

REFERENCES = sorted(f"references/{path.name}" for path in (SAMPLE / "references").glob("*.run.gz"))
PICTURES = {
    "heatmap.png": ["heatmap", "qrels.gz", *REFERENCES],
    "topics.png": ["topics", "--scheme", "raw", "--scheme", "n", "qrels.gz", *REFERENCES],
    "compare.png": [
        "compare",
        "-F",
        "factors.csv",
        "--baseline",
        "new-b",
        "qrels.gz",
        "new-a.run.gz",
        "new-b.run.gz",
    ],
}


def make(folder: Path) -> None:
    """Write the pictures to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, arguments in PICTURES.items():
        command = [sys.executable, "-m", "stdeval", "plot", *arguments, "--dpi", "160", "-o", str(folder / name)]
        subprocess.run(command, check=True, cwd=SAMPLE)


if __name__ == "__main__":
    make(Path(sys.argv[1] if len(sys.argv) > 1 else SAMPLE / "pictures").resolve())
