"""Which groups a tree leaves out, one draw after the other, in plain numbers."""

GAMMA, MASK = 0x9E3779B97F4A7C15, 2**64 - 1


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def stream(seed, tree):
    """The random numbers from which a tree draws its groups."""
    of_rows = mix(mix((seed + GAMMA) & MASK) ^ mix((2 * tree * GAMMA + 1) & MASK))
    key, counter = mix(of_rows ^ mix(1)), 0
    while True:
        counter += 1
        yield mix((key + counter * GAMMA) & MASK)


def below(numbers, bound):
    """Uniform: products whose lower half falls into the surplus are drawn again."""
    while True:
        product = (next(numbers) >> 32) * bound
        if product % 2**32 >= 2**32 % bound:
            return product >> 32


def groups_left_out(seed, tree, strata):
    """A fifth of each stratum, rounded, at least one and never all: Floyd's way to draw without replacement."""
    numbers, left_out, begin = stream(seed, tree), set(), 0
    for size in strata:
        wanted = 0 if size < 2 else min(max(1, round(size / 5)), size - 1)
        for last in range(size - wanted, size):
            drawn = begin + below(numbers, last + 1)
            left_out.add(begin + last if drawn in left_out else drawn)
        begin += size
    return left_out
