#!/bin/sh
# The programs beside Python packages that tests compare with: R with ranger, Java with Weka, Chromium. Debian's packages, installed where
# that needs no password; a program that is still missing is named, and its tests will fail.
missing() {
  command -v Rscript >/dev/null 2>&1 && Rscript -e 'library(ranger)' >/dev/null 2>&1 || printf ' r-base-core r-cran-ranger'
  command -v javac >/dev/null 2>&1 || printf ' default-jdk-headless'
  [ -f "${WEKA_JAR:-/usr/share/java/weka.jar}" ] || printf ' weka'
}
sh "$(dirname "$0")/get_browser.sh"
wanted=$(missing)
if [ -n "$wanted" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing$wanted"
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  { apt-get update && apt-get install -y --no-install-recommends $wanted; } >/dev/null 2>&1
  wanted=$(missing)
fi
if [ -n "$wanted" ]; then echo "missing:$wanted; get it with:  sudo apt-get install$wanted" >&2; fi
