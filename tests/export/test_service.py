"""The example of a service answers what the model says."""

import importlib.util
from pathlib import Path

import pytest

import rarewood as rw

SERVICE = Path(__file__).parents[2] / "examples" / "service.py"


@pytest.mark.peer
@pytest.mark.filterwarnings("ignore")
def test_the_service_answers_as_the_model(tmp_path, monkeypatch):
    pytest.importorskip("fastapi", reason="the example is made of fastapi")
    pytest.importorskip("httpx", reason="fastapi's client for tests needs httpx")
    from fastapi.testclient import TestClient

    payments = rw.datasets.make_planted_rules(1500, random_state=0)
    model = rw.RareClassifier(30, random_state=0).fit(payments.X, payments.y)
    rw.save(model, tmp_path / "fraud.rarewood")
    monkeypatch.setenv("MODEL", str(tmp_path / "fraud.rarewood"))
    spec = importlib.util.spec_from_file_location("service", SERVICE)
    service = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(service)
    client = TestClient(service.app)

    few = payments.X.iloc[:3]
    rows = [{name: None if cell != cell else cell for name, cell in row.items()} for row in few.to_dict("records")]
    answer = client.post("/score?reasons=2", json=rows)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert [each["probability"] for each in found] == model.predict_proba(few)[:, 1].tolist()
    assert [each["label"] for each in found] == [str(label) for label in model.predict(few)]
    assert all(len(each["reasons"]) == 2 for each in found)
    assert client.post("/score", json=[{"amount": 3}]).status_code == 422
