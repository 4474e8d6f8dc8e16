#!/bin/sh
# A wheel in an environment with nothing else: the library by itself, then every command of `rarewood` once.
# sh scripts/test_installed.sh [PYTHON [WHEEL]]; WHEEL is a file, or a folder where pip finds the one that fits (dist/).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${1:-python3}" -m venv "$folder/venv"
wheel=$(realpath "${2:-$here/dist}")
PATH="$folder/venv/bin:$PATH"
pip="pip --disable-pip-version-check --quiet"
if [ -d "$wheel" ]; then
  $pip download --no-index --no-deps --only-binary :all: --find-links "$wheel" --dest "$folder/wheel" rarewood
  wheel=$(ls "$folder"/wheel/rarewood-*.whl)
fi
echo "$(python --version), $(basename "$wheel")"
cd "$folder"

step() {
  echo "+ $*"
  "$@" > "$folder/out.txt" 2>&1 || { cat "$folder/out.txt"; echo "failed: $*"; exit 1; }
}
has() { grep -q -- "$2" "$1" || { echo "no '$2' in $1"; exit 1; }; }
refuses() {
  code=$1; shift
  echo "+ $* (exit code $code)"
  set +e; "$@" > "$folder/out.txt" 2>&1; found=$?; set -e
  [ "$found" = "$code" ] || { cat "$folder/out.txt"; echo "exit code $found"; exit 1; }
}

step $pip install "$wheel"
cat > alone.py <<'PYTHON'
import numpy as np
import rarewood as rw

table = rw.datasets.make_planted_rules(1500, random_state=0)
model = rw.RareClassifier(n_estimators=60, random_state=0).fit(table.X, table.y)
rw.save(model, "alone.rarewood")
loaded = rw.load("alone.rarewood")
assert np.array_equal(loaded.predict_proba(table.X), model.predict_proba(table.X))
assert len(rw.inspection.find_rules(table.X, table.y, random_state=0)) > 0
later = rw.datasets.make_planted_rules(1500, random_state=1)
assert not rw.monitoring.monitor(loaded, later.X).findings
print(model)
PYTHON
step python -W error alone.py
refuses 8 rarewood --help
has out.txt 'pip install typer'

step $pip install "${wheel}[cli,data,report]"
cat > page.py <<'PYTHON'
import rarewood as rw

table = rw.datasets.load("page_blocks")
train, test = (table.X[::2], table.y[::2]), (table.X[1::2], table.y[1::2])
model = rw.RareClassifier(n_estimators=60, random_state=0).fit(*train)
rw.report.build(model, *test, train=train, path="blocks.html")
PYTHON
step python -W error page.py
has blocks.html 'had not seen it (out-of-bag)'
step rarewood --version
step rarewood --help
step rarewood demo --quick --output demo
has out.txt report.html
step rarewood fit demo/payments.csv --target fraud --id payment_id --output m.rarewood
has out.txt 'average precision'
step rarewood describe m.rarewood
step rarewood predict m.rarewood demo/payments-test.csv --rules --output scored.csv
has scored.csv 'payment_id,score,label,rules'
gzip -c demo/payments-test.csv | rarewood predict m.rarewood - --quiet > piped.csv
cut -d, -f1-3 scored.csv | cmp - piped.csv
step rarewood rules m.rarewood demo/payments-test.csv
has out.txt 'payments-test.csv'
step rarewood compare demo/payments.csv sklearn:iris --drop payment_id --method hddt,c4.5 --protocol 1x2 --output page.html
has page.html '<table'
step rarewood reproduce ihd --experiment table-3 --dataset wine --method Gini,iHD --protocol 1x2 --output ihd.md
has ihd.md wine
step rarewood report m.rarewood demo/payments-test.csv --train demo/payments.csv --output report.html
has report.html '</html>'
step rarewood monitor m.rarewood demo/payments-test.csv --html month.html
has month.html '</html>'
step rarewood review m.rarewood demo/payments-test.csv -n 50 --output review.csv
step rarewood recalibrate m.rarewood demo/payments-test.csv --output m2.rarewood
refuses 3 rarewood fit nothing.csv
refuses 4 rarewood fit demo/payments.csv --target nothing
refuses 5 rarewood predict demo/payments.csv demo/payments.csv
refuses 6 rarewood predict m.rarewood scored.csv
refuses 2 rarewood fit demo/payments.csv --method nothing
echo 'all commands work'
