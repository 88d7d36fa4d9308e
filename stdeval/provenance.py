"""Where scores and factors come from: digests of judgments and factors, options, signatures, and what differs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from stdeval import __version__
from stdeval.errors import InputError, counted, excerpt
from stdeval.measures import catalogue
from stdeval.measures import names as measure_names

if TYPE_CHECKING:
    from stdeval.standardization.factors import Factors
    from stdeval.table import ScoreTable

ADJUSTMENTS = ("round", "leave-out", "factors-from")  # fields that change standardized scores, in their order
ORIGIN = ("judgments", "options")  # the columns of files that say where the rows come from
UNKNOWN = "unknown"  # the cell of unknown options, if the judgments are known
# factors of other, or unknown, judgments or options than the scores
OTHER_FACTORS, UNKNOWN_FACTORS = "factors-from:other", "factors-from:unknown"


class Standardization(NamedTuple):
    """How scores were standardized."""

    schemes: tuple[str, ...]
    adjustments: tuple[str, ...] = ()
    digest: str = ""
    fewest: int = 0
    most: int = 0
    measures: str = ""


@dataclass(frozen=True)
class Origin:
    """Where scores or factors come from, as far as it is known."""

    judgments: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    n_judged: int = 0
    standardization: Standardization | None = None

    def __bool__(self) -> bool:
        """Return whether the judgments or options of some topic are known."""
        return bool(self.judgments or self.options)

    def whole(self) -> Origin:
        """Return the origin with a digest, if necessary of its judgments, as if no other topic were judged."""
        if self.digest:
            return self
        lines = [f"{topic}:{digest}\n" for topic, digest in self.judgments.items()]
        return replace(self, digest=lines_digest(lines) if lines else "", n_judged=len(lines))

    def by_topic(self) -> Origin:
        """Return the judgments and the options of each topic only, so that any choice of topics is whole."""
        return Origin(self.judgments, self.options)

    @property
    def shown(self) -> str:
        """The digest of all judgments, and the number of their topics, for messages."""
        return f"{self.digest} of {counted(self.n_judged, 'topic')}"


def lines_digest(lines: Iterable[str], encoding: str = "utf-8") -> str:
    """Return the first 8 hexadecimal digits of SHA-256 over lines in any order, which are sorted as bytes."""
    # hashlib loads OpenSSL, which takes several milliseconds, and `stdeval eval` does not need it
    from hashlib import sha256

    return sha256(b"".join(sorted(line.encode(encoding, "surrogateescape") for line in lines))).hexdigest()[:8]


def judgments_digest(judgments: Mapping[str, int]) -> str:
    """Return a digest that identifies a topic's judgments: of the lines ``docno NUL judgment LF``."""
    # A docno has one character for each byte of the file.
    return lines_digest((f"{docno}\0{judgment}\n" for docno, judgment in judgments.items()), "latin-1")


def origin_of_qrels(qrels: Mapping[str, Mapping[str, int]], options: str) -> Origin:
    """Return the origin of scores that are computed from judgments with options."""
    judgments = {topic: judgments_digest(of_topic) for topic, of_topic in qrels.items()}
    return Origin(judgments, dict.fromkeys(qrels, options)).whole()


def factors_digest(factors: Factors, topics: Collection[str], measures: Collection[str]) -> str:
    """Return a digest that identifies the factors of some topics and measures, with six significant digits."""
    return lines_digest(
        f"{topic}\0{measure}\0{_six_digits(mean)}\0{_six_digits(sd)}\n"
        for topic, means, deviations in zip(factors.topics, factors.mean.tolist(), factors.sd.tolist(), strict=True)
        for measure, mean, sd in zip(factors.measures, means, deviations, strict=True)
        if topic in topics and measure in measures
    )


def _six_digits(number: float) -> str:
    # 0.1234565 is halfway between two numbers of six digits, so noise in its last digit would decide between them.
    # Rounding to 12 digits first removes the noise, and + 0.0 the sign of zero.
    return f"{float(f'{number:.12g}') + 0.0:.6g}"


def scheme_with_parameters(scheme: str, A: float, B: float, censor: bool) -> str:
    """Return the letter of a scheme, and of U its parameters."""
    letter = scheme.upper()
    return f"U({A:g},{B:g}{'' if censor else ',uncensored'})" if letter == "U" else letter


def signed_measures(measures: Sequence[str]) -> str:
    """Return the field of a signature that names measures: the nickname of their group, or their sorted names."""
    for nickname in catalogue.NICKNAMES:
        if set(measures) == {measure.name for measure in measure_names.resolve([nickname])}:
            return nickname
    return " ".join(map(_percent_encoded, sorted(measures)))


def _percent_encoded(name: str) -> str:
    encoded = name.encode(errors="surrogateescape")
    return re.sub(rb"[^\w.~=,:+@()'-]", lambda byte: b"%%%02X" % ord(byte[0]), encoded).decode()


