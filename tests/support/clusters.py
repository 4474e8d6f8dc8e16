"""Dask clusters of tests."""

from contextlib import contextmanager, suppress


@contextmanager
def client_of(workers):
    """A client of a cluster; both are closed in the end."""
    from distributed import Client

    try:
        with Client(workers) as client:
            yield client
    finally:
        with suppress(KeyError):  # Dask's list of workers may forget one before it hears that the worker has left
            workers.close()
