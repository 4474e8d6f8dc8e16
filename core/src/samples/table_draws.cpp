#include "rarewood/table_draws.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

#include "samples/draws.hpp"

namespace rarewood {

namespace {

struct Tally {
  std::vector<std::uint16_t>& times;

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

std::shared_ptr<TableDraws::OfTree const> TableDraws::of_tree(std::size_t tree) {
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard const lock(guard_);
    std::shared_ptr<Entry>& known = known_[tree];
    if (!known) known = std::make_shared<Entry>();
    entry = known;
  }
  std::call_once(entry->once, [&] {
    entry->draws.left_out = groups_left_out(plan_, tree);
    if (plan_.sampling == Sampling::all) return;
    entry->draws.times.assign(class_begin_.back(), 0);
    Tally tally{entry->draws.times};
    draw_rows(plan_, tree, class_begin_, tally);
  });
  return {entry, &entry->draws};
}

void TableDraws::forget() {
  std::lock_guard const lock(guard_);
  known_.clear();
}

}  // namespace rarewood
