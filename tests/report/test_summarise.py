"""What the dictionary says of models and tables of many kinds."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

import rarewood as rw
from rarewood.metrics import choose_threshold
from rarewood.report import Report, summarise


def numbers(n=500, seed=0, n_columns=4):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.15).astype(int)
    X = rng.normal(size=(n, n_columns))
    X[:, 0] += 1.5 * y
    X[:, 2] -= y
    return X, y


class TestFigures:
    def test_they_are_plain(self, payments_report):
        summary = payments_report.summary
        again = json.loads(json.dumps(summary, allow_nan=False))
        assert again == summary

    def test_they_are_those_of_the_model(self, payments, payments_report):
        _, test, model = payments
        scores = model.predict_proba(test.X)[:, 1]
        summary = payments_report.summary
        assert summary["measures"]["auc"] == pytest.approx(roc_auc_score(test.y, scores))
        assert summary["measures"]["average_precision"] == pytest.approx(average_precision_score(test.y, scores))
        assert summary["decisions"]["true_positives"] == int(((scores >= 0.25) & (test.y == 1)).sum())
        assert summary["costs"] == {"false_alarm": 1.5, "miss": 20.0}
        assert summary["columns"][0]["name"] == test.feature_names[model.feature_importances_.argmax()]
        assert sum(row["importance"] for row in summary["columns"]) == pytest.approx(1.0)

    def test_rules_are_counted_on_both_tables(self, payments, payments_report):
        train, test, _ = payments
        rules = payments_report.summary["rules"]
        assert rules["source"] == "find_rules"
        found = rw.inspection.find_rules(train.X, train.y, held_out=(test.X, test.y), random_state=0)
        assert 0 < len(rules["rules"]) == len(found) == rules["n_found"] <= 10
        for rule, shown in zip(found, rules["rules"], strict=True):
            assert shown["rule"] == rule.rule
            assert (shown["train_rare"], shown["train_rest"]) == (rule.rare, rule.rest)
            assert (shown["test_rare"], shown["test_rest"]) == (rule.held_out_rare, rule.held_out_rest)
            assert shown["expected"] == [rule.precision, rule.low, rule.high]
        held = found.covers(test.X).any(axis=1)
        assert rules["together"] == {"rare": (held & (test.y == 1)).sum(), "rest": (held & (test.y == 0)).sum()}

    def test_single_rows_come_with_their_reasons(self, payments, payments_report):
        _, test, model = payments
        scores = model.predict_proba(test.X)[:, 1]
        shown = payments_report.summary["single_rows"]
        strongest = [case["row"] for case in shown["strongest"]]
        assert strongest == np.argsort(-scores, kind="stable")[:10].tolist()
        missed = np.flatnonzero((test.y == 1) & (scores < 0.25))
        assert [case["row"] for case in shown["misses"]] == missed[np.argsort(scores[missed], kind="stable")][
            :10
        ].tolist()
        told = rw.inspection.explain(model, test.X.iloc[strongest], positive=1)
        for number, case in enumerate(shown["strongest"]):
            assert case["score"] == scores[case["row"]]
            assert case["is_rare"] == (test.y[case["row"]] == 1)
            wanted = told.reasons(number, 4)
            assert [each["value"] for each in case["reasons"]] == pytest.approx([each.value for each in wanted])
            names = dict(zip(told.feature_names, test.feature_names, strict=True))
            assert [each["column"] for each in case["reasons"]] == [names[each.column] for each in wanted]

    @pytest.mark.parametrize(
        "model",
        [GaussianNB(), make_pipeline(StandardScaler(), rw.HeDExClassifier(5)), rw.BiasedRankingClassifier()],
        ids=["stranger", "pipeline", "ranking"],
    )
    def test_single_rows_of_models_without_reasons(self, model):
        X, y = numbers()
        shown = summarise(model.fit(X, y), X, y, baseline=False)["single_rows"]
        assert shown["note"]
        assert [case["reasons"] for case in shown["strongest"]] == [[]] * 10

    def test_shown_leaves_find_different_rows(self, payments):
        _, test, model = payments
        patterns = rw.inspection.extract_patterns(model, held_out=(test.X, test.y))
        rules = summarise(model, test.X, test.y, n_rules=5, baseline=False)["rules"]
        assert rules["source"] == "model"
        shown = [rule["rule"] for rule in rules["rules"]]
        chosen = patterns[[number for number, pattern in enumerate(patterns[:500]) if pattern.rule in shown]]
        assert 1 < len(shown) <= len(chosen)
        finds = chosen.covers(test.X)[test.y == 1]
        for i in range(1, len(chosen)):
            new = finds[:, i] & ~finds[:, :i].any(axis=1)
            assert new.sum() >= finds[:, i].sum() / 2 > 0

    def test_a_list_of_rules_shows_its_own(self, payments):
        train, test, _ = payments
        model = rw.RuleSetClassifier(3, random_state=0).fit(train.X, train.y)
        rules = summarise(model, test.X, test.y, n_rules=2, baseline=False)["rules"]
        covers = model.rules_.covers(test.X)
        assert [each["rule"] for each in rules["rules"]] == [rule.rule for rule in model.rules_[:2]]
        for shown, rule, held in zip(rules["rules"], model.rules_, covers.T, strict=False):
            assert (shown["test_rare"], shown["test_rest"]) == (held[test.y == 1].sum(), held[test.y == 0].sum())
            assert shown["expected"] == [rule.precision, rule.low, rule.high]
        assert rules["together"]["rare"] == covers[test.y == 1, :2].any(axis=1).sum()

    def test_no_rules_can_be_asked_for(self, payments):
        train, test, model = payments
        rules = summarise(model, test.X, test.y, n_rules=0, train=(train.X, train.y), baseline=False)["rules"]
        assert (rules["rules"], rules["together"]) == ([], None)
        assert rules["note"]

    def test_baselines_are_compared_on_the_same_rows(self, payments, payments_report):
        train, test, _ = payments
        summary = payments_report.summary
        model, regression, forest = summary["baselines"]["compared"]
        assert model["auc"] == summary["measures"]["auc"]
        assert model["found"] == pytest.approx(summary["decisions"]["true_positives"])
        assert (regression["name"], forest["name"]) == ("logistic regression", "class-weighted forest")
        lr = rw.make("bagged-lr", n_estimators=1)[0]
        expected = LogisticRegression(max_iter=1000).fit(lr.fit_transform(train.X), train.y)
        scores = expected.predict_proba(lr.transform(test.X))[:, 1]
        assert regression["auc"] == pytest.approx(roc_auc_score(test.y, scores), abs=1e-6)
        assert regression["auc_difference"] == pytest.approx(model["auc"] - regression["auc"])
        assert 0.5 < forest["auc"] < 1

    def test_the_planted_problems_are_there(self, hostile_report):
        kinds = {problem["kind"] for problem in hostile_report.summary["problems"]}
        assert {"leak", "constant"} <= kinds


class TestThresholds:
    def test_of_the_model(self, payments):
        _, test, _ = payments
        fitted = rw.HeDExClassifier(10, random_state=0).fit(test.X, test.y)
        scores = fitted.predict_proba(test.X)[:, 1]
        fitted.decision_threshold_ = choose_threshold(test.y, scores, rule="cost", costs=(2, 30))
        summary = summarise(fitted, test.X, test.y)
        assert summary["threshold"]["value"] == fitted.decision_threshold_.value
        assert summary["threshold"]["reason"] == "lowest cost at 2:30"
        assert "for the lowest cost if a false alarm costs 2 and a miss 30" in summary["threshold"]["origin"]
        assert summary["costs"] == {"false_alarm": 2.0, "miss": 30.0}
        assert summary["decisions"]["f1"] == pytest.approx(fitted.decision_threshold_.f1)

    @pytest.mark.parametrize(("rule", "floor"), [("precision", 0.3), ("recall", 0.8), ("f1", None)])
    def test_say_how_they_were_chosen(self, rule, floor):
        X, y = numbers()
        model = GaussianNB().fit(X, y)
        chosen = choose_threshold(y, model.predict_proba(X)[:, 1], rule=rule, floor=floor)
        origin = summarise(model, X, y, threshold=chosen)["threshold"]["origin"]
        assert origin.startswith("chosen for the highest")
        assert floor is None or str(floor) in origin

    @pytest.mark.parametrize(
        ("rule", "told"),
        [
            ("recall=0.8", None),
            ("recall=0.8@90%", "a recall of at least 0.8 on new rows is promised with 90% confidence."),
            ("alerts=50%@90%", "alarms on at most 50% of new rows are promised with 90% confidence."),
            ("precision=0.99@90%", "a precision of 0.99 cannot be promised"),
        ],
    )
    @pytest.mark.filterwarnings("ignore:a precision of 0.99 cannot")
    def test_say_what_is_promised(self, rule, told):
        X, y = numbers()
        model = GaussianNB().fit(X, y)
        chosen = choose_threshold(y, model.predict_proba(X)[:, 1], rule=rule)
        promise = summarise(model, X, y, threshold=chosen)["threshold"]["promise"]
        assert promise is None if told is None else promise.startswith(told)

    def test_without_one_the_page_decides_as_predict(self):
        X, y = numbers()
        model = GaussianNB().fit(X, y)
        summary = summarise(model, X, y)
        assert summary["threshold"]["value"] == 0.5
        assert summary["decisions"]["alarms"] == (model.predict(X) == 1).sum()
        assert "becomes the most probable" in summary["threshold"]["origin"]
        assert summary["costs"]["miss"] == round((y == 0).sum() / y.sum())

    @pytest.mark.parametrize("names", [("no", "yes"), ("rest", "alarm")], ids=["second", "first"])
    def test_even_chances_go_where_predict_puts_them(self, names):
        X = np.repeat([[0.0], [1.0]], [10, 30], axis=0)
        labels = np.array(names)[(np.arange(40) < 5).astype(int)]
        model = rw.TreeClassifier(random_state=0).fit(X, labels)
        chances = model.predict_proba(X)
        assert (chances[:, 0] == chances[:, 1]).any()
        decisions = summarise(model, X, labels, positive=names[1])["decisions"]
        assert decisions["alarms"] == (model.predict(X) == names[1]).sum()

    def test_with_several_classes_as_many_alarms_as_predict_raises(self):
        X, _ = numbers()  # no two rows alike, so that no scores tie
        y = np.digitize(X[:, 0] + np.random.default_rng(1).normal(size=len(X)), [-0.5, 1.0])
        model = GaussianNB().fit(X, y)
        summary = summarise(model, X, y, positive=2)
        assert 0 < summary["decisions"]["alarms"] == (model.predict(X) == 2).sum()
        assert "not quite the same" in summary["threshold"]["origin"]

    def test_for_another_class_is_refused(self):
        X, y = numbers()
        model = GaussianNB().fit(X, y)
        chosen = choose_threshold(y, model.predict_proba(X)[:, 1], positive=1)
        with pytest.raises(ValueError, match="threshold was chosen for the class 1"):
            summarise(model, X, y, threshold=chosen, positive=0)


class TestModels:
    def test_hyperplanes_have_rules_beside_them_and_say_so(self):
        train, test = numbers(), numbers(seed=1)
        model = rw.HeDExhClassifier(10, random_state=0).fit(*train)
        alone = summarise(model, *test)["rules"]
        assert (alone["source"], alone["rules"]) == (None, [])
        assert "lines through two columns" in alone["note"]
        beside = summarise(model, *test, train=train, baseline=False)["rules"]
        assert beside["source"] == "find_rules"
        assert "independently of the model" in beside["note"]
        assert beside["rules"]

    def test_of_other_libraries(self):
        train, test = numbers(), numbers(seed=1)
        model = make_pipeline(StandardScaler(), GaussianNB()).fit(*train)
        summary = summarise(model, *test, feature_names=["top", "noise", "low", "more noise"])
        assert [row["name"] for row in summary["columns"]][:2] == ["top", "low"]
        assert "shuffled" in summary["importance_meaning"]
        assert "does not decide by rules" in summary["rules"]["note"]

    def test_behind_a_sampler(self):
        train, test = numbers(300), numbers(300, seed=1)
        model = rw.make("hedex+patterns", n_estimators=10, patterns__n_estimators=10, random_state=0).fit(*train)
        summary = summarise(model, *test, train=train, baseline=False, feature_names=list("abcd"))
        assert summary["rules"]["source"] == "find_rules"
        assert any(name in summary["rules"]["rules"][0]["rule"] for name in "abcd")
        assert "total gain of all splits" in summary["importance_meaning"]
        assert summary["model"]["name"] == "PatternOversampler + HeDExClassifier"

    def test_many_classes_are_the_rare_one_against_the_rest(self):
        X, y = load_iris(return_X_y=True)
        names = np.array(["setosa", "versicolor", "virginica"])[y]
        model = rw.OneVsAllClassifier(rw.TreeClassifier(random_state=0)).fit(X[::2], names[::2])
        summary = summarise(model, X[1::2], names[1::2], positive="virginica")
        assert (summary["n_classes"], summary["positive"], summary["rest"]) == (3, "virginica", "the rest")
        scores = model.predict_proba(X[1::2])[:, 2]
        assert summary["measures"]["auc"] == pytest.approx(roc_auc_score(names[1::2] == "virginica", scores))
        assert summary["hand_till_auc"] > 0.9
        assert len(summary["data"]["classes"]) == 3

    def test_inside_searches(self):
        X, y = numbers()
        search = GridSearchCV(rw.TreeClassifier(random_state=0), {"max_depth": [2, 3]}, cv=2).fit(X, y)
        assert summarise(search, X, y)["rules"]["source"] == "model"
        tuned = TunedThresholdClassifierCV(rw.HeDExClassifier(5, max_depth=3, random_state=0), cv=2).fit(X, y)
        summary = summarise(tuned, X, y)
        assert summary["rules"]["source"] == "model"
        assert summary["threshold"] == {
            "value": tuned.best_threshold_,
            "rule": None,
            "reason": "tuned",
            "chosen_here": False,
            "origin": "tuned inside the model by cross-validation",
            "promise": None,
        }
        assert summary["decisions"]["alarms"] == (tuned.predict(X) == 1).sum()

    @pytest.mark.parametrize(
        "model", [DummyClassifier(), RandomForestClassifier(3), rw.BEATClassifier(3, random_state=0), rw.make("gini")]
    )
    def test_scores_that_say_little(self, model):
        X, y = numbers()
        labels = pd.Series(y == 1, index=np.arange(len(y))[::-1])
        summary = summarise(model.fit(X, labels), X, labels)
        assert (summary["positive"], summary["rest"]) == ("True", "False")
        assert Report(json.loads(json.dumps(summary, allow_nan=False))).html.count("<h2") == 16

    def test_text_columns_of_a_pipeline(self):
        X, y = numbers()
        frame = pd.DataFrame({"a": X[:, 0], "word": np.where(X[:, 1] > 0, "up", "down")})
        encoder = make_column_transformer((OneHotEncoder(), ["word"]), remainder="passthrough")
        model = make_pipeline(encoder, GaussianNB()).fit(frame, y)
        summary = summarise(model, frame, y, train=(frame, y))
        assert [row["nominal"] for row in summary["columns"]] == [False, True]
        assert len(summary["baselines"]["compared"]) == 3

    def test_no_rules_where_no_leaf_is_mostly_rare(self):
        X, y = numbers()
        model = rw.TreeClassifier(max_depth=1, min_samples_leaf=200).fit(X, y)
        assert "No leaf of the model" in summarise(model, X, y)["rules"]["note"]


class TestTables:
    def test_the_library_does_not_matter(self):
        X, y = numbers(n_columns=3)
        model = rw.BiasedRankingClassifier(n_iterations=1, n_estimators=5, random_state=0)
        frames = [
            pd.DataFrame(
                {"a": X[:, 0], "b": X[:, 1], "c": pd.Categorical(np.where(X[:, 2] > 0, "x", "y"))}, index=y * 7
            ),
            pl.DataFrame(
                {"a": X[:, 0], "b": X[:, 1], "c": np.where(X[:, 2] > 0, "x", "y")},
                schema_overrides={"c": pl.Categorical},
            ),
        ]
        one, other = (
            summarise(make_pipeline(model).fit(frame, y), frame, y, train=(frame, y), baseline=False)
            for frame in frames
        )
        for volatile in ("created", "model"):
            del one[volatile], other[volatile]
        assert one == other
        assert one["data"]["n_nominal"] == 1

    def test_shuffling_keeps_the_table(self):
        X, y = numbers(n_columns=3)
        frame = pd.DataFrame(X, columns=list("abc"), index=np.arange(len(y)) * 3 + 5).assign(
            c=pd.Categorical(X[:, 2] > 0)
        )
        encoded = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": (X[:, 2] > 0).astype(int)})
        model = rw.TreeClassifier(max_depth=3, random_state=0)
        for table in (frame, encoded):
            wrapped = make_pipeline("passthrough", GuardedTree(model).fit(table, y))
            rows = summarise(wrapped, table, y)["columns"]
            assert rows[0]["name"] == "a"

    def test_categorical_codes_in_an_array(self):
        X, y = numbers()
        X[:, 3] = np.arange(len(y)) % 3
        model = rw.TreeClassifier(categorical_features=[3], max_depth=3).fit(X, y)
        assert summarise(model, X, y)["data"]["n_nominal"] == 1


class GuardedTree(ClassifierMixin, BaseEstimator):
    """A classifier without importances, so that columns are shuffled; it sees tables as its user passed them."""

    def __init__(self, tree=None):
        self.tree = tree

    def fit(self, X, y):
        self.tree_ = self.tree.fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict_proba(self, X):
        return self.tree_.predict_proba(X)


class TestMistakes:
    @pytest.fixture
    def fitted(self):
        X, y = numbers()
        return rw.TreeClassifier(max_depth=3).fit(X, y), X, y

    def test_models(self, fitted):
        _, X, y = fitted
        with pytest.raises(TypeError, match="predict_proba; got LinearSVC"):
            summarise(LinearSVC().fit(X, y), X, y)
        with pytest.raises(ValueError, match="not fitted"):
            summarise(rw.TreeClassifier(), X, y)

    def test_labels(self, fitted):
        model, X, y = fitted
        with pytest.raises(ValueError, match=r"labels that the model does not know: \[2\]"):
            summarise(model, X, y + 1)
        with pytest.raises(ValueError, match="no row of the class 1"):
            summarise(model, X[y == 0], y[y == 0], positive=1)
        with pytest.raises(ValueError, match="all rows of y are of the class 1"):
            summarise(model, X[y == 1], y[y == 1])
        with pytest.raises(ValueError, match="inconsistent numbers of rows: 500 and 499"):
            summarise(model, X, y[1:])
        with pytest.raises(ValueError, match="positive='x' is not among the classes"):
            summarise(model, X, y, positive="x")

    @pytest.mark.parametrize(
        ("settings", "error", "message"),
        [
            ({"threshold": -1}, ValueError, "threshold=-1"),
            ({"threshold": "f2"}, ValueError, "threshold='f2' is not understood"),
            ({"threshold": [1]}, TypeError, "threshold="),
            ({"costs": 3}, TypeError, "give a pair"),
            ({"costs": (1, -2)}, ValueError, "costs=-2"),
            ({"train": 5}, TypeError, r"give a pair \(X, y\)"),
            ({"feature_names": ["a"]}, ValueError, "1 names, but X has 4 columns"),
            ({"n_rules": -1}, ValueError, "n_rules=-1"),
            ({"random_state": None}, TypeError, "random_state=None"),
        ],
    )
    def test_settings(self, fitted, settings, error, message):
        with pytest.raises(error, match=message):
            summarise(*fitted, **settings)

    def test_training_rows(self, fitted):
        model, X, y = fitted
        with pytest.raises(ValueError, match="inconsistent numbers of rows: 500 and 1"):
            summarise(model, X, y, train=(X, y[:1]))
        with pytest.raises(ValueError, match="2 columns, the rows of the report 4"):
            summarise(model, X, y, train=(X[:, :2], y))

    def test_no_rules_wanted(self, fitted):
        assert summarise(*fitted, n_rules=0)["rules"]["rules"] == []
