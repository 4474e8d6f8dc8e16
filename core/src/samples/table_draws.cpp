#include "rarewood/table_draws.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

#include "samples/draws.hpp"

namespace rarewood {

namespace {

struct Tally {
  TableDraws::Times& times;

  bool has(std::size_t row) const { return times[row] != 0; }
  void add(std::size_t row) {
    if (times[row] == std::numeric_limits<std::uint16_t>::max()) throw std::runtime_error("a row was drawn too often to be counted");
    ++times[row];
  }
};

}  // namespace

TableDraws::TableDraws(ForestPlan plan, std::vector<std::size_t> const& class_sizes) : plan_(std::move(plan)), class_begin_{0} {
  plan_.check();
  for (std::size_t size : class_sizes) class_begin_.push_back(class_begin_.back() + size);
  check_draws(plan_, class_begin_);
}

std::shared_ptr<TableDraws::Times const> TableDraws::times(std::size_t tree) {
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard const lock(guard_);
    std::shared_ptr<Entry>& known = known_[tree];
    if (!known) known = std::make_shared<Entry>();
    entry = known;
  }
  std::call_once(entry->once, [&] {
    entry->times.assign(class_begin_.back(), 0);
    Tally tally{entry->times};
    draw_rows(plan_, tree, class_begin_, tally);
  });
  return {entry, &entry->times};
}

void TableDraws::forget() {
  std::lock_guard const lock(guard_);
  known_.clear();
}

}  // namespace rarewood
