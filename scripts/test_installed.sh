#!/bin/sh
# Every command of `rarewood`, once, from a wheel (the newest in dist/) in an environment with nothing else.
# sh scripts/test_installed.sh [PYTHON [WHEEL]]
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
wheel=$(realpath "${2:-$(ls -t "$here"/dist/rarewood-*.whl | head -1)}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${1:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "${wheel}[cli,data,report]"
cd "$folder"
PATH="$folder/venv/bin:$PATH"

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

step rarewood --version
step rarewood --help
step rarewood demo --quick --output demo
has out.txt report.html
step rarewood fit demo/payments.csv --target fraud --id payment_id --output m.rarewood
has out.txt 'average precision'
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
refuses 3 rarewood fit nothing.csv
refuses 4 rarewood fit demo/payments.csv --target nothing
refuses 5 rarewood predict demo/payments.csv demo/payments.csv
refuses 6 rarewood predict m.rarewood scored.csv
refuses 2 rarewood fit demo/payments.csv --method nothing
echo 'all commands work'
