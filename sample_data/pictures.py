"""Make the pictures of the README from the data in this folder: `python sample_data/pictures.py [FOLDER]`."""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent
MADE_WITH = "3.11.2"
"""The version of matplotlib that made the pictures in this folder; it makes exactly the same ones again."""

REFERENCES = sorted(f"references/{path.name}" for path in (SAMPLE / "references").glob("*.run.gz"))
EVEN = "even.csv"
"""The scores of an imaginary run that has the same score on every topic."""
EVEN_SCORE = 0.7
ROUND5 = "trec-covid/round5.csv"
PICTURES = {
    "mapping.png": [
        *("mapping", "-F", ROUND5, "-m", "nDCG@10", "--scheme", "n", "--size", "110x75"),
        *("--scores", EVEN),
    ],
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


def even_scores() -> str:
    """Return a CSV of the same score on each topic of TREC-COVID round 5."""
    with (SAMPLE / ROUND5).open(newline="", encoding="utf-8") as file:
        topics = [row["topic"] for row in csv.DictReader(file)]
    return "run,topic,ndcg_cut_10\n" + "".join(f"even,{topic},{EVEN_SCORE}\n" for topic in topics)


def make(folder: Path) -> None:
    """Write the pictures to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        even = Path(made, EVEN)
        even.write_text(even_scores(), encoding="utf-8")
        for name, arguments in PICTURES.items():
            words = [str(even) if word == EVEN else word for word in arguments]
            command = [sys.executable, "-m", "stdeval", "plot", *words, "--dpi", "160", "-o", str(folder / name)]
            subprocess.run(command, check=True, cwd=SAMPLE)


if __name__ == "__main__":
    make(Path(sys.argv[1] if len(sys.argv) > 1 else SAMPLE / "pictures").resolve())
