"""Means of samples with their 95 % confidence intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Z = 1.959964
"""Standard deviations that hold 95 % of a normal distribution."""
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean of `samples` values, and where it may lie with 95 % confidence."""

    samples: int
    mean: float
    low: float
    high: float


def share(values: Sequence[float]) -> Interval:
    """Of values that are 0 or 1: Wilson's interval, which holds at 0 % and 100 % too."""
    count = len(values)
    mean = sum(values) / count
    spread = Z * Z / count
    middle = (mean + spread / 2) / (1 + spread)
    reach = Z / (1 + spread) * math.sqrt(mean * (1 - mean) / count + spread / (4 * count))
    return Interval(count, mean, max(0.0, middle - reach), min(1.0, middle + reach))


def average(values: Sequence[float]) -> Interval:
    """Of any values: the bootstrap's interval, by percentiles, with a seed of its own."""
    drawn = np.asarray(values)
    picks = np.random.default_rng(0).integers(0, len(drawn), (RESAMPLES, len(drawn)))
    low, high = np.percentile(drawn[picks].mean(axis=1), [2.5, 97.5])
    return Interval(len(drawn), float(drawn.mean()), float(low), float(high))
