"""Complete words for a shell: measures, files and commands; loaded only where a shell asks."""

from __future__ import annotations

from click.shell_completion import BashComplete, CompletionItem, add_completion_class

from stdeval.measures.names import SCHEME_LETTERS, measures_beginning_with


def file(incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the name of a file."""
    return [CompletionItem(incomplete, type="file")]


def measure(incomplete: str, letters: str = "", ending: str = "") -> list[CompletionItem]:
    """Complete a measure that runs are evaluated by, perhaps after the letter of a scheme."""
    names = measures_beginning_with(incomplete, letters)
    return [CompletionItem(name + ending, help=definition) for name, definition in names]


def column(incomplete: str) -> list[CompletionItem]:
    """Complete a measure of scores, which may be standardized."""
    return measure(incomplete, SCHEME_LETTERS)


def limit(incomplete: str) -> list[CompletionItem]:
    """Complete the measure of MEASURE=VALUE, and the equals sign."""
    return measure(incomplete, SCHEME_LETTERS, "=")


@add_completion_class
class BashCompletion(BashComplete):
    """Completion for Bash: no blank after the equals sign of MEASURE=VALUE, and measures with an at sign."""

    _completed = ""
    """The part of the measure that Bash keeps as it is."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)", "COMPREPLY+=($value)\n            [[ $value != *= ]] || compopt -o nospace"
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and this one, joined around at signs."""
        words, last = super().get_completion_args()
        joined: list[str] = []
        for word in [*words, last]:
            if joined and (word == "@" or joined[-1].endswith("@")):
                joined[-1] += word
            else:
                joined.append(word)
        # Bash replaces the last at sign too
        before, at, _ = joined[-1].rpartition("@")
        self._completed = before if at else ""
        return joined[:-1], joined[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """Return a completion without the words that Bash keeps."""
        return f"{item.type},{item.value.removeprefix(self._completed)}"
