#include "search/splitters/line_rows.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>

namespace rarewood {

namespace {

double farthest(Box::Side const& side) { return std::max(std::abs(side.from()), std::abs(side.to())); }

template <class T>
void make_room(std::vector<T>& cells, std::size_t n) {
  if (cells.size() < n) cells.resize(n);
}

template <class T>
void find_sides(Line const& line, T const* a, T const* b, std::size_t n, std::uint8_t* sides) {
  Line const l = line;
  for (std::size_t i = 0; i < n; ++i) sides[i] = l.has_left(static_cast<double>(a[i]), static_cast<double>(b[i])) ? 0 : 1;
}

}  // namespace

Box const& LineRows::ask(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b) {
  n_asked_ = node.size();
  box_.a.categories.clear();
  box_.b.categories.clear();
  box_.missing.assign(n_classes_ + 1, 0.0);
  make_room_for(data_->n_categories(feature_a), a_, placed_.a);
  make_room_for(data_->n_categories(feature_b), b_, placed_.b);
  bool const any_missing = data_->has_missing(feature_a) || data_->has_missing(feature_b);
  are_narrow_ = node.weights.empty() && !node.data->narrow(feature_a).empty() && !node.data->narrow(feature_b).empty();
  are_paired_ = are_worth_pairing(node, feature_a, feature_b);
  if (are_paired_) {
    pair_up(node, feature_a, feature_b);
  } else if (any_missing) {
    gather_any(node, feature_a, feature_b);
    find_side(feature_a, a_, box_.a);
    find_side(feature_b, b_, box_.b);
  } else {
    gather_all(node, feature_a, feature_b);
  }
  return box_;
}

// Of the whole column: where rows are elsewhere, too, lines place categories that no row here has.
void LineRows::make_room_for(std::size_t n_categories, Axis& axis, PlacedCounting::Terms& terms) {
  make_room(axis.is_seen, n_categories);
  make_room(terms.of_category, PlacedCounting::at_once * n_categories);
}

// In blocks that stay in the first-level cache: positions until both columns are read, cells until their extremes are known.
void LineRows::gather_all(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b) {
  constexpr std::size_t block = 2048;
  std::size_t const n = node.size();
  box_.n_rows = n;
  class_begin_.assign(node.class_begin.begin(), node.class_begin.end());
  weights_ = node.weights;
  box_.a.low = box_.a.high = box_.b.low = box_.b.high = 0.0;
  for (std::size_t begin = 0; begin < n; begin += block) {
    std::size_t const size = std::min(block, n - begin);
    gather_block(node, feature_a, begin, size, a_, box_.a);
    gather_block(node, feature_b, begin, size, b_, box_.b);
  }
  if (data_->is_nominal(feature_a)) find_categories(data_->n_categories(feature_a), a_, box_.a.categories);
  if (data_->is_nominal(feature_b)) find_categories(data_->n_categories(feature_b), b_, box_.b.categories);
}

void LineRows::gather_block(NodeRows const& node, std::uint32_t feature, std::size_t begin, std::size_t size, Axis& axis,
                            Box::Side& side) const {
  Position const* const positions = node.positions.data() + begin;
  auto const gather = [&]<class T, class To>(T const* column, std::vector<To>& cells) {
    make_room(cells, node.size());
    gather_cells(column, positions, size, cells.data() + begin);
    return cells.data() + begin;
  };
  auto const widen_side = [&]<class T>(T const* cells) {
    T low = begin == 0 ? cells[0] : static_cast<T>(side.low), high = begin == 0 ? cells[0] : static_cast<T>(side.high);
    widen(cells, size, low, high);
    side.low = static_cast<double>(low);
    side.high = static_cast<double>(high);
  };
  if (are_narrow_) return widen_side(gather(node.data->narrow(feature).data(), axis.narrow));
  if (data_->is_nominal(feature)) {
    gather(node.data->codes(feature).data(), axis.codes);
  } else if (std::span<float const> const narrow = node.data->narrow(feature); !narrow.empty()) {
    widen_side(gather(narrow.data(), axis.wide));
  } else {
    widen_side(gather(node.data->wide(feature).data(), axis.wide));
  }
}

void LineRows::gather_any(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b) {
  Dataset const& data = *node.data;
  auto const with_column = [&](std::uint32_t feature, auto visit) {
    if (!data.narrow(feature).empty()) return visit(data.narrow(feature).data());
    if (!data.wide(feature).empty()) return visit(data.wide(feature).data());
    visit(data.codes(feature).data());
  };
  with_column(feature_a, [&]<class A>(A const* a) {
    with_column(feature_b, [&]<class B>(B const* b) {
      if constexpr (std::is_same_v<A, float> && std::is_same_v<B, float>) {
        if (are_narrow_) return gather_present(node, a, b, a_.narrow, b_.narrow);
      }
      if constexpr (std::is_same_v<A, Code> && std::is_same_v<B, Code>) {
        gather_present(node, a, b, a_.codes, b_.codes);
      } else if constexpr (std::is_same_v<A, Code>) {
        gather_present(node, a, b, a_.codes, b_.wide);
      } else if constexpr (std::is_same_v<B, Code>) {
        gather_present(node, a, b, a_.wide, b_.codes);
      } else {
        gather_present(node, a, b, a_.wide, b_.wide);
      }
    });
  });
}

template <class A, class B, class ToA, class ToB>
void LineRows::gather_present(NodeRows const& node, A const* column_a, B const* column_b, std::vector<ToA>& a, std::vector<ToB>& b) {
  make_room(a, node.size());
  make_room(b, node.size());
  make_room(is_present_, node.size());
  bool const weighted = !node.weights.empty();
  if (weighted) make_room(weight_buffer_, node.size());
  class_begin_.resize(n_classes_ + 1);
  ToA* const to_a = a.data();
  ToB* const to_b = b.data();
  std::uint8_t* const is_present = is_present_.data();
  Position const* const positions = node.positions.data();
  std::size_t n_rows = 0;
  for (std::size_t j = 0; j < n_classes_; ++j) {
    std::size_t const begin = node.class_begin[j], end = node.class_begin[j + 1];
    class_begin_[j] = n_rows;
    for (std::size_t i = begin; i < end; ++i) {  // without a branch, which would be wrong too often
      A const cell_a = column_a[positions[i]];
      B const cell_b = column_b[positions[i]];
      to_a[n_rows] = static_cast<ToA>(cell_a);
      to_b[n_rows] = static_cast<ToB>(cell_b);
      is_present[i] = static_cast<std::uint8_t>(!is_missing(cell_a) & !is_missing(cell_b));
      n_rows += is_present[i];
    }
    if (weighted) {
      keep_weights(node, j);
    } else {
      box_.missing[j] = static_cast<double>(end - begin - (n_rows - class_begin_[j]));
      box_.missing[n_classes_] += box_.missing[j];
    }
  }
  class_begin_[n_classes_] = n_rows;
  box_.n_rows = n_rows;
  weights_ = weighted ? std::span<double const>(weight_buffer_.data(), n_rows) : std::span<double const>{};
}

// Of the rows of a class that have both columns; what the others weigh goes to the missing ones.
void LineRows::keep_weights(NodeRows const& node, std::size_t cls) {
  std::size_t n_kept = class_begin_[cls];
  for (std::size_t i = node.class_begin[cls]; i < node.class_begin[cls + 1]; ++i) {
    weight_buffer_[n_kept] = node.weights[i];
    n_kept += is_present_[i];
    if (is_present_[i] != 0) continue;
    box_.missing[cls] += node.weights[i];
    box_.missing[n_classes_] += node.cases_of(node.weights[i]);
  }
}

void LineRows::find_side(std::uint32_t feature, Axis& axis, Box::Side& side) const {
  side.low = side.high = 0.0;
  if (data_->is_nominal(feature)) return find_categories(data_->n_categories(feature), axis, side.categories);
  if (box_.n_rows == 0) return;
  if (are_narrow_) {
    float low = axis.narrow[0], high = low;
    widen(axis.narrow.data(), box_.n_rows, low, high);
    side.low = static_cast<double>(low);
    side.high = static_cast<double>(high);
  } else {
    side.low = side.high = axis.wide[0];
    widen(axis.wide.data(), box_.n_rows, side.low, side.high);
  }
}

// Those present, ascending.
void LineRows::find_categories(std::size_t n_categories, Axis& axis, std::vector<Code>& categories) const {
  std::span<Code const> const cells(axis.codes.data(), box_.n_rows);
  std::uint8_t* const is_seen = axis.is_seen.data();
  if (n_categories > 4 * cells.size()) {
    for (Code const code : cells) {
      if (is_seen[code] == 0) categories.push_back(code);
      is_seen[code] = 1;
    }
    std::sort(categories.begin(), categories.end());
  } else {
    for (Code const code : cells) is_seen[code] = 1;
    categories.resize(n_categories);
    std::size_t n_seen = 0;
    for (Code code = 0; code < n_categories; ++code) {  // without a branch, which would be wrong too often
      categories[n_seen] = code;
      n_seen += is_seen[code];
    }
    categories.resize(n_seen);
  }
  for (Code const code : categories) is_seen[code] = 0;
}

bool LineRows::are_worth_pairing(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b) const {
  if (!may_pair_ || !node.weights.empty() || !data_->is_nominal(feature_a) || !data_->is_nominal(feature_b)) return false;
  return 4 * n_classes_ * (data_->n_categories(feature_a) + 1) * (data_->n_categories(feature_b) + 1) <= node.size();
}

void LineRows::pair_up(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b) {
  n_a_ = data_->n_categories(feature_a) + 1;
  n_b_ = data_->n_categories(feature_b) + 1;
  make_room(cells_, node.size());
  pair_rows_.assign(n_classes_ * n_a_ * n_b_, 0);
  Code const* const column_a = node.data->codes(feature_a).data();
  Code const* const column_b = node.data->codes(feature_b).data();
  Code const last_a = static_cast<Code>(n_a_ - 1), last_b = static_cast<Code>(n_b_ - 1);  // missing_code is larger than any
  for (std::size_t j = 0; j < n_classes_; ++j) {
    std::uint32_t* const rows = pair_rows_.data() + j * n_a_ * n_b_;
    for (std::size_t i = node.class_begin[j]; i < node.class_begin[j + 1]; ++i) {
      Position const row = node.positions[i];
      std::uint32_t const cell = std::min(column_a[row], last_a) * static_cast<std::uint32_t>(n_b_) + std::min(column_b[row], last_b);
      cells_[i] = cell;
      ++rows[cell];
    }
  }
  list_pairs();
}

// From the table to points and box.
void LineRows::list_pairs() {
  std::size_t const last_a = n_a_ - 1, last_b = n_b_ - 1;
  std::size_t const most = n_classes_ * last_a * last_b;
  make_room(a_.codes, most);
  make_room(b_.codes, most);
  make_room(weight_buffer_, most);
  class_begin_.resize(n_classes_ + 1);
  box_.n_rows = 0;
  std::size_t n_points = 0;
  for (std::size_t j = 0; j < n_classes_; ++j) {
    class_begin_[j] = n_points;
    std::uint32_t const* rows = pair_rows_.data() + j * n_a_ * n_b_;
    for (std::size_t a = 0; a < n_a_; ++a) {
      for (std::size_t b = 0; b < n_b_; ++b, ++rows) {
        if (*rows == 0) continue;
        if (a == last_a || b == last_b) {
          box_.missing[j] += static_cast<double>(*rows);
          box_.missing[n_classes_] += static_cast<double>(*rows);
          continue;
        }
        a_.codes[n_points] = static_cast<Code>(a);
        b_.codes[n_points] = static_cast<Code>(b);
        a_.is_seen[a] = b_.is_seen[b] = 1;
        weight_buffer_[n_points++] = static_cast<double>(*rows);
        box_.n_rows += *rows;
      }
    }
  }
  class_begin_[n_classes_] = n_points;
  weights_ = {weight_buffer_.data(), n_points};
  for (auto const& [axis, side, n] : {std::tie(a_, box_.a, last_a), std::tie(b_, box_.b, last_b)}) {
    for (std::size_t code = 0; code < n; ++code) {
      if (axis.is_seen[code] != 0) side.categories.push_back(static_cast<Code>(code));
      axis.is_seen[code] = 0;
    }
  }
}

void LineRows::count(NodeRows const& node, LinesToCount const& asked, LineCounts& counts) {
  if (are_placed()) return count_placed(node, asked, counts);
  if (!weights_.empty()) {
    for (std::size_t const k : asked.numbers) count_weighted(node, k, asked.lines[k], a_.wide.data(), b_.wide.data(), counts);
    return;
  }
  counting_.set(asked.lines, asked.numbers, farthest(box_.a), farthest(box_.b));
  if (are_narrow_) return count_added(asked.numbers, a_.narrow.data(), b_.narrow.data(), counts);
  count_added(asked.numbers, a_.wide.data(), b_.wide.data(), counts);
}

// Makes a line the given one of the group that is counted next.
void LineRows::place(LinesToCount const& asked, std::size_t number, std::size_t line) {
  Line const& which = asked.lines[number];
  placed_.set(line, which);
  if (a_.is_placed(box_.a)) placed_.a.set(line, which.weight_a, asked.order_a(number));
  if (b_.is_placed(box_.b)) placed_.b.set(line, which.weight_b, asked.order_b(number));
}

void LineRows::count_placed(NodeRows const& node, LinesToCount const& asked, LineCounts& counts) {
  constexpr std::size_t at_once = PlacedCounting::at_once;
  PlacedAxis const a = a_.placed(box_.a), b = b_.placed(box_.b);
  for (std::size_t first = 0; first < asked.numbers.size(); first += at_once) {
    auto const group = asked.numbers.subspan(first, std::min(at_once, asked.numbers.size() - first));
    for (std::size_t l = 0; l < group.size(); ++l) place(asked, group[l], l);
    for (std::size_t const k : group) counts.rows[k] = counts.left.of(n_classes_)[k] = 0.0;
    for (std::size_t j = 0; j < n_classes_; ++j) {
      std::size_t const begin = class_begin_[j];
      std::size_t const n = class_begin_[j + 1] - begin;
      if (n == 0) continue;  // counts are 0 from the beginning
      double rows[at_once], left[at_once];
      if (!are_paired_) placed_.count(group.size(), a.from(begin), b.from(begin), n, rows);
      if (!weights_.empty()) placed_.add_weights(group.size(), a.from(begin), b.from(begin), n, weights_.data() + begin, left);
      double const* const n_rows = are_paired_ ? left : rows;
      double const* const weight = weights_.empty() ? rows : left;
      for (std::size_t l = 0; l < group.size(); ++l) {
        counts.left.of(j)[group[l]] = weight[l];
        counts.rows[group[l]] += n_rows[l];
        // Weights that are cases are whole numbers, so the order in which they are added does not show.
        counts.left.of(n_classes_)[group[l]] += node.weights_are_cases ? weight[l] : n_rows[l];
      }
    }
  }
}

template <class T>
void LineRows::count_added(std::span<std::size_t const> numbers, T const* a, T const* b, LineCounts& counts) {
  double* const rows = counts.rows.data();
  double* const cases = counts.left.of(n_classes_);
  bool const all = numbers.size() == counts.rows.size();  // in order, then
  make_room(n_left_, numbers.size());
  for (std::size_t k : numbers) rows[k] = 0.0;
  for (std::size_t j = 0; j < n_classes_; ++j) {
    std::size_t const begin = class_begin_[j], end = class_begin_[j + 1];
    if (begin == end) continue;  // counts are 0 from the beginning
    counting_.count(a + begin, b + begin, end - begin, n_left_.data());
    double* const left = counts.left.of(j);
    std::int32_t const* const found = n_left_.data();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::size_t const line = all ? i : numbers[i];
      left[line] = found[i];
      rows[line] += found[i];
    }
  }
  for (std::size_t k : numbers) cases[k] = rows[k];
}

