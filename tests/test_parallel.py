"""Threads of the core that cannot be started, for want of memory or by a limit: those there are do the work."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = """
#include <atomic>
#include <cstdlib>
#include <new>

#include "base/parallel.hpp"

std::atomic<int> left{-1};  // allocations that succeed; all if negative

void* operator new(std::size_t size) {
  if (left == 0) throw std::bad_alloc();
  if (left > 0) --left;
  if (void* found = std::malloc(size)) return found;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

struct Nobody final : rarewood::Monitor {
  void poll() override {}
};

int main() {
  Nobody nobody;
  std::atomic<int> done{0};
  left = 2;  // the list of helpers and the first of them
  rarewood::parallel_for(100, 8, nobody, [&](std::size_t, rarewood::Monitor&) { ++done; });
  left = -1;
  return done == 100 ? 0 : 1;
}
"""


@pytest.mark.skipif(shutil.which("c++") is None or not (ROOT / "core").is_dir(), reason="needs a compiler and the core")
def test_no_memory_for_another_thread(tmp_path):
    (tmp_path / "main.cpp").write_text(PROGRAM)
    include = [f"-I{ROOT / 'core' / folder}" for folder in ("include", "src")]
    built = tmp_path / "main"
    subprocess.run(["c++", "-std=c++20", "-pthread", *include, tmp_path / "main.cpp", "-o", built], check=True)
    assert subprocess.run([built], check=False, timeout=60).returncode == 0
