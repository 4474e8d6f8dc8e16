#!/bin/sh
# A browser for the tests of reports: Debian's chromium, installed where that needs no password. Without one they are skipped.
for name in "${RAREWOOD_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
  if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo 'installing chromium for the tests of reports'
  export DEBIAN_FRONTEND=noninteractive
  if { apt-get update && apt-get install -y --no-install-recommends chromium; } >/dev/null 2>&1; then exit 0; fi
fi
echo 'no chromium: the tests of reports in a browser will be skipped; get it with:  sudo apt-get install chromium' >&2