def signature(
    measures: Sequence[str],
    origin: Origin,
    topics: Sequence[str] | None = None,
    *,
    made: Standardization | None = None,
    has_raw: bool = True,
) -> str:
    """Return the line that says what scores depend on, except the runs."""
    made = made or Standardization(())
    found = {origin.options.get(topic) for topic in (origin.options if topics is None else topics)}
    options = found.pop() if len(found) == 1 else None
    n_topics = origin.n_judged if origin.digest else max(origin.n_judged, len(topics or ()))
    schemes = [*(["raw"] if has_raw else []), *made.schemes]
    fields = [
        f"stdeval:{__version__}",
        f"measures:{signed_measures(measures)}",
        f"options:{'unknown' if options is None else options or 'default'}",
        f"scheme:{' '.join(schemes)}",
        *made.adjustments,
        f"qrels:{origin.digest or 'unknown'}",
        f"topics:{n_topics}",
        *([f"scored:{len(topics)}"] if topics and len(topics) < n_topics else []),
    ]
    if made.schemes:
        number = str(made.most) if made.fewest == made.most else f"{made.fewest}-{made.most}"
        fields += [f"factors:{made.digest or 'unknown'}", f"references:{number if made.most else 'unknown'}"]
    return "|".join(fields)


def stored_signature(
    measures: Sequence[str], origin: Origin, topics: Sequence[str], adjustments: Sequence[str] = ()
) -> str:
    """Return the signature of scores from files: the facts that these name, and more adjustments."""
    split = [*map(measure_names.split_scheme, measures)]
    letters = {letter for letter, _ in split}
    bare = tuple(dict.fromkeys(name for _, name in split))
    known = origin.standardization or Standardization(tuple(sorted(letters - {""})))
    schemes = tuple(scheme for scheme in known.schemes if scheme[0] in letters)
    # The digest identifies the factors of all measures with which the file was made.
    named = (signed_measures(bare), signed_measures([measure_names.split_prefix(name)[1] for name in bare]))
    digest = known.digest if known.measures in named else ""
    adjustments = (*(known.adjustments if schemes else ()), *adjustments)
    made = known._replace(schemes=schemes, adjustments=adjustments, digest=digest)
    return signature(bare, origin, topics, made=made, has_raw="" in letters)


Signed = tuple[str | None, Origin]  # the options and the other facts that a signature names


def parse(text: str, before: Signed | None = None, path: str | None = None, line: int | None = None) -> Signed:
    """Return the options that a signature names, None if they are unknown, and the other facts as an origin.

    One that contradicts the signature before it in the same file is refused.
    """
    fields = dict(each.partition(":")[::2] for each in text.split("|"))
    options, qrels, topics = (fields.get(name, "") for name in ("options", "qrels", "topics"))
    valid = re.fullmatch("[0-9a-f]{8}|unknown", qrels) and re.fullmatch("[0-9]{1,9}", topics)
    if not (valid and options and "stdeval" in fields):
        raise InputError(f"signature '{excerpt(text)}', expected one that --signature prints", path, line)
    digest = "" if qrels == "unknown" else qrels
    origin = Origin(digest=digest, n_judged=int(topics), standardization=_parse_standardization(fields))
    known: dict[str, str | None] = {"default": "", "unknown": None}
    found = known.get(options, options), origin
    if before is None:
        return found
    n_judged = max(origin.n_judged, before[1].n_judged)
    # If the judgments are unknown, the numbers count the topics with scores.
    pairs = (found, before)
    found, same = ((typed, each if each.digest else replace(each, n_judged=n_judged)) for typed, each in pairs)
    if found != same:
        found_others = "signature with other judgments, options or factors than before"
        raise InputError(f"{found_others}, expected the same", path, line)
    return found


def _parse_standardization(fields: Mapping[str, str]) -> Standardization | None:
    schemes = tuple(scheme for scheme in fields.get("scheme", "").split() if scheme != "raw")
    if not schemes:
        return None
    adjustments = tuple(f"{name}:{fields[name]}" for name in ADJUSTMENTS if name in fields)
    digest = re.fullmatch("[0-9a-f]{8}", fields.get("factors", ""))
    n = list(map(int, re.findall("[0-9]{1,9}", fields.get("references", "")))) or [0]
    known = (digest[0] if digest else "", n[0], n[-1], fields.get("measures", ""))
    return Standardization(schemes, adjustments, *known)


class Difference(NamedTuple):
    """What differs between two origins: judgments, options or factors, on how many topics, and both values."""

    kind: str
    n_topics: int = 0
    n_common: int = 0
    made: str = ""
    used: str = ""


def differences(
    made: Origin, used: Origin, topics: Iterable[str], measures: Collection[str], ignored: Collection[str] = ()
) -> list[Difference]:
    """Return what differs between the origins of a file and of the scores beside it, where both are known."""
    common = [topic for topic in topics if topic in used.judgments or topic in used.options]
    named = [topic for topic in common if topic in made.judgments and topic in used.judgments]
    others = [topic for topic in named if made.judgments[topic] != used.judgments[topic]]
    found = [Difference("judgments", len(others), len(common))] if others else []
    with_options = [topic for topic in common if topic in made.options and topic in used.options]
    pairs = [(made.options[topic], used.options[topic]) for topic in with_options]
    if any(one != other for one, other in pairs):
        drop = {*_unused(made, used, measures), *ignored}
        pairs = [(_without(one, drop), _without(other, drop)) for one, other in pairs]
    for one, other in dict.fromkeys(pairs):
        if one != other:
            shown = [options or "the default options" for options in (one, other)]
            found.append(Difference("options", pairs.count((one, other)), len(common), *shown))
    if not others and have_other_qrels(made, used):
        found.append(Difference("judgments", 0, 0, made.whole().shown, used.whole().shown))
    return found


