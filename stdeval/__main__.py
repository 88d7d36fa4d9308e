"""The command `stdeval`: it obeys signals before it loads anything else, and then runs the command line."""

from __future__ import annotations

import gc

from stdeval.signals import end_on_signals


def main(arguments: list[str] | None = None) -> None:
    """Run a command line and exit with its status."""
    if arguments is None:
        end_on_signals()
        # Modules stay until the process ends: looking for garbage while they are loaded takes a tenth of the time.
        gc.set_threshold(100_000)
    from stdeval.command_line import run_and_exit  # an interrupt while this is loaded must not print a traceback

    try:
        run_and_exit(arguments)
    finally:
        if arguments is None:
            # The interpreter looks for garbage as it ends, which takes up to a tenth of the time and helps nobody.
            gc.freeze()


if __name__ == "__main__":
    main()
