#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Expected values of the rank-sum test, by scipy (package python3-scipy).

    tests/unit/ranksum-oracle.py > tests/unit/ranksum_cases.h

Without ties scipy counts exactly; with ties the permutations of the mid-ranks are counted out
here, or scipy's normal approximation is taken where there are too many.
"""
import itertools
import random

import scipy
from scipy.stats import mannwhitneyu, rankdata

EXACT_ALL = 40


def permuted(a, b):
    ranks = [round(2 * r) for r in rankdata(a + b)]
    far = abs(2 * sum(ranks[:len(a)]) - len(a) * sum(ranks) * 2 / len(ranks))
    hits = total = 0
    for chosen in itertools.combinations(ranks, len(a)):
        total += 1
        hits += abs(2 * sum(chosen) - len(a) * sum(ranks) * 2 / len(ranks)) >= far - 1e-9
    return hits / total


def expected(a, b):
    if len(set(a + b)) == 1:
        return 1.0
    small = len(a) + len(b) <= EXACT_ALL
    ties = len(set(a + b)) < len(a + b)
    if small and ties:
        return permuted(a, b)
    return mannwhitneyu(a, b, alternative="two-sided",
                        method="exact" if small else "asymptotic").pvalue


def cases():
    rng = random.Random(20261201)
    for na, nb, shift, digits in ((3, 3, 9, 2), (4, 5, 1, 2), (5, 5, 0, 2), (6, 6, 1, 0), (7, 4, 1, 0),
                                  (8, 8, 2, 0), (9, 9, 0, 0), (10, 10, 1, 3), (12, 12, 1, 3),
                                  (12, 12, 5, 3), (20, 17, 0.5, 3), (40, 40, 0.5, 4),
                                  (60, 55, 0.3, 4), (60, 60, 0.4, 0), (100, 90, 0, 1)):
        yield ([round(rng.gauss(10, 1), digits) for _ in range(na)],
               [round(rng.gauss(10 + shift, 1), digits) for _ in range(nb)])
    yield [1.0] * 5, [1.0] * 6
    yield [1.0] * 6, [2.0] * 6
    yield [0.0] * 10, [0.0] * 9 + [1.0]


print("/* SPDX-License-Identifier: GPL-2.0-only */")
print("/* Written by tests/unit/ranksum-oracle.py with scipy %s. */" % scipy.__version__)
for number, (a, b) in enumerate(cases()):
    for name, sample in (("a", a), ("b", b)):
        print("static const double case_%s%d[] = {" % (name, number))
        for i in range(0, len(sample), 10):
            print("\t" + " ".join("%r," % v for v in sample[i:i + 10]))
        print("};")
print("static const struct {\n\tconst double *a, *b;\n\tsize_t na, nb;\n\tdouble p;\n} cases[] = {")
for number, (a, b) in enumerate(cases()):
    print("\t{ case_a%d, case_b%d, %d, %d, %.12g }," % (number, number, len(a), len(b), expected(a, b)))
print("};")
