"""Step functions of columns and pairs by the book: a dense design matrix, the objective written down, and L-BFGS."""

import numpy as np
from scipy.optimize import minimize


def codes_of(cells, bounds):
    """The first step that does not end before a cell, and one past the last where it is missing."""
    return np.array([len(bounds) + 1 if np.isnan(cell) else sum(bound < cell for bound in bounds) for cell in cells])


def design(codes, sizes):
    """A column for each step of each term, 1 where a row is on it."""
    return np.hstack(
        [(np.asarray(on)[:, np.newaxis] == np.arange(size)).astype(float) for on, size in zip(codes, sizes)]
    )


def chain(n_steps, size, stiffness, ridge=1.0):
    """The penalty of neighbouring steps that differ, and of any value."""
    penalty = ridge * np.eye(size)
    for step in range(n_steps - 1):
        penalty[step, step] += stiffness
        penalty[step + 1, step + 1] += stiffness
        penalty[step, step + 1] -= stiffness
        penalty[step + 1, step] -= stiffness
    return penalty


def grid(n, m, size_n, size_m, stiffness, ridge=1.0):
    """The same for a table of n x m steps, in a larger one whose last row and column may be for missing cells."""
    penalty = ridge * np.eye(size_n * size_m)
    for i in range(size_n):
        for j in range(size_m):
            for down, right in ((1, 0), (0, 1)):
                if (down and i + 1 >= n) or (right and j + 1 >= m):
                    continue
                a, b = i * size_m + j, (i + down) * size_m + j + right
                penalty[a, a] += stiffness
                penalty[b, b] += stiffness
                penalty[a, b] -= stiffness
                penalty[b, a] -= stiffness
    return penalty


def objective(unknown, on, given, noisier, second, weight, more, penalty):
    """Minus the log-likelihood at the noise that is wanted, and what values, offset and slope cost; and its derivative."""
    *values, offset, slope = unknown
    values = np.array(values)
    loss = values @ penalty @ values + 0.5 * offset**2 + (slope - 1.0) ** 2
    down = np.concatenate([2.0 * penalty @ values, [offset, 2.0 * (slope - 1.0)]])
    for scores, times in ((given, 1.0 + more), (noisier, -more)):
        z = slope * scores + offset + on @ values
        loss += times * (weight * np.logaddexp(0.0, np.where(second == 1, -z, z))).sum()
        excess = times * weight * (1.0 / (1.0 + np.exp(-z)) - second)
        down += np.concatenate([excess @ on, [excess.sum(), excess @ scores]])
    return loss, down


def fit(codes, sizes, given, noisier, second, weight, more, penalty):
    """Values, offset and slope at the lowest point."""
    on = design(codes, sizes) if len(sizes) else np.zeros((len(given), 0))
    start = np.zeros(sum(sizes) + 2)
    start[-1] = 1.0
    rows = (on, given, noisier, second, weight, more, penalty)
    options = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-7}
    return minimize(objective, start, rows, jac=True, method="L-BFGS-B", options=options).x
