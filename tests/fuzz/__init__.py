"""Random inputs for every part of the program, each with an oracle that is not the program itself.

A target is a function of a source of random numbers and of a folder. It makes one case, runs it, and returns what is
wrong with the outcome in a few words, or nothing. The tests run a few cases of each target, always the same ones;
``python -m tests.fuzz --minutes 10`` runs as many as there is time for.
"""
