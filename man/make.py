"""Generate the manual pages from the commands: ``python man/make.py``.

In the page of a command, NAME, SYNOPSIS and DESCRIPTION come from click, in the words of ``--help``. Others, such
as EXAMPLES, are written by hand in ``sections/PAGE.mdoc``; a section of ``sections/common.mdoc`` is in the
page of every command that has none of that name itself. A new command needs its ``sections/stdeval-COMMAND.mdoc``
and nothing else.

The pages of sections 5 and 7 are written by hand in ``topics/PAGE.SECTION.mdoc``; the list of measures is added
where one of them asks for it.

mandoc makes the texts that ``stdeval help`` prints, ``text/PAGE.SECTION.txt``.
"""

from __future__ import annotations

import calendar
import datetime
import inspect
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click

from stdeval import __version__
from stdeval.commands import cli
from stdeval.measures.names import families

MAN = Path(__file__).resolve().parent
SECTIONS = MAN / "sections"
TOPICS = MAN / "topics"

_RELEASE = re.compile(r"^## \[[0-9.]+\] - (\S+)$", flags=re.MULTILINE)
"""A release of the changelog, with its date; the first is the last one."""

_LIST_OF_MEASURES = ".Em LIST OF MEASURES"
"""The line of a page that the list of measures replaces."""

