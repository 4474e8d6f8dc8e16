#!/bin/sh
# Says which of the few things a build needs are missing and how to get them. Usage: check_prerequisites.sh PYTHON
# Everything else (cmake, ninja, nanobind, numpy, ...) comes from the package index.
python=${1:-python3}
cxx=${CXX:-c++}
problems=0

if command -v apt-get >/dev/null 2>&1; then system=debian
elif command -v dnf >/dev/null 2>&1; then system=fedora
elif [ "$(uname)" = Darwin ]; then system=macos
else system=other; fi

# missing WHAT DEBIAN FEDORA MACOS
missing() {
  problems=$((problems + 1))
  echo "rarewood: missing $1" >&2
  case $system in
    debian) echo "    get it with:  sudo apt-get install $2" >&2 ;;
    fedora) echo "    get it with:  sudo dnf install $3" >&2 ;;
    macos)  echo "    get it with:  $4" >&2 ;;
    *)      echo "    packages: Debian/Ubuntu $2; Fedora $3; macOS: $4" >&2 ;;
  esac
}

if ! command -v "$cxx" >/dev/null 2>&1; then
  missing "a C++ compiler ('$cxx'; set CXX for another name)" g++ gcc-c++ "xcode-select --install"
elif ! printf '#include <concepts>\n#include <ranges>\n#include <span>\nint main() {}\n' |
    "$cxx" -std=c++20 -x c++ -fsyntax-only - >/dev/null 2>&1; then
  missing "a C++20 compiler: '$cxx' is too old (GCC 11 or Clang 14 and later will do; set CXX for another name)" \
    g++-12 gcc-c++ "xcode-select --install"
fi

if ! "$python" -c "" >/dev/null 2>&1; then  # a name that stands for no version, as of pyenv, is none
  missing "Python ('$python'; another one: make PYTHON=python3.12 ...)" "python3 python3-venv python3-dev" "python3 python3-devel" "brew install python"
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  missing "Python 3.11 or later: '$python' is $("$python" -c 'import platform; print(platform.python_version())')
    if a newer one is installed under another name:  make PYTHON=python3.12 ..." \
    "python3.12 python3.12-venv python3.12-dev" "python3.12 python3.12-devel" "brew install python"
else
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  case $python in *"$version") package=python$version ;; *) package=python3 ;; esac
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    missing "the venv module of $python" "$package-venv" "$package" "brew install python"
  "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
    missing "the C headers of $python (Python.h)" "$package-dev" "$package-devel" "brew install python"
fi

exit $((problems > 0))
