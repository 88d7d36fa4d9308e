"""The groups in which the help of a command lists its options, in the order in which people need them."""

from __future__ import annotations

import click

GROUPS = {
    "Input": (
        *("score_files", "evaluated", "other", "collection", "reference_file", "pool_list", "baseline", "best"),
        *("label", "topics_file", "qrels_file", "docnos_file"),
    ),
    "Measures": (
        *("measures", "measure", "complete", "level", "depth", "judged_only", "binary", "max_grade", "precision"),
        *("pool_depths", "eval_depths", "forms"),
    ),
    "Standardization": (
        *("factor_files", "schemes", "scheme", "slope_and_mean", "no_censor", "digits", "raw", "empirical"),
        *("leave_out", "groups_file", "group_pattern"),
    ),
    "Statistics": (
        *("aggregates", "epsilon", "epsilons", "confidence", "interval_of", "interval_method"),
        *("test", "alternative", "correction", "alpha", "alphas", "unpaired", "welch", "residuals", "by", "ways"),
        *("groups", "n_topics", "sizes", "targets", "differences", "widths", "n_systems", "sd", "power"),
        *("n_trials", "n_resamples", "seed"),
    ),
    "Output": (
        *("per_topic", "no_summary", "column", "sort", "signed", "output_format", "printed_digits"),
        *("output_path", "path", "output_paths", "junit_path", "trials_path", "pairs_path", "averaged", "report"),
        *("title", "date", "dpi", "size"),
    ),
    "Processes": ("jobs", "dask", "dask_timeout"),
}
"""The names of the parameters of each group. Other options are about the command itself, and come first."""


def write_manual_page(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write how to read the page of the manual: that of a command, or of the group that it belongs to."""
    while ctx.parent is not None and ctx.parent.parent is not None:
        ctx = ctx.parent
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(f"The manual has more: stdeval help 1 {ctx.info_name}")


class GroupedCommand(click.Command):
    """A command whose help lists its options in groups."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example, and how to read the page of the manual."""
        super().format_epilog(ctx, formatter)
        write_manual_page(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, first those that only this command has."""
        grouped = {name: title for title, names in GROUPS.items() for name in names}
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], **{title: [] for title in GROUPS}}
        for param in self.get_params(ctx):
            # Newer versions of click have records of arguments too.
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections[grouped.get(param.name or "", "Options")].append(record)
        # --help is among the first options only if there are others.
        *own, help_record = sections["Options"]
        sections["Options"] = own
        sections["Other"] = [help_record]
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
