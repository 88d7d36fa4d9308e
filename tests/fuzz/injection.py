"""Names that mean something in HTML, SVG, LaTeX, XML or CSV, or to a terminal, as names of runs, topics and measures."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from random import Random

from .outcome import problem, run

SCRIPT = "document.title='changed'"
PAYLOADS = (
    *(
        f"{start}<script>{SCRIPT}</script>"
        for start in ("", '">', "'>", "</title>", "</style>", "</script>", "-->", "]]>")
    ),
    *(
        f"<img src=x onerror={SCRIPT}>",
        f'" onmouseover="{SCRIPT}" x="',
        f"<svg/onload={SCRIPT}>",
        "<base href=//x>",
    ),
    *(
        "<!--",
        "-->",
        "</style>",
        "<style>",
        "&lt;script&gt;",
        "&#60;b&#62;",
        "javascript:alert(1)",
        "<iframe srcdoc='x'>",
    ),
    *(
        "$\\frac{1}{0",
        "$$",
        "a$b$c",
        "{{7*7}}",
        "${7*7}",
        "%s%n%d",
        "{0}{name}",
        "\\input{/etc/passwd}",
        "\\write18{id}",
    ),
    *("^^5cinput", "[optional]", "*", "~^_#&%", "=cmd|'/c calc'!A1", "+1+1", "-1", "@SUM(1)"),
    *("\x1b[31mred", "\x1b]0;title\x07", "\x9b31m", "\u202eevil", "\u200b", "a\u2028b", "日本語", "😀", "\udcff"),
    *('id="x"', 'href="#x', "url(#x)", "a\tb", "a'b\"c", "../../etc/passwd", "x" * 300, "all", "all.gm", "nan"),
)
PLACES = ("run", "topic", "measure")
MACROS = set("begin end toprule midrule bottomrule textbf dagger ddagger".split()) | {
    f"text{name}" for name in ("asciitilde", "asciicircum", "backslash", "less", "greater", "bar", "quotedbl")
}
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Shape(HTMLParser):
    """The elements of a page, the attributes that they have, and the addresses in these."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[tuple[str, str]] = set()
        self.addresses: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {(tag, name) for name, _ in attrs}
        addresses = ("src", "href", "action", "srcdoc", "data")
        self.addresses |= {value or "" for name, value in attrs if name.split(":")[-1] in addresses}


def _scores_file(folder: Path, name: str, place: str) -> Path:
    """Write scores of three runs on five topics, one of which, or the measure, has the name."""
    runs = [name if place == "run" else "one", "other", "third"]
    topics = [name if place == "topic" else "0", "1", "2", "3", "4"]
    path = folder / "scores.csv"
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["run", "topic", name if place == "measure" else "map", "P_10"])
        for i, system in enumerate(runs):
            writer.writerows(
                [system, topic, (i * 7 + t * 3) % 10 / 10, (i + t) / 10] for t, topic in enumerate(topics)
            )
    return path


@cache
def _harmless(folder: Path, place: str) -> Shape:
    page = run(["report", "--scores", _scores_file(folder, "harmless", place)]).stdout
    return Shape(page.decode())


def _in_html(folder: Path, name: str, place: str) -> str:
    expected = _harmless(folder, place)
    path = _scores_file(folder, name, place)
    done = run(["report", "--baseline", "other", "--title", name, "--date", name, "--scores", path])
    if done.status:
        return ""
    page = done.stdout.decode("utf-8", "surrogateescape")
    shape = Shape(page)
    strange = {
        "elements": set(shape.tags) - set(expected.tags),
        "scripts": shape.tags.count("script") != expected.tags.count("script"),
        "handlers": {name for _, name in shape.attributes if name.startswith("on")},
        "addresses": {each for each in shape.addresses if not each.startswith(("#", "data:"))},
        "control characters": CONTROL.findall(page),
        "bytes that are not UTF-8": "\udcff" in page,
    }
    return ", ".join(f"{what} in the report: {found}" for what, found in strange.items() if found)


def _in_latex(folder: Path, name: str, place: str) -> str:
    path = _scores_file(folder, name, place)
    text = run(["compare", "-f", "latex", "--baseline", "other", "--scores", path]).stdout
    latex = text.decode("utf-8", "surrogateescape")
    strange = {
        "macros": set(re.findall(r"\\([A-Za-z]+)", latex)) - MACROS,
        "an argument after the end of a row": re.findall(r"\\\\\n\s*[\[*]|rule\n\s*\[", latex),
        "^^": "^^" in latex,
        "unprintable characters": [each for each in latex if not each.isprintable() and each != "\n"],
    }
    return ", ".join(f"{what} in LaTeX: {found}" for what, found in strange.items() if found)


def _in_junit(folder: Path, name: str, place: str) -> str:
    path, junit = _scores_file(folder, name, place), folder / "junit.xml"
    junit.unlink(missing_ok=True)
    condition = f"{name if place == 'measure' else 'map'}=0.9"
    done = run(["check", "--junit", junit, "--min", condition, "--scores", path])
    return problem(done, "check") or (_xml_error(junit, "JUnit XML") if done.status != 2 else "")


def _in_svg(folder: Path, name: str, place: str) -> str:
    path, picture = _scores_file(folder, name, place), folder / "means.svg"
    done = run(["plot", "means", "--title", name, "-o", picture, "--scores", path])
    return problem(done) or (_xml_error(picture, "SVG") if done.status == 0 else "")


def _xml_error(path: Path, kind: str) -> str:
    try:
        tags = {each.tag.split("}")[-1] for each in ET.parse(path).iter()}
    except (ET.ParseError, OSError) as error:
        return f"{kind}: {error}"
    return f"{kind} with a script" if tags & {"script", "foreignObject", "iframe"} else ""


def _in_text(folder: Path, name: str, place: str) -> str:
    path = _scores_file(folder, name, place)
    for style in ("text", "table", "csv"):
        done = run(["eval", "-q", "-f", style, "--scores", path])
        if problem(done):
            return problem(done)
        if style == "table" and CONTROL.search(done.stdout.decode("utf-8", "surrogateescape")):
            return "control characters in a table"
        if style == "csv" and done.status == 0 and place != "measure":
            rows = csv.reader(io.StringIO(done.stdout.decode("utf-8", "surrogateescape"), newline=""))
            if not any(name in row[:2] for row in rows) and name[:3] != "all":
                return "the name does not come back from CSV"
    twice = path.read_bytes()
    path.write_bytes(twice + twice.split(b"\n", 1)[1])
    return problem(run(["eval", "--scores", path]))


CHECKS = (_in_html, _in_latex, _in_junit, _in_svg, _in_text)


def case(rng: Random, folder: Path) -> str:
    """Write one kind of output with one name in one place."""
    check, name, place = rng.choice(CHECKS), rng.choice(PAYLOADS), rng.choice(PLACES)
    wrong = check(folder, name, place)
    return f"{place} {name!a}: {wrong}" if wrong else ""
