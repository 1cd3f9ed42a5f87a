import pytest


@pytest.fixture(scope='module')
def cluster():
    """A Dask cluster of two processes; its nannies start a new one for each that ends."""
    distributed = pytest.importorskip('distributed')
    import dask

    with (
        # A task may lose one worker.
        dask.config.set({'distributed.scheduler.allowed-failures': 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=':0'
        ) as cluster,
    ):
        yield cluster