def other_factors(made: Origin, used: Origin, measures: Iterable[str], *, same_topics: bool) -> bool | None:
    """Return whether scores were standardized in different ways; None if digests cannot show it."""
    one, other = made.standardization, used.standardization
    if one is None or other is None:
        return False
    letters = {measure_names.split_scheme(name)[0] for name in measures}
    schemes = [{scheme for scheme in each.schemes if scheme[0] in letters} for each in (one, other)]
    if not all(schemes):
        return False
    # One field only says that the factors were not known to fit. It does not change the scores.
    adjustments = [[each for each in of.adjustments if each != UNKNOWN_FACTORS] for of in (one, other)]
    if schemes[0] != schemes[1] or adjustments[0] != adjustments[1]:
        return True
    if one.digest and one.digest == other.digest:
        return False
    is_comparable = same_topics and one.measures == other.measures
    return True if is_comparable and one.digest and other.digest else None


def have_other_qrels(one: Origin, other: Origin) -> bool:
    """Return whether two origins are known to be of other judgments, from the digests of all of their topics."""
    if not (one.digest or other.digest):
        return False  # their judgments are compared topic by topic
    a, b = one.whole(), other.whole()
    if not (a.digest and b.digest) or (a.digest, a.n_judged) == (b.digest, b.n_judged):
        return False
    # A file that names the judgments of each topic may have only some of them.
    return bool(one.digest and other.digest) or a.n_judged == b.n_judged


def used_options(origin: Origin, measures: Collection[str]) -> set[str]:
    """Return the options of any topic, without those that change no score by the measures."""
    unused = _unused(origin, origin, measures)
    return {_without(options, unused) for options in origin.options.values()}


def fit(found: Sequence[Difference], factors: Factors, table: ScoreTable | None) -> tuple[str, ...]:
    """Return the field of a signature that says how factors fit the scores; none if both are known to fit."""
    if found:
        return (OTHER_FACTORS,)
    wanted = (True, True) if table is None else _are_known(table)
    return () if _are_known(factors) == wanted else (UNKNOWN_FACTORS,)


def _are_known(of: Factors | ScoreTable) -> tuple[bool, bool]:
    """Return whether the judgments, and the options, of all topics are known."""
    topics, origin = {*of.topics}, of.origin
    return bool(origin.digest) or origin.judgments.keys() >= topics, origin.options.keys() >= topics


def _unused(one: Origin, other: Origin, measures: Collection[str]) -> frozenset[str]:
    binary = any("--binary" in options for each in (one, other) for options in set(each.options.values()))
    return measure_names.unused_options(measures, binary)


def _without(options: str, names: Collection[str]) -> str:
    """Return options without some of them, given by name, and their values."""
    # a word that does not begin with a hyphen is the value of the option before it
    each = re.findall(r"-\S+(?: [^-\s]\S*)?", options)
    return " ".join(option for option in each if option.split()[0] not in names)


def agreed(tables: Sequence[ScoreTable]) -> Origin:
    """Return what the origins of several tables agree on."""
    by_topic: dict[str, list[Origin]] = {}
    for table in tables:
        for topic in table.topics:
            by_topic.setdefault(topic, []).append(table.origin)

    def of_all(kind: str) -> dict[str, str]:
        found = {topic: {getattr(each, kind).get(topic) for each in some} for topic, some in by_topic.items()}
        return {topic: values.pop() for topic, values in found.items() if len(values) == 1 and None not in values}

    digests = {table.origin.digest for table in tables}
    digest = digests.pop() if len(digests) == 1 else ""
    n_judged = max(table.origin.n_judged for table in tables)
    return Origin(of_all("judgments"), of_all("options"), digest, n_judged, _agreed_standardization(tables))


def _agreed_standardization(tables: Sequence[ScoreTable]) -> Standardization | None:
    """Return the schemes and adjustments of all, and the factors only if they are the same everywhere."""
    known = [made for table in tables if (made := table.origin.standardization)]
    if not known:
        return None
    schemes = tuple(sorted({scheme for made in known for scheme in made.schemes}))
    unknown = (table.measures for table in tables if not table.origin.standardization)
    is_partial = any(measure_names.split_scheme(name)[0] for measures in unknown for name in measures)
    if not is_partial and len({made._replace(schemes=()) for made in known}) == 1:
        return known[0]._replace(schemes=schemes)
    texts = sorted({text for made in known for text in made.adjustments})
    return Standardization(schemes, tuple(text for name in ADJUSTMENTS for text in texts if text.startswith(name)))
