"""A signature: one line that makes scores citable, with all that they depend on except the runs.

`stdeval eval` runs through this module, so it must not load numpy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from stdeval import __version__
from stdeval.display import excerpt, listed
from stdeval.errors import InputError
from stdeval.measures.catalogue import NICKNAMES
from stdeval.measures.names import canonical, resolve, split_prefix, split_scheme
from stdeval.origins import UNKNOWN_FACTORS, Origin, QrelsDigest, References, Standardization, lines_digest

if TYPE_CHECKING:
    from stdeval.reference_factors import Factors
    from stdeval.table import ScoreTable

_DEFAULT, _UNKNOWN = "default", "unknown"

_PLAIN = "=,.:+@()'"
"""Punctuation of names of measures that stands in a signature as it is; any other is percent-encoded."""


ADJUSTMENTS = ("round", "leave-out", "factors-from")
"""The names of fields that change standardized scores, in their order in a signature."""


class Signature(NamedTuple):
    """The facts that a signature holds; its text is the signature.

    Parameters
    ----------
    measures : tuple of str
        Names of raw measures, in any order.
    options : str or None
        The options of the evaluation, see `stdeval.evaluation.options.Options.typed`; None if they are unknown.
    qrels : QrelsDigest or None
        None if the judgments are unknown.
    n_topics : int
        Number of topics; with ``qrels`` all topics that have judgments, even those without documents in a run.
    schemes : tuple of str
        Letters of schemes, with their parameters, and ``raw``.
    adjustments : tuple of str
        Other facts that change standardized scores, each as ``name:value``.
    references : References or None
        None if no scores are standardized.
    n_scored : int
        Number of topics of stored scores. The signature names it if it is less than ``n_topics``.

    Examples
    --------
    Without its first field, which has the version:

    >>> print(str(Signature(("map", "P_10"), "-l 2", QrelsDigest("8ee34cef", 50), 50)).partition("|")[2])
    measures:P_10 map|options:-l 2|scheme:raw|qrels:8ee34cef|topics:50
    """

    measures: tuple[str, ...]
    options: str | None
    qrels: QrelsDigest | None
    n_topics: int
    schemes: tuple[str, ...] = ("raw",)
    adjustments: tuple[str, ...] = ()
    references: References | None = None
    n_scored: int = 0

    def __str__(self) -> str:
        fields = [
            f"stdeval:{__version__}",
            f"measures:{named_measures(self.measures)}",
            f"options:{_UNKNOWN if self.options is None else self.options or _DEFAULT}",
            f"scheme:{' '.join(self.schemes)}",
            *self.adjustments,
            f"qrels:{self.qrels.digest if self.qrels else _UNKNOWN}",
            f"topics:{self.n_topics}",
            *([f"scored:{self.n_scored}"] if 0 < self.n_scored < self.n_topics else []),
        ]
        if self.references is not None:
            digest, fewest, most = self.references
            number = str(most) if fewest == most else f"{fewest}-{most}"
            fields += [f"factors:{digest or _UNKNOWN}", f"references:{number if most else _UNKNOWN}"]
        return "|".join(fields)


def scheme_with_parameters(scheme: str, A: float, B: float, censor: bool) -> str:
    """Return the letter of a scheme, and of U its parameters, see `stdeval.standardization.schemes.uniform_scores`.

    Examples
    --------
    >>> scheme_with_parameters("n", 0.15, 0.5, True), scheme_with_parameters("u", 0.15, 0.5, True)
    ('N', 'U(0.15,0.5)')
    """
    letter = scheme.upper()
    return f"U({A:g},{B:g}{'' if censor else ',uncensored'})" if letter == "U" else letter


def named_measures(measures: Sequence[str]) -> str:
    """Return the field of a signature that names measures: the nickname of their group, or their sorted names."""
    for nickname in NICKNAMES:
        if set(measures) == {measure.name for measure in resolve([nickname])}:
            return nickname
    # `stdeval eval` loads this module, and few of its outputs have a signature
    from urllib.parse import quote

    return " ".join(quote(name, safe=_PLAIN, errors="surrogateescape") for name in sorted(measures))


def factors_digest(factors: Factors, topics: Sequence[str], measures: Sequence[str]) -> str:
    """Return a digest that identifies the factors of some topics and measures.

    Parameters
    ----------
    factors : Factors
    topics, measures : sequence of str
        Labels that the factors do not have are ignored.

    Returns
    -------
    str
        The first 8 hexadecimal digits of SHA-256 over the lines ``topic NUL measure NUL mean NUL sd LF``, sorted as
        bytes, with six significant digits. So factors have the same digest whether they are read from a file in
        full precision or fitted on another machine, where the last digit of a number may differ.
    """
    wanted_topics, wanted_measures = set(topics), set(measures)
    lines = [
        f"{topic}\0{measure}\0{_six_digits(mean)}\0{_six_digits(sd)}\n".encode("utf-8", "surrogateescape")
        for topic, means, deviations in zip(factors.topics, factors.mean.tolist(), factors.sd.tolist(), strict=True)
        for measure, mean, sd in zip(factors.measures, means, deviations, strict=True)
        if topic in wanted_topics and measure in wanted_measures
    ]
    return lines_digest(lines)


def _six_digits(number: float) -> str:
    # 0.1234565 is halfway between two numbers of six digits, so noise in its last digit would decide between them.
    # Rounding to 12 digits first removes the noise, and + 0.0 the sign of zero.
    return f"{float(f'{number:.12g}') + 0.0:.6g}"


def stored_signature(table: ScoreTable) -> Signature:
    """Return the signature of scores from files: the facts that these name."""
    origins = {topic: table.origins.get(topic, Origin()) for topic in table.topics}
    options = {origin.options for origin in origins.values()}
    # Columns that name the judgments of each topic do not tell whether other topics are judged.
    qrels = table.qrels
    n_topics = max(table.n_signed, len(table.topics)) if qrels is None else qrels.n_topics
    common = options.pop() if len(options) == 1 else None
    signature = Signature(table.measures, common, qrels, n_topics, n_scored=len(table.topics))
    if table.standardization is None:
        return _standardized_by_unknown(signature)
    return _standardized(signature, table.standardization)


def _standardized_by_unknown(signature: Signature) -> Signature:
    """Return a signature with the schemes that the names of its measures begin with, and unknown references."""
    split = [split_scheme(name) for name in signature.measures]
    letters = sorted({letter for letter, _ in split if letter})
    if not letters:
        return signature
    raw = ["raw"] if any(not letter for letter, _ in split) else []
    measures = tuple(dict.fromkeys(bare for _, bare in split))
    return signature._replace(measures=measures, schemes=(*raw, *letters), references=References("", 0, 0))


def _standardized(signature: Signature, made: Standardization) -> Signature:
    """Return the signature of standardized scores from files, with the references that standardized them."""
    letters = {scheme[0] for scheme in made.schemes}
    split = [(name, *split_scheme(name)) for name in signature.measures]
    known = [(letter, bare) if letter in letters else ("", name) for name, letter, bare in split]
    shown, measures = {letter for letter, _ in known}, tuple(dict.fromkeys(bare for _, bare in known))
    schemes = [scheme for scheme in made.schemes if scheme[0] in shown]
    if not schemes:
        return signature
    # The digest identifies the factors of all measures and topics with which the file was made.
    bare = tuple(split_prefix(name)[1] for name in measures)
    same = made.measures in (named_measures(measures), named_measures(bare))
    references = made.references if same else made.references._replace(digest="")
    return signature._replace(
        measures=measures,
        schemes=(*(["raw"] if "" in shown else []), *schemes),
        adjustments=made.adjustments,
        references=references,
    )


class SignedOrigin(NamedTuple):
    """The judgments, options and standardization that a signature names; None for those that it does not name."""

    options: str | None
    qrels: QrelsDigest | None
    standardization: Standardization | None = None


def parse_signature(text: str) -> SignedOrigin:
    """Return the judgments, the options and the standardization that a signature names.

    Parameters
    ----------
    text : str
        A signature of this or another version; fields that are not known here are ignored.

    Raises
    ------
    InputError
        If it is not a signature.

    Examples
    --------
    >>> parse_signature("stdeval:0.1.0|measures:map|options:default|scheme:raw|qrels:8ee34cef|topics:50")
    SignedOrigin(options='', qrels=QrelsDigest(digest='8ee34cef', n_topics=50), standardization=None)
    """
    fields = dict(field.partition(":")[::2] for field in text.split("|"))
    options, qrels, topics = (fields.get(name, "") for name in ("options", "qrels", "topics"))
    valid = re.fullmatch(f"[0-9a-f]{{8}}|{_UNKNOWN}", qrels) and re.fullmatch("[0-9]{1,9}", topics)
    standardization = _parse_standardization(fields)
    if not (valid and options and "stdeval" in fields):
        raise InputError(f"signature '{excerpt(text)}', expected one that --signature prints")
    return SignedOrigin(
        {_DEFAULT: "", _UNKNOWN: None}.get(options, options),
        None if qrels == _UNKNOWN else QrelsDigest(qrels, int(topics)),
        standardization,
    )


def counted_topics(signatures: Iterable[str]) -> int:
    """Return the greatest number of topics that a signature names; 0 if there is no signature.

    Examples
    --------
    >>> counted_topics(["stdeval:0.1.0|measures:map|options:unknown|scheme:raw|qrels:unknown|topics:50"])
    50
    """
    found = (re.search("[|]topics:([0-9]+)", text) for text in signatures)
    return max((int(number[1]) for number in found if number is not None), default=0)


def unnamed_measures(text: str, measures: Iterable[str]) -> list[str]:
    """Return those of some measures that a signature does not name, with their scheme: their columns were renamed.

    Examples
    --------
    >>> text = "stdeval:0.1.0|measures:P_10 map|options:default|scheme:N|qrels:8ee34cef|topics:50"
    >>> unnamed_measures(text, ["Nmap", "NP@10", "map", "Nndcg", "mine"])
    ['map', 'Nndcg', 'mine']
    """
    from urllib.parse import unquote

    fields = dict(field.partition(":")[::2] for field in text.split("|"))
    letters = {"" if scheme == "raw" else scheme[0] for scheme in fields.get("scheme", "").split()}
    field = fields.get("measures", "")
    named = (
        {measure.name for measure in resolve([field])}
        if field in NICKNAMES
        else {canonical(unquote(name, errors="surrogateescape")) for name in field.split()}
    )
    split = {name: split_scheme(name) for name in measures}
    return [name for name, (letter, raw) in split.items() if letter not in letters or canonical(raw) not in named]


def about_unnamed_measures(unnamed: Mapping[str, str]) -> str:
    """Return a message about measures that their signatures do not name, from these measures to their signatures.

    Examples
    --------
    >>> print(about_unnamed_measures({"map": "stdeval:0.1.0|measures:ndcg|options:default|scheme:raw"}))
    map is not among the measures of the signature (measures:ndcg, scheme:raw): was a column renamed?
    """
    parts = next(iter(unnamed.values())).split("|")
    named = ", ".join(excerpt(part, 60) for part in parts if part.startswith(("measures:", "scheme:")))
    verb, doubt = ("is", "was a column") if len(unnamed) == 1 else ("are", "were columns")
    return f"{listed(list(unnamed))} {verb} not among the measures of the signature ({named}): {doubt} renamed?"


def _parse_standardization(fields: Mapping[str, str]) -> Standardization | None:
    schemes = tuple(scheme for scheme in fields.get("scheme", "").split() if scheme != "raw")
    if not schemes:
        return None
    digest = re.fullmatch("[0-9a-f]{8}", fields.get("factors", ""))
    numbers = re.fullmatch("([0-9]{1,9})(?:-([0-9]{1,9}))?", fields.get("references", ""))
    fewest, most = (int(numbers[1]), int(numbers[2] or numbers[1])) if numbers else (0, 0)
    scored = fields.get("scored", "")
    return Standardization(
        schemes,
        tuple(f"{name}:{fields[name]}" for name in ADJUSTMENTS if name in fields),
        References(digest[0] if digest else "", fewest, most),
        fields.get("measures", ""),
        int(scored) if re.fullmatch("[0-9]{1,9}", scored) else 0,
    )


def have_other_factors(
    one: Standardization | None,
    other: Standardization | None,
    columns: Iterable[str],
    *,
    have_same_topics: bool = True,
) -> bool | None:
    """Return whether scores were standardized in different ways; None if their signatures cannot tell.

    Parameters
    ----------
    one, other : Standardization, optional
        None if there is no signature, or if all scores are raw; then there is no difference to find.
    columns : iterable of str
        The names of the measures that both have; only schemes of these are compared.
    have_same_topics : bool
        False for scores of different topics, whose factors have different digests even if they are of one file.

    Examples
    --------
    >>> one = Standardization(("N",), (), References("0000000a", 40, 40), "map")
    >>> other = one._replace(references=References("0000000b", 12, 12))
    >>> have_other_factors(one, other, ["Nmap"]), have_other_factors(one, other, ["map"])
    (True, False)
    >>> have_other_factors(one, other._replace(measures="P_10 map"), ["Nmap"])
    """
    letters = {split_scheme(column)[0] for column in columns} - {""}
    if one is None or other is None:
        return False
    schemes = [{scheme for scheme in each.schemes if scheme[0] in letters} for each in (one, other)]
    if not all(schemes):
        return False
    # One field only says that the factors were not known to fit. It does not change the scores.
    adjustments = [[field for field in each.adjustments if field != UNKNOWN_FACTORS] for each in (one, other)]
    if schemes[0] != schemes[1] or adjustments[0] != adjustments[1]:
        return True
    digests = {one.references.digest, other.references.digest}
    if "" in digests:
        return None
    if len(digests) == 1:
        return False
    # Digests identify the factors of some topics and measures, so only those of the same ones can be compared.
    are_comparable = have_same_topics and (one.measures, one.scored) == (other.measures, other.scored)
    return True if are_comparable else None