void LineRows::count_weighted(NodeRows const& node, std::size_t number, Line const& line, double const* a, double const* b,
                              LineCounts& counts) const {
  double rows = 0.0, cases = 0.0;
  for (std::size_t j = 0; j < n_classes_; ++j) {
    double left = 0.0;
    for (std::size_t i = class_begin_[j]; i < class_begin_[j + 1]; ++i) {
      if (!line.has_left(a[i], b[i])) continue;
      rows += 1.0;
      left += weights_[i];
      cases += node.cases_of(weights_[i]);
    }
    counts.left.of(j)[number] = left;
  }
  counts.left.of(n_classes_)[number] = cases;
  counts.rows[number] = rows;
}

std::span<std::uint8_t const> LineRows::sides_of(LinesToCount const& asked, std::size_t number, std::uint8_t of_missing) {
  if (are_paired_) {
    place(asked, number, 0);
    return sides_of_pairs(of_missing);
  }
  make_room(sides_, box_.n_rows);
  if (are_placed()) {
    place(asked, number, 0);
    placed_.find_sides(0, a_.placed(box_.a), b_.placed(box_.b), box_.n_rows, sides_.data());
  } else if (are_narrow_) {
    find_sides(asked.lines[number], a_.narrow.data(), b_.narrow.data(), box_.n_rows, sides_.data());
  } else {
    find_sides(asked.lines[number], a_.wide.data(), b_.wide.data(), box_.n_rows, sides_.data());
  }
  if (!box_.any_missing()) return {sides_.data(), box_.n_rows};
  make_room(all_sides_, n_asked_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < n_asked_; ++i) {
    all_sides_[i] = is_present_[i] != 0 ? sides_[next] : of_missing;
    next += is_present_[i];
  }
  return {all_sides_.data(), n_asked_};
}

std::span<std::uint8_t const> LineRows::sides_of_pairs(std::uint8_t of_missing) {
  make_room(sides_, weights_.size());
  placed_.find_sides(0, a_.placed(box_.a), b_.placed(box_.b), weights_.size(), sides_.data());
  cell_sides_.assign(n_a_ * n_b_, of_missing);
  for (std::size_t i = 0; i < weights_.size(); ++i) cell_sides_[a_.codes[i] * n_b_ + b_.codes[i]] = sides_[i];
  make_room(all_sides_, n_asked_);
  for (std::size_t i = 0; i < n_asked_; ++i) all_sides_[i] = cell_sides_[cells_[i]];
  return {all_sides_.data(), n_asked_};
}

}  // namespace rarewood
