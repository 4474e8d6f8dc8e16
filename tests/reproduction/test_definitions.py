"""The declarations of the papers hang together."""

import pytest

from rarewood.reproduction.papers import PAPERS

EXPERIMENTS = [
    pytest.param(experiment, id=f"{name}/{experiment.name}")
    for name, paper in PAPERS.items()
    for experiment in paper.experiments
]
METHODS = {
    f"{name}/{method.name}": method
    for name, paper in PAPERS.items()
    for experiment in paper.experiments
    for method in experiment.methods
}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_data_sets_have_a_source_or_a_reason(experiment):
    for each in experiment.datasets:
        assert bool(each.sources) != bool(each.missing), each.name
        if not callable(each.sources):
            assert all(source.partition(":")[0] in {"local", "keel", "sklearn"} for source in each.sources)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_names_are_unique_and_known(experiment):
    sets = [each.name for each in experiment.datasets]
    methods = [each.name for each in experiment.methods]
    assert len(set(sets)) == len(sets)
    assert len(set(methods)) == len(methods)
    assert set(experiment.quick) <= set(sets)
    assert experiment.reference is None or experiment.reference in methods
    for metric, table in experiment.published.items():
        assert metric in experiment.metric_names
        assert table.metric == metric
        assert set(sets) <= set(table.scores)
        assert set(methods) <= set(table.methods)


@pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
def test_main_experiments_cover_the_printed_tables(paper):
    for experiment in paper.experiments:
        if not experiment.is_variant:
            for table in experiment.published.values():
                assert {each.name for each in experiment.datasets} == set(table.scores)
                assert {each.name for each in experiment.methods} == set(table.methods)


@pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
def test_claims_are_about_experiments_of_the_paper(paper):
    names = [experiment.name for experiment in paper.experiments]
    assert len(set(names)) == len(names)
    assert all(claim.experiment in names for claim in paper.claims)
    assert paper.citation


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
def test_methods_can_be_built(method):
    assert method.why_missing() == ""
    assert hasattr(method.build(), "fit")
