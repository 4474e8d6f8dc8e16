#include "parts/part_messages.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace rarewood {

namespace {

// One function per type says what it consists of; `io` writes it or reads it.
struct Out {
  ArchiveWriter archive;

  template <class T>
  void number(T const& value) {
    archive.put(value);
  }
  template <class T>
  void list(std::vector<T> const& values) {
    archive.put_list(values);
  }
  void counts(std::vector<double> const& values) { archive.put_counts(values); }
};

struct In {
  ArchiveReader archive;

  template <class T>
  void number(T& value) {
    value = archive.get<T>();
  }
  template <class T>
  void list(std::vector<T>& values) {
    values = archive.get_list<T>();
  }
  void counts(std::vector<double>& values) { values = archive.get_counts(); }
};

// Items with lists of their own.
template <class Io, class T>
void items(Io& io, T& values) {
  if constexpr (std::is_same_v<Io, In>) {
    auto const size = io.archive.template get<std::uint64_t>();
    for (std::uint64_t i = 0; i < size; ++i) {
      values.emplace_back();
      parts_of(io, values.back());
    }
  } else {
    io.number(static_cast<std::uint64_t>(values.size()));
    for (auto& value : values) parts_of(io, value);
  }
}

// The number of the alternative, then its parts.
template <class Io, class... T>
void parts_of_variant(Io& io, std::variant<T...>& value) {
  if constexpr (std::is_same_v<Io, In>) {
    auto const which = io.archive.template get<std::uint8_t>();
    std::uint8_t number = 0;
    bool const known = ((number++ == which ? (value.template emplace<T>(), true) : false) || ...);
    if (!known) throw std::invalid_argument("a message holds something unknown");
  } else {
    io.number(static_cast<std::uint8_t>(value.index()));
  }
  std::visit([&](auto& held) { parts_of(io, held); }, value);
}

template <class Io>
void parts_of(Io& io, std::optional<bool>& side) {
  std::uint8_t stored = side ? (*side ? 1 : 0) : 2;
  io.number(stored);
  if (stored == 2) {
    side.reset();
  } else {
    side = stored == 1;
  }
}

template <class Io>
void parts_of(Io& io, std::vector<Code>& order) {
  io.list(order);
}

template <class Io>
void parts_of(Io& io, Line& line) {
  io.number(line.weight_a);
  io.number(line.weight_b);
  io.number(line.offset);
}

template <class Io>
void parts_of(Io& io, std::uint64_t& number) {
  io.number(number);
}

template <class Io>
void parts_of(Io& io, Question& question) {
  io.number(question.stage);
  io.number(question.tree);
  io.number(question.node);
  io.number(question.feature);
  io.number(question.other);
  if (question.stage == Stage::cuts) {
    io.list(question.narrow);
    io.list(question.wide);
  } else if (question.stage == Stage::lines) {
    items(io, question.lines);
    items(io, question.orders_a);
    items(io, question.orders_b);
  }
}

template <class Io>
void parts_of(Io& io, Totals& totals) {
  io.counts(totals.counts);
}

template <class Io, class T>
void parts_of(Io& io, Range<T>& range) {
  io.number(range.low);
  io.number(range.high);
  io.number(range.n_present);
  io.counts(range.missing);
}

template <class Io>
void parts_of(Io& io, CategoryTable& table) {
  io.number(table.stride);
  io.list(table.categories);
  io.counts(table.counts);
}

template <class Io>
void parts_of(Io& io, Box& box) {
  for (Box::Side* side : {&box.a, &box.b}) {
    io.number(side->low);
    io.number(side->high);
    io.list(side->categories);
  }
  io.number(box.n_rows);
  io.counts(box.missing);
}

// Whether the cases are the sums of the classes, as they are where all rows weigh 1.
bool cases_are_sums(LeftCounts const& counts) {
  std::size_t const size = counts.counts.size();
  if (counts.n == 0 || size % counts.n != 0 || size / counts.n < 2) return false;  // nothing counted, or a message that was tampered with
  std::size_t const n_classes = size / counts.n - 1;
  for (std::size_t i = 0; i < counts.n; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n_classes; ++j) sum += counts.of(j)[i];
    if (sum != counts.of(n_classes)[i]) return false;
  }
  return true;
}