# mdoc(7) prescribes the order of sections
_ORDER = ("ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "DIAGNOSTICS", "SEE ALSO")


def pages(root: click.Group = cli, name: str = "stdeval", sections: Path = SECTIONS) -> dict[str, str]:
    """Return the pages of a command and of its subcommands, in mdoc, by file name, such as ``stdeval-eval.1``."""
    top = _context(root, name)
    return {f"{_page_name(context)}.1": _page(context, sections) for context in (top, *_subcommands(top))}


def topics(folder: Path = TOPICS) -> dict[str, str]:
    """Return the pages that are not about a command; their files have the descriptions after their names first."""
    found = {}
    for path in sorted(folder.glob("*.mdoc")):
        name, section = path.stem.rsplit(".", 1)
        description, body = path.read_text(encoding="utf-8").split("\n", 1)
        lines = [*_head(name, section), description, body.rstrip("\n")]
        found[path.stem] = "\n".join(lines).replace(_LIST_OF_MEASURES, "\n".join(_measures()), 1) + "\n"
    return found


def _measures() -> Iterator[str]:
    yield ".Bl -tag -width Ds"
    for family in families().values():
        yield f".It Li {_escaped(family.form)}"
        yield _escaped(f"{family.definition}.")
        yield _escaped(f"Range: {family.range}.")
        if family.spellings:
            yield "Also"
            yield f".Ql {_escaped(' , '.join(family.spellings))} ."
        yield _escaped(f"({family.source})")
    yield ".El"


def _head(name: str, section: str) -> list[str]:
    """Return the first lines of a page, up to its name."""
    return [
        f".Dd {_date()}",
        f".Dt {name.upper()} {section}",
        f".Os stdeval {__version__}",
        ".Sh NAME",
        f".Nm {name}",
    ]


def _date() -> str:
    """Return the date of the last release, as mdoc has dates."""
    (released, *_) = _RELEASE.findall((MAN.parent / "CHANGELOG.md").read_text(encoding="utf-8"))
    date = datetime.date.fromisoformat(released)
    return f"{calendar.month_name[date.month]} {date.day}, {date.year}"


def _context(command: click.Command, name: str, parent: click.Context | None = None) -> click.Context:
    return click.Context(command, info_name=name, parent=parent, **command.context_settings)


def _subcommands(context: click.Context) -> list[click.Context]:
    group = context.command
    if not isinstance(group, click.Group):
        return []
    commands = ((name, group.get_command(context, name)) for name in group.list_commands(context))
    return [_context(command, name, context) for name, command in commands if command and not command.hidden]


def _page_name(context: click.Context) -> str:
    return context.command_path.replace(" ", "-")


def _page(context: click.Context, sections: Path) -> str:
    name = _page_name(context)
    short = context.command.get_short_help_str(limit=1000).rstrip(".")
    lines = [
        *_head(name, "1"),
        f".Nd {_macro_words(short[:1].lower() + short[1:])}",
        ".Sh SYNOPSIS",
        *_synopsis(context),
        ".Sh DESCRIPTION",
        *_description(context),
        *_handwritten(name, sections),
    ]
    return "\n".join(lines) + "\n"


def _synopsis(context: click.Context) -> Iterator[str]:
    """Yield the usage of a command; for a group below the first, that of each of its subcommands."""
    if context.parent and isinstance(context.command, click.Group):
        for subcommand in _subcommands(context):
            yield from _synopsis(subcommand)
        return
    options = [
        param
        for param in context.command.get_params(context)
        if isinstance(param, click.Option) and not param.hidden and "--help" not in param.opts
    ]
    flags = [param for param in options if not _values(param, context)]
    # flags of one letter come first, as one group: [-cnq]
    letters = sorted((param.opts[0][1:] for param in flags if len(param.opts[0]) == 2), key=str.lower)
    yield f'.Nm "{context.command_path}"'
    if letters:
        yield f".Op Fl {''.join(letters)}"
    for param in options:
        if param not in flags or len(param.opts[0]) > 2:
            yield _option_in_synopsis(param, context)
    yield from (_argument(param) for param in context.command.params if isinstance(param, click.Argument))
    if isinstance(context.command, click.Group):
        yield from (".Ar COMMAND", ".Op Ar ARGUMENT ...")


def _option_in_synopsis(param: click.Option, context: click.Context) -> str:
    text = " ".join([_flag(param.opts[0]), *_values(param, context)])
    if param.multiple:
        return f".Oo {text} Oc Ns ..."
    return f".{text}" if param.required else f".Op {text}"


def _argument(param: click.Argument) -> str:
    text = param.metavar or param.human_readable_name
    words = " ".join(f"Ar {word}".replace("...", " ...") for word in text.strip("[]").split())
    return f".{words}" if param.required else f".Op {words}"


def _flag(option: str) -> str:
    """Return an option in mdoc, whose macro Fl writes the first hyphen."""
    return f"Fl {option[1:]}"


def _values(param: click.Parameter, context: click.Context) -> list[str]:
    """Return the values that an option takes, in mdoc; a flag has none."""
    # only click's help record has the metavar as --help shows it: "-m, --measure NAME" or "-x / -y"
    words = (param.get_help_record(context) or ("", ""))[0].split()
    values = [word for word in words if not word.startswith("-") and word != "/"]
    return ["Ar", _without_outer_brackets(" ".join(values)).replace("|", " | ")] if values else []


def _without_outer_brackets(text: str) -> str:
    """Return text without the brackets around all of it, if there are any; those around a part of it stay."""
    whole = re.fullmatch(r"\[([^\[\]]*)\]", text)
    return whole[1] if whole else text


def _description(context: click.Context) -> Iterator[str]:
    yield from _help(context.command)
    yield from _options(context)
    subcommands = _subcommands(context)
    if context.parent:
        for subcommand in subcommands:
            yield f".Ss {subcommand.command_path}"
            yield from _description(subcommand)
    elif subcommands:
        yield from (".Pp", "The commands are:", ".Bl -tag -width Ds")
        for subcommand in subcommands:
            yield f".It Xr {_page_name(subcommand)} 1"
            yield from _text(subcommand.command.get_short_help_str(limit=1000))
        yield ".El"


def _help(command: click.Command) -> Iterator[str]:
    """Yield the paragraphs of a command's help; one that click must not rewrap (backslash b) keeps its lines."""
    paragraphs = inspect.cleandoc(command.help or "").split("\f")[0].strip().split("\n\n")
    for i, paragraph in enumerate(paragraphs):
        if i:
            yield ".Pp"
        if paragraph.startswith("\b\n"):
            yield from (".Bd -literal -compact", *map(_escaped, paragraph.splitlines()[1:]), ".Ed")
        else:
            yield from _text(paragraph)


def _options(context: click.Context) -> Iterator[str]:
    yield from (".Pp", "The options are:", ".Bl -tag -width Ds")
    for param in context.command.get_params(context):
        record = param.get_help_record(context)
        if record is not None and isinstance(param, click.Option):
            names = " , ".join(map(_flag, [*sorted(param.opts, key=len), *param.secondary_opts]))
            yield " ".join([".It", names, *_values(param, context)])
            yield from _text(record[1])
    yield ".El"


def _text(text: str) -> Iterator[str]:
    """Yield the sentences of running text, each on a line of its own, as mdoc asks for."""
    for sentence in re.split(r"(?<=[.!?]) +(?=[A-Z])", " ".join(text.split())):
        yield _escaped(sentence)


def _escaped(line: str) -> str:
    """Return a line of text that mdoc prints as it stands."""
    # an escaped hyphen is printed as the ASCII one, so that options can be copied from the page
    line = re.sub(r"(?<![\w-])-(?=[\w-])|(?<=[ -])-(?=\w)", r"\\-", line.replace("\\", r"\e"))
    # a line that starts with a dot or an apostrophe would be a macro
    return rf"\&{line}" if line.startswith((".", "'")) else line


def _macro_words(text: str) -> str:
    """Return the arguments of a macro, with words that look like macros or delimiters protected."""
    return " ".join(rf"\&{word}" if re.fullmatch(r"[A-Z%][A-Za-z]\w?|\W", word) else word for word in text.split())


def _handwritten(name: str, sections: Path) -> Iterator[str]:
    """Yield the sections in the files of a page and of all pages; those that mdoc does not know come first."""
    bodies = _read_sections(sections / "common.mdoc") | _read_sections(sections / f"{name}.mdoc")
    for title in sorted(bodies, key=lambda title: _ORDER.index(title) if title in _ORDER else -1):
        yield from (f".Sh {title}", bodies[title])


def _read_sections(path: Path) -> dict[str, str]:
    """Return the sections of a file by title; a file that does not exist has none."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = re.split(r"^\.Sh (.+)\n", text, flags=re.MULTILINE)
    return {title: body.rstrip("\n") for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def as_text(page: str) -> str:
    """Return a page as mandoc shows it, without its first and its last line, which have the title and the date."""
    command = ["mandoc", "-Kutf-8", "-Tascii", "-O", "width=100"]
    shown = subprocess.run(command, input=page, capture_output=True, encoding="utf-8", check=True).stdout
    # bold letters are printed twice, and underlined ones after a line
    body = re.sub(".\b", "", shown).strip("\n").split("\n")[1:-1]
    return "\n".join(body).strip("\n") + "\n"


def write(folder: Path) -> None:
    """Write all pages into the folders of their sections, such as man1, and as text; remove what is of no page."""
    texts = {f"man{name[-1]}/{name}": text for name, text in (pages() | topics()).items()}
    texts |= {f"text/{Path(name).name}.txt": as_text(text) for name, text in texts.items()}
    for path in [*folder.glob("man?/stdeval*"), *folder.glob("text/*")]:
        if path.relative_to(folder).as_posix() not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(MAN)
