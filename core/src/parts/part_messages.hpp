// What a tree that grows without rows and the parts that hold them tell each other.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/archive.hpp"
#include "rarewood/node_test.hpp"
#include "search/answers.hpp"
#include "search/splitters/line_drawing.hpp"

namespace rarewood {

// totals: of the root of a tree. ranges: of a column or a pair, and for categories all there is to know. cuts, lines: counts left of them.
enum class Stage : std::uint8_t { totals, ranges, cuts, lines };

struct Question {
  Stage stage = Stage::totals;
  std::uint32_t tree = 0;
  std::uint32_t node = 0;
  std::uint32_t feature = 0;
  std::uint32_t other = 0;      // as in Request
  std::vector<float> narrow{};  // cuts of a column of float32
  std::vector<double> wide{};   // of float64
  std::vector<Line> lines{};
  LineOrders orders_a{}, orders_b{};

  bool is_pair() const { return other != feature; }
};

struct Totals {
  std::vector<double> counts;  // classes and cases

  Totals& operator+=(Totals const& more) {
    add_each(counts, more.counts);
    return *this;
  }
};

using Answer = std::variant<Totals, Range<float>, Range<double>, CategoryTable, Box, LeftCounts, LineCounts>;

// A node that was split: its rows have moved to children numbered from `first_child` on.
struct MovedNode {
  std::uint32_t node = 0;
  std::uint32_t first_child = 0;
  Split split;
};

// The splits of the trees that grow at present, in an order in which a node comes after its parent.
struct SplitLog {
  std::uint32_t first_tree = 0;  // in the plan
  std::vector<std::vector<MovedNode>> of_tree;
  std::vector<std::uint64_t> before{};  // splits of each tree that come before these; empty: none

  std::size_t n_before(std::size_t tree) const { return before.empty() ? 0 : before[tree]; }
  std::size_t n_after(std::size_t tree) const { return n_before(tree) + of_tree[tree].size(); }
};

// A node whose rows are to be gathered and grown to the end.
struct SubtreeTask {
  std::uint32_t tree = 0;
  std::uint32_t node = 0;
  std::uint64_t depth = 0;
  std::uint64_t key = 0;
  std::vector<std::uint32_t> features{};  // those not known to be constant
  ShareBounds bounds{};
};

std::string to_message(std::vector<Question> const& questions);
std::string to_message(std::vector<Answer> const& answers);
std::string to_message(SplitLog const& log);
std::string to_message(std::vector<SubtreeTask> const& tasks);

std::vector<Question> read_questions(std::string_view message);
std::vector<Answer> read_answers(std::string_view message);
SplitLog read_splits(std::string_view message);
std::vector<SubtreeTask> read_tasks(std::string_view message);

}  // namespace rarewood