template <class Io>
void parts_of(Io& io, LeftCounts& counts) {
  io.number(counts.n);
  std::uint8_t implied = 0;
  if constexpr (std::is_same_v<Io, Out>) {
    implied = cases_are_sums(counts) ? 1 : 0;
    io.number(implied);
    if (implied == 0) return io.counts(counts.counts);
    io.counts({counts.counts.begin(), counts.counts.end() - static_cast<std::ptrdiff_t>(counts.n)});
  } else {
    io.number(implied);
    io.counts(counts.counts);
    if (implied == 0) return;
    std::size_t const size = counts.counts.size();
    if (counts.n == 0 || size < counts.n || size % counts.n != 0) throw std::invalid_argument("counts do not fit their candidates");
    counts.counts.resize(size + counts.n, 0.0);
    for (std::size_t i = 0; i < size; ++i) counts.counts[size + i % counts.n] += counts.counts[i];
  }
}

template <class Io>
void parts_of(Io& io, LineCounts& counts) {
  parts_of(io, counts.left);
  io.counts(counts.rows);
}

template <class Io>
void parts_of(Io& io, Answer& answer) {
  parts_of_variant(io, answer);
}

// Only cuts by value: ranks mean nothing outside a table.
template <class Io>
void parts_of(Io& io, Threshold::Split& split) {
  io.number(split.feature);
  auto const* const by_value = std::get_if<Threshold::ByValue>(&split.cut);
  double cut = by_value == nullptr ? 0.0 : by_value->cut;
  io.number(cut);
  split.cut = Threshold::ByValue{cut, {}};
  parts_of(io, split.missing_left);
}

template <class Io>
void parts_of(Io& io, CategorySet::Split& split) {
  io.number(split.feature);
  io.list(split.codes);
  io.number(split.missing_left);
}

template <class Io>
void parts_of(Io& io, Branches::Split& split) {
  io.number(split.feature);
  io.list(split.codes);
  io.number(split.missing_seen);
}

template <class Io>
void parts_of(Io& io, Plane::Split& split) {
  io.number(split.feature_a);
  io.number(split.feature_b);
  io.number(split.weight_a);
  io.number(split.weight_b);
  io.number(split.offset);
  io.list(split.map_a);
  io.list(split.map_b);
  parts_of(io, split.missing_left);
}

template <class Io>
void parts_of(Io& io, MovedNode& moved) {
  io.number(moved.node);
  io.number(moved.first_child);
  parts_of_variant(io, moved.split);
}

template <class Io>
void parts_of(Io& io, SplitLog& log) {
  io.number(log.first_tree);
  items(io, log.of_tree);
  items(io, log.before);
}

template <class Io>
void parts_of(Io& io, SubtreeTask& task) {
  io.number(task.tree);
  io.number(task.node);
  io.number(task.depth);
  io.number(task.key);
  io.list(task.features);
  io.number(task.bounds.low);
  io.number(task.bounds.high);
}

template <class Io, class T>
void parts_of(Io& io, std::vector<T>& values) {
  items(io, values);
}

// Writing visits the same functions as reading, which take what they visit as it is; nothing is changed.
template <class T>
std::string written(T const& value) {
  Out out;
  parts_of(out, const_cast<T&>(value));
  return out.archive.take();
}

template <class T>
T read(std::string_view message) {
  In in{ArchiveReader(message)};
  T value;
  parts_of(in, value);
  if (!in.archive.at_end()) throw std::invalid_argument("a message is longer than what it says");
  return value;
}

}  // namespace

std::string to_message(std::vector<Question> const& questions) { return written(questions); }
std::string to_message(std::vector<Answer> const& answers) { return written(answers); }
std::string to_message(SplitLog const& log) { return written(log); }
std::string to_message(std::vector<SubtreeTask> const& tasks) { return written(tasks); }

std::vector<Question> read_questions(std::string_view message) { return read<std::vector<Question>>(message); }
std::vector<Answer> read_answers(std::string_view message) { return read<std::vector<Answer>>(message); }
SplitLog read_splits(std::string_view message) {
  SplitLog log = read<SplitLog>(message);
  if (!log.before.empty() && log.before.size() != log.of_tree.size()) throw std::invalid_argument("splits are of other trees");
  return log;
}
std::vector<SubtreeTask> read_tasks(std::string_view message) { return read<std::vector<SubtreeTask>>(message); }

}  // namespace rarewood
