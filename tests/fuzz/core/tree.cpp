// libFuzzer: a tree of any bytes is refused by its checks, or can be asked everything: leaves, probabilities, paths, counts, pruning, reasons.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "rarewood/predict.hpp"
#include "rarewood/prune.hpp"
#include "rarewood/shap.hpp"
#include "rarewood/tree.hpp"

namespace {

using namespace rarewood;

// Numbers off a string of bytes; zeros at its end. Most are small, as the indices of a small tree are.
class Bytes {
 public:
  Bytes(std::uint8_t const* data, std::size_t size) : data_(data), left_(size) {}

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  std::uint32_t number() {
    std::uint32_t const first = byte();
    if (first < 250) return first;
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | byte();
    return value;
  }
  double real() {
    std::uint8_t const first = byte();
    if (first < 240) return first < 120 ? first : 0.125 * (first - 180);
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | byte();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

 private:
  std::uint8_t const* data_;
  std::size_t left_;
};

Tree read_tree(Bytes& bytes) {
  Tree tree;
  tree.n_features = 1 + bytes.byte() % 4;
  tree.n_classes = 1 + bytes.byte() % 3;
  tree.nodes.resize(bytes.byte() % 64);
  tree.category_lists.resize(bytes.byte() % 8);
  tree.category_pool.resize(bytes.byte() % 32);
  auto& planes = tree.records_of<Plane>();
  planes.resize(bytes.byte() % 8);
  tree.leaf_table.resize(bytes.byte() % 32);
  tree.importances.resize(bytes.byte() % 8);
  for (Node& node : tree.nodes) {
    std::uint8_t const what = bytes.byte();
    node = Node(what & 7U, bytes.byte() % 5, (what & 8U) != 0, bytes.real());
    node.first_child = bytes.number();
    if (what >= 250) node.packed = bytes.number();
  }
  for (CategoryList& list : tree.category_lists) list = {bytes.number(), bytes.number(), bytes.number(), bytes.number()};
  for (Code& code : tree.category_pool) code = static_cast<Code>(bytes.number());
  for (auto& plane : planes) {
    plane = {bytes.number(), bytes.number(), bytes.real(), bytes.real(), bytes.real(), bytes.number(), bytes.number(), bytes.number()};
    if (bytes.byte() < 128) plane.map_a = std::numeric_limits<std::uint32_t>::max();
    if (bytes.byte() < 128) plane.map_b = std::numeric_limits<std::uint32_t>::max();
  }
  for (double& cell : tree.leaf_table) cell = bytes.real();
  for (double& cell : tree.importances) cell = bytes.real();
  return tree;
}

struct Silent final : Monitor {
  void poll() override {}
};

template <class T>
void ask(std::vector<Tree> const& trees, std::vector<double> const& cells, std::size_t n_rows) {
  Tree const& tree = trees.front();
  std::vector<T> typed(cells.begin(), cells.end());
  auto const width = static_cast<std::ptrdiff_t>(sizeof(T));
  MatrixView const rows{reinterpret_cast<std::byte const*>(typed.data()),
                        sizeof(T) == sizeof(double),
                        n_rows,
                        tree.n_features,
                        width * static_cast<std::ptrdiff_t>(tree.n_features),
                        width};
  Silent monitor;
  std::vector<std::int64_t> ends(n_rows);
  apply(tree, rows, ends, monitor);
  for (std::int64_t end : ends) {
    if (end < 0 || static_cast<std::size_t>(end) >= tree.nodes.size()) __builtin_trap();
  }
  std::vector<double> probabilities(n_rows * tree.n_classes);
  for (int again = 0; again < 2; ++again)  // the second time the tree may have been rewritten for walking
    predict_proba(trees, rows, PseudoCounts(1.0, tree.n_classes), {}, probabilities, 1, monitor);
  decision_paths(tree, rows, monitor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Bytes bytes(data, size);
  std::array<std::int32_t, 4> n_categories{};
  for (std::int32_t& n : n_categories) n = bytes.byte() % 5;
  std::size_t const n_rows = bytes.byte() < 200 ? 3 : 600;
  std::vector<Tree> trees;
  trees.push_back(read_tree(bytes));
  Tree const& tree = trees.front();
  try {
    tree.check();
    tree.check_columns(std::span(n_categories).first(tree.n_features));
  } catch (std::invalid_argument const&) {
    return 0;
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array<double, 8> numbers{0.0, 1.0, -2.5, nan, 1e300, -1e-300, 7.0, std::numeric_limits<double>::infinity()};
  std::vector<double> cells(n_rows * tree.n_features);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::int32_t const n = n_categories[i % tree.n_features];
    std::size_t const drawn = (i * 2654435761U >> 7) + bytes.byte();
    cells[i] = n == 0 ? numbers[drawn % 8] : drawn % 5 == 0 ? nan : static_cast<double>(drawn % static_cast<std::size_t>(n));
  }
  ask<double>(trees, cells, n_rows);
  ask<float>(trees, cells, n_rows);
  node_table(tree);
  node_depths(tree);
  prune_pessimistic(tree, 0.25).check();
  return 0;
}
