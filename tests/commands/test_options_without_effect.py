"""Options that would have no effect are refused, so that nobody believes in a seed or a level that nothing uses."""

from __future__ import annotations

import pytest

SCORES = [
    "run,topic,map,x",
    *(
        f"{run},{t},{v / 20},{v / 40}"
        for v, (run, t) in enumerate([(run, t) for run in "abc" for t in range(1, 6)])
    ),
]

REFUSED = {
    "eval --scores s.csv --label file": "--label and --dask have no effect on --scores, expected QRELS RUN...",
    "eval --scores s.csv --dask localhost:1": "--label and --dask have no effect on --scores, expected QRELS",
    "eval --scores s.csv --dask-timeout 60": "--dask-timeout has no effect without --dask ADDRESS",
    "pool -d 1 q.txt a.run --dask-timeout 5": "--dask-timeout has no effect without --dask ADDRESS",
    "eval --binary -m map q.txt a.run": "--binary has no effect without a measure with gains, such as ndcg",
    "eval --scores s.csv --max-grade 4": "--max-grade has no effect without QRELS RUN...",
    "eval --scores s.csv --seed 1": "--seed has no effect without --ci LEVEL",
    "eval --scores s.csv --ci 0.9 --ci-method t --resamples 9": "--resamples has no effect without",
    "standardize --scores s.csv --no-censor": "--no-censor has no effect without scheme u",
    "standardize --scores s.csv -F f.csv --leave-out run": "--leave-out has no effect with -F",
    "standardize --scores s.csv --groups s.csv": "--groups has no effect without --leave-out group",
    "report --scores s.csv -o r.html --leave-out run --group-by a": "--group-by has no effect without",
    "compare --scores s.csv --leave-out run": "--leave-out has no effect without a standardized --scheme",
    "meta power --scores s.csv --leave-out run": "--leave-out has no effect without a standardized --scheme",
    "plot means --scores s.csv -o p.png --leave-out run": "--leave-out has no effect without a standardized",
    "plot mapping --scores s.csv -o p.png --leave-out run": "No such option",
    "check --scores s.csv --min map=.0001 --leave-out run": "No such option",
    "compare --scores s.csv --seed 1": "--seed has no effect without --test permutation or bootstrap",
    "compare --scores s.csv --test wilcoxon --resamples 99": "--resamples has no effect without",
    "compare --scores s.csv --ab 1,1": "--ab has no effect without scheme u",
    "compare --scores s.csv -f latex --ci 0.9": "--ci has no effect without",
    "compare --scores s.csv -f latex --alpha 0.1": "--alpha has no effect without --baseline",
    "compare --scores s.csv -f latex --correction holm": "--correction has no effect without --baseline",
    "check --scores s.csv --min map=.0001 --alpha 0.1": "--alpha has no effect without --not-worse",
    "check --scores s.csv --min map=.0001 --seed 1": "--seed has no effect without --not-worse",
    "check --scores s.csv --not-worse map --baseline a --seed 1": "--seed has no effect without --test",
    "check --scores s.csv --min map=.0001 -F f.csv": "--factors has no effect without a standardized MEASURE",
    "check --scores s.csv --min Nmap=.0001 -F f.csv --ab 1,1": "--ab has no effect without scheme u",
    "convert s.csv --to scores --digits 3": "--digits has no effect without --to zscores",
    "convert f.csv --to zscores -m map": "--measure has no effect without scores or a matrix",
    "report --scores s.csv -o r.html --ab 1,1": "--ab has no effect without scheme u",
    "plot means --scores s.csv -o p.png --no-censor": "--no-censor has no effect without scheme u",
    "meta power --scores s.csv --trials 10": "No such option",
    "meta power --scores s.csv --seed 1": "No such option",
    "meta rank --scores s.csv --trials 10": "No such option",
    "meta rank --scores s.csv --epsilon 0.1": "--epsilon has no effect without -a egm",
    "meta split --scores s.csv --split hard-easy --trials 10": "no effect without --split random",
    "meta split --scores s.csv --split hard-easy --pairs-out p": "--pairs-out has no effect without",
    "meta within --scores s.csv --ab 1,1": "--ab has no effect without scheme u",
    "meta references --scores s.csv --other s.csv --trials 9": "--trials has no effect without",
    "meta references --scores s.csv --other s.csv --collection s.csv": "--collection has no effect without",
    "meta collections s.csv t.csv --seed 1": "--seed has no effect without --trials N",
}


@pytest.fixture(autouse=True)
def in_a_folder_with_scores_and_factors(write, monkeypatch, tmp_path):
    for name in ("s.csv", "t.csv"):
        write(name, SCORES)
    write("f.csv", ["topic,n,map.mean,map.sd", *(f"{t},9,0.3,0.2" for t in range(1, 6))])
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("typed", REFUSED)
def test_an_option_without_effect_is_refused_in_one_line(run, tmp_path, typed: str):
    done = run(*typed.split())
    lines = [line for line in done.stderr.splitlines() if not line.startswith("stdeval: warning: ")]
    assert (done.status, done.raw, len(lines)) == (2, b"", 1)
    assert REFUSED[typed] in lines[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.csv", "s.csv", "t.csv"]


HONOURED = [
    "standardize --scores s.csv --scheme u --ab 1,1",
    "compare --scores s.csv --test permutation --seed 1",
    "compare --scores s.csv --correction tukey --resamples 99",
    "compare --scores s.csv -f latex --baseline a --alpha 0.1",
    "check --scores s.csv --min Umap=.0001 -F f.csv --ab 1,1",
    "compare --scores s.csv -m map -F f.csv --scheme raw --scheme n",
    "check --scores s.csv --not-worse map --baseline a --test bootstrap --seed 1",
    "meta split --scores s.csv --split hard-easy --split random --trials 10",
    "meta collections s.csv t.csv --seed 1 --trials 9",
    "meta references --scores s.csv --trials 9 --references 2",
]


@pytest.mark.parametrize("typed", HONOURED)
def test_an_option_with_an_effect_is_taken(run, typed: str):
    done = run(*typed.split())
    assert [line for line in done.stderr.splitlines() if not line.startswith("stdeval: warning: ")] == []
    assert done.status in (0, 1)


def test_factors_of_scores_that_are_standardized_already_are_refused(run, write):
    scores = write("s.csv", "run,topic,Nmap\na,1,0.5\nb,1,0.25\n")
    factors = write("f.csv", "topic,n,map.mean,map.sd\n1,3,0.5,0.25\n")
    done = run("check", "--scores", scores, "--min", "Nmap=0.1", "-F", factors)
    assert (done.status, done.stdout) == (2, "")
    assert "--factors has no effect without a MEASURE to standardize: Nmap is standardized already" in done.stderr
    assert done.stderr.endswith("standardized already, taken from the column Nmap of the scores\n")
