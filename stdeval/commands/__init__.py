"""The commands, one file each: a command reads its inputs, calls the library, and writes the result."""

from __future__ import annotations

import os
import sys
import warnings

import click

from stdeval import __version__, errors
from stdeval.cli.declarations import Group, NoCommandError, warnings_so_far
from stdeval.errors import displayed, displayed_lines, with_escaped_bytes

# If a signal ends a command, shells report 128 + the number of the signal as its status: SIGINT is 2, SIGPIPE 13.
INTERRUPTED, PIPE_CLOSED = 130, 141

COMMANDS = {
    "eval": "Print the raw scores of runs, as trec_eval does.",
    "factors": "Make standardization factors from reference runs.",
    "standardize": "Standardize the scores of runs.",
    "convert": "Convert qrels, runs, scores or factors between file formats.",
    "measures": "List the measures: name, other spellings, range, definition and source.",
    "pool": "Print the qrels that a shallower pool of the runs would have left.",
    "weights": "Print how much a relevant document at each rank is worth.",
    "topics": "Print the statistics of the scores on each topic, and its difficulty.",
    "compare": "Compare every pair of runs, or all runs with a baseline.",
    "check": "Check that runs are good enough, or no worse than a baseline.",
    "validate": "Find all problems of runs before they are submitted.",
    "meta": "Meta-evaluation: how measures and standardization behave.",
    "plot": "Draw a picture: png, svg or pdf.",
    "report": "Report an evaluation as one HTML page.",
    "help": "Show the help of a command, or a page of the manual.",
}
"""The commands and the first sentences of their helps, given here so that listing the commands imports none."""


cli = Group(
    "stdeval.commands",
    COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
    Pages of the manual:
      stdeval help 1 COMMAND        a command, with examples
      stdeval help stdeval          glossary, output formats, signatures, exit status
      stdeval help files            every file format
      stdeval help 7 measures       every measure
      stdeval help standardization  schemes, reference runs, missing topics
      stdeval help papers           the tables and figures of the papers, by command line
    """,
    help="""Evaluate retrieval systems as trec_eval does, and standardize their scores.

    Effectiveness scores depend on the topics. Standardization places each score on the scale of the scores of
    reference runs on the same topic. Then all topics weigh the same in a mean, and means on different
    collections can be compared.

    Files may be compressed (gz, bz2, xz), and one input file may be - for standard input. Exit status: 0 done,
    1 a check failed or a run is not valid, 2 usage or input error.
    """,
)
cli = click.version_option(__version__, prog_name="stdeval")(cli)
cli = click.option("--quiet", is_flag=True, help="Print no warnings on standard error.")(cli)


def run(arguments: list[str] | None) -> int:
    """Run a command line and return its exit status: 0 done, 1 a check failed, 2 an error (one line on stderr)."""
    try:
        with warnings.catch_warnings():
            # not as in the user's Python, which may turn warnings off or into errors
            warnings.simplefilter("always", errors.InputWarning)
            warnings.showwarning = _show_warning
            result = cli.main(arguments, prog_name="stdeval", standalone_mode=False)
            # a full disk or a closed pipe is noticed here at the latest, and not when the interpreter ends
            sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (OSError, SystemExit) as error:
        return _status_of_failure(error)
    except NoCommandError as error:
        message = displayed_lines(error.message)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        # click breaks some of its messages into lines
        text = " ".join(error.format_message().split())
        message = displayed(f"{context.command_path if context else 'stdeval'}: {text}")
    except errors.InputError as error:
        message = displayed(f"stdeval: {error}")
    except MemoryError:
        message = "stdeval: not enough memory, expected smaller inputs or numbers"
    except ImportError as error:
        # numpy explains at length how to install it; the first cause says what failed
        cause: BaseException = error
        while (earlier := cause.__cause__ or cause.__context__) is not None:
            cause = earlier
        found = displayed(str(cause).partition("\n")[0])
        message = f"stdeval: cannot load a library: {found}, expected a sound installation and enough memory"
    return _fail(message)


def _status_of_failure(error: OSError | SystemExit) -> int:
    """Return the exit status after a file could not be used, usually stdout; a closed pipe needs no message."""
    # click raises SystemExit(1) when a pipe is closed, and 0 after it has completed a word for a shell
    if isinstance(error, SystemExit) and error.code == 0:
        return 0
    if isinstance(error, OSError) and error.filename is not None:
        # errors of stdout name no file; this file may have disappeared after it was checked
        return _fail(displayed(f"stdeval: {error.filename}: {str(error.strerror).lower()}"))
    # the interpreter flushes stdout as it ends and would fail again, so the rest of the output goes nowhere
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, (BrokenPipeError, SystemExit)):
        return PIPE_CLOSED
    return _fail(f"stdeval: <stdout>: cannot write: {error.strerror}")


def _fail(message: str) -> int:
    try:
        _print_to_stderr(message)
    except OSError:
        # as for stdout: the interpreter would fail again, and end with a status of its own
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return 2


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning, once per command."""
    text, said = str(message), warnings_so_far()
    if text in said:
        return
    said.append(text)
    context = click.get_current_context(silent=True)
    if context is not None and context.find_root().params.get("quiet"):
        return
    try:
        _print_to_stderr(displayed(f"stdeval: warning: {text}"))
    except OSError as error:
        raise errors.InputError(f"cannot write: {error.strerror}", "<stderr>") from None


def _print_to_stderr(text: str) -> None:
    # names in files may hold bytes that are not UTF-8, and names that are typed may hold any surrogate
    click.echo(with_escaped_bytes(text).encode("utf-8", "backslashreplace"), err=True)
