"""Small files of every format, all of them right, for commands to read and for mutations to begin with."""

from __future__ import annotations

from pathlib import Path

TOPICS = (1, 2, 10)


def _lines(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _run(tag: str, docs: tuple[int, ...]) -> bytes:
    return _lines([f"{t} Q0 d{d} {r} {9.5 - r:.2f} {tag}" for t in TOPICS for r, d in enumerate(docs, 1)])


def _scores(shift: int) -> bytes:
    rows = [
        f"{name},{t},{(i + t + shift) / 20:.4f},{(i * t + shift) % 10 / 10:.1f},4"
        for i, name in enumerate("abc")
        for t in TOPICS
    ]
    return _lines(["run,topic,map,P_10,num_ret", *rows])


_PRINTED = [f"{m:<22}\t{t}\t{t / 20:.4f}" for t in TOPICS for m in ("map", "P_10")] + [f"{'map':<22}\tall\t0.2000"]

GOOD: dict[str, bytes] = {
    "qrels": _lines([f"{t} 0 d{d} {t * d % 3}" for t in TOPICS for d in range(1, 6)]),
    "run": _run("tag", (3, 1, 8, 2)),
    "run2": _run("tag2", (1, 4, 3, 5)),
    "scores": _scores(0),
    "scores2": _scores(3),
    "factors": _lines(
        [
            "topic,n,map.mean,map.sd,P_10.mean,P_10.sd",
            *(f"{t},12,{t / 30:.4f},{t / 100:.4f},0.5,0.25" for t in TOPICS),
        ]
    ),
    "zscores": _lines([f"{t}\t{m}\t{t / 30:.4f}\t{t / 100 + 0.05:.4f}" for t in TOPICS for m in ("map", "P_10")]),
    "matrix": _lines(["topic,a,b,c", *(f"{t},{t / 11:.2f},0.5,{t / 13:.3f}" for t in TOPICS)]),
    "means": _lines(["topic,AP,P@10,RBP.8", *(f"{t},{t / 11:.2f},0.5,{t / 13:.3f}" for t in TOPICS)]),
    "sds": _lines(["topic,AP,P@10,RBP.8", *(f"{t},{t / 31:.2f},0.25,{t / 33:.3f}" for t in TOPICS)]),
    "printed": _lines([f"{'runid':<22}\tall\ta", *_PRINTED, f"{'runid':<22}\tall\tb", *_PRINTED]),
    "power": _lines(["measure,form,scheme,alpha,power", "map,map,raw,0.01,0.5", "map,map,raw,0.05,0.6"]),
}


def write_good_files(folder: Path) -> dict[str, Path]:
    """Write all of them into a folder, and return their paths."""
    paths = {name: folder / name for name in GOOD}
    for name, path in paths.items():
        path.write_bytes(GOOD[name])
    return paths
