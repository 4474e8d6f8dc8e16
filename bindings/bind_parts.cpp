// Growing on rows that lie in parts. Messages are bytes that Python hands on without looking into them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>

#include "arrays.hpp"
#include "forest_monitor.hpp"
#include "rarewood/forest.hpp"
#include "rarewood/parts.hpp"
#include "shared_dataset.hpp"
#include "tree_state.hpp"

namespace rarewood::bindings {

namespace {

using namespace nb::literals;

std::string_view view(nb::bytes const& message) { return {message.c_str(), message.size()}; }
nb::bytes to_bytes(std::string const& message) { return nb::bytes(message.data(), message.size()); }

std::vector<std::string_view> views(std::vector<nb::bytes> const& messages) {
  std::vector<std::string_view> result;
  for (nb::bytes const& message : messages) result.push_back(view(message));
  return result;
}

TableShape make_shape(std::vector<std::int32_t> n_categories, std::vector<std::uint8_t> wide, std::size_t n_classes) {
  if (n_categories.size() != wide.size()) throw nb::value_error("n_categories and wide must have one entry per column");
  return {std::move(n_categories), std::move(wide), n_classes};
}

// Runs work(monitor) without the GIL; what comes back is bytes.
template <class Work>
nb::bytes message_of(Work work) {
  InterruptMonitor monitor;
  return to_bytes(monitor.run([&] { return work(monitor); }));
}

nb::bytes sum(std::vector<nb::bytes> const& answers) {
  std::vector<std::string_view> const messages = views(answers);
  return message_of([&](Monitor&) { return sum_of_answers(messages); });
}

std::vector<Subtree> grow(TableShape const& shape, ForestPlan const& plan, nb::bytes const& tasks, std::vector<nb::bytes> const& blocks,
                          unsigned n_threads) {
  std::vector<std::string_view> const messages = views(blocks);
  std::string_view const wanted = view(tasks);
  InterruptMonitor monitor;
  return monitor.run([&] { return grow_gathered(shape, plan, wanted, messages, n_threads, monitor); });
}

nb::tuple out_of_bag_of_part(PartRows const& part, SharedDataset const& dataset, Forest const& forest, std::size_t first,
                             SeveralPseudoCounts const& given, Matrix const& sums, Vector<std::uint32_t> const& n_trees,
                             unsigned n_threads) {
  std::vector<PseudoCounts> const pseudo_counts = pseudo_counts_of(given, forest.n_classes());
  std::size_t const width = pseudo_counts.size() * forest.n_classes();
  if (dataset.data.n_features() != forest.n_features() || sums.shape(0) != n_trees.size() || sums.shape(1) != width ||
      sums.dtype() != nb::dtype<double>() || sums.stride(1) != 1 || sums.stride(0) != static_cast<std::int64_t>(width))
    throw nb::value_error("the part, the forest and the sums do not fit each other");
  auto const* const before = static_cast<double const*>(sums.data());
  OutOfBag result{{before, before + sums.size()}, {n_trees.data(), n_trees.data() + n_trees.size()}};
  InterruptMonitor monitor;
  monitor.run([&] { part.add_out_of_bag(dataset.data, first, forest.trees, pseudo_counts, n_threads, monitor, result); });
  std::size_t const rows = result.n_trees.size();
  return nb::make_tuple(to_numpy(std::move(result.sums), {rows, width}), to_numpy(std::move(result.n_trees)));
}

nb::tuple state_of(Subtree const& subtree) {
  std::vector<std::uint32_t> nodes;
  std::vector<double> weights, improvements;
  for (SplitGain const& gain : subtree.gains) {
    nodes.push_back(gain.node);
    weights.push_back(gain.weight);
    improvements.push_back(gain.improvement);
  }
  return nb::make_tuple(to_arrays({&subtree.tree, 1}), to_numpy(std::move(nodes)), to_numpy(std::move(weights)),
                        to_numpy(std::move(improvements)));
}

Subtree subtree_of(nb::tuple const& state) {
  if (state.size() != 4) throw nb::value_error("this is no subtree");
  Subtree subtree{from_arrays_of_one(nb::cast<nb::dict>(state[0])), {}};
  auto const nodes = nb::cast<Vector<std::uint32_t>>(state[1]);
  auto const weights = nb::cast<Vector<double>>(state[2]);
  auto const improvements = nb::cast<Vector<double>>(state[3]);
  if (weights.size() != nodes.size() || improvements.size() != nodes.size()) throw nb::value_error("this is no subtree");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.data()[i] >= subtree.tree.nodes.size()) throw nb::value_error("this is no subtree");
    subtree.gains.push_back({nodes.data()[i], weights.data()[i], improvements.data()[i]});
  }
  return subtree;
}

}  // namespace

void bind_messages(nb::module_& m) {
  nb::class_<TableShape>(m, "TableShape", "What is true of all parts of a table; wide columns of numbers are kept as float64.")
      .def(
          "__init__",
          [](TableShape* self, std::vector<std::int32_t> n_categories, std::vector<std::uint8_t> wide, std::size_t n_classes) {
            new (self) TableShape(make_shape(std::move(n_categories), std::move(wide), n_classes));
          },
          "n_categories"_a, "wide"_a, "n_classes"_a)
      .def(
          "table", [](TableShape const& shape, Vector<std::int32_t> const& y) { return SharedDataset{{}, shape.table(bindings::view(y))}; },
          "y"_a.noconvert(), "A table of these rows to be filled column by column.")
      .def(
          "unpacked",
          [](TableShape const& shape, Vector<std::uint8_t> const& packed) {
            return SharedDataset{{}, Dataset::unpacked(shape.n_categories, shape.n_classes, bindings::view(packed)), packed};
          },
          "packed"_a.noconvert(), "The table that was packed: looks into the bytes without copying them.")
      .def("__getstate__", [](TableShape const& s) { return std::make_tuple(s.n_categories, s.wide, s.n_classes); })
      .def("__setstate__",
           [](TableShape& self, std::tuple<std::vector<std::int32_t>, std::vector<std::uint8_t>, std::size_t> const& state) {
             new (&self) TableShape(make_shape(std::get<0>(state), std::get<1>(state), std::get<2>(state)));
           });
  nb::class_<Subtree>(m, "Subtree", "A part of a tree that was grown on its own.")
      .def_prop_ro("node_count", [](Subtree const& s) { return s.tree.nodes.size(); })
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Subtree& self, nb::tuple const& state) { new (&self) Subtree(subtree_of(state)); });
  m.def("sum_of_answers", &sum, "answers"_a, "What all parts together answer.");
  m.def("grow_gathered", &grow, "shape"_a, "plan"_a, "tasks"_a, "blocks"_a, "n_threads"_a = 1,
        "The subtree of each task; blocks: what the parts gathered for the same tasks.");
}

void bind_growers(nb::module_& m) {
  nb::class_<TableDraws>(m, "TableDraws", "Which rows of a table in parts the trees of a plan draw; made once per tree, until forgotten.")
      .def(nb::init<ForestPlan, std::vector<std::size_t> const&>(), "plan"_a, "class_sizes"_a)
      .def("forget", &TableDraws::forget);
  nb::class_<PartRows>(
      m, "PartRows",
      "Which rows of a part of a table are in which node. class_before: rows of positive weight before the part; weights and "
      "groups: of its rows, or none.")
      .def(
          "__init__",
          [](PartRows* self, std::shared_ptr<TableDraws> draws, std::vector<std::size_t> class_before, std::vector<double> weights,
             Vector<std::uint32_t> const& groups) {
            auto const numbers = bindings::view(groups);
            new (self) PartRows(std::move(draws), std::move(class_before), std::move(weights), {numbers.begin(), numbers.end()});
          },
          "draws"_a, "class_before"_a, "weights"_a, "groups"_a.noconvert())
      .def("out_of_bag", &out_of_bag_of_part, "dataset"_a, "forest"_a, "first"_a, "pseudo_counts"_a, "sums"_a.noconvert(),
           "n_trees"_a.noconvert(), "n_threads"_a = 1,
           "(sums, n_trees) with what trees `first`, `first` + 1, ... of the plan say of rows that they did not see.")
      .def(
          "is_behind", [](PartRows const& part, nb::bytes const& splits) { return part.is_behind(view(splits)); }, "splits"_a,
          "Whether splits are missing that come before these: the part needs all since the roots then.")
      .def(
          "answer",
          [](PartRows& part, SharedDataset const& data, nb::bytes const& splits, nb::bytes const& questions, unsigned n_threads) {
            auto const log = view(splits), asked = view(questions);
            return message_of([&](Monitor& monitor) { return part.answer(data.data, log, asked, n_threads, monitor); });
          },
          "dataset"_a, "splits"_a, "questions"_a, "n_threads"_a = 1)
      .def(
          "gather",
          [](PartRows& part, SharedDataset const& data, nb::bytes const& splits, nb::bytes const& tasks) {
            auto const log = view(splits), wanted = view(tasks);
            return message_of([&](Monitor& monitor) { return part.gather(data.data, log, wanted, monitor); });
          },
          "dataset"_a, "splits"_a, "tasks"_a, "The rows of the nodes of tasks.");

  nb::class_<LevelGrower>(m, "LevelGrower", "Trees `first` to before `end` of a plan, grown by asking parts of a table.")
      .def(nb::init<TableShape const&, ForestPlan const&, std::size_t, std::size_t, double>(), "shape"_a, "plan"_a, "first"_a, "end"_a,
           "small_cases"_a)
      .def_prop_ro("n_questions", &LevelGrower::n_questions)
      .def("questions", [](LevelGrower const& g) { return message_of([&](Monitor&) { return g.questions(); }); })
      .def(
          "splits", [](LevelGrower const& g) { return message_of([&](Monitor&) { return g.splits(); }); }, "All since the roots.")
      .def(
          "new_splits", [](LevelGrower const& g) { return message_of([&](Monitor&) { return g.new_splits(); }); },
          "Those that the last answers led to.")
      .def(
          "hear",
          [](LevelGrower& g, nb::bytes const& answers) {
            auto const message = view(answers);
            InterruptMonitor monitor;
            monitor.run([&] { g.hear(message); });
          },
          "answers"_a, "The sum of the answers of all parts.")
      .def_prop_ro(
          "small_cases",
          [](LevelGrower const& g) {
            std::vector<double> cases;
            for (SmallNode const& node : g.small_nodes()) cases.push_back(node.cases);
            return to_numpy(std::move(cases));
          },
          nb::rv_policy::automatic, "Of the nodes left to grow_gathered, when there are no questions left.")
      .def(
          "tasks", [](LevelGrower const& g, std::vector<std::size_t> const& which) { return to_bytes(g.tasks(which)); }, "which"_a,
          "For those of the small nodes.")
      .def("graft", &LevelGrower::graft, "small_node"_a, "subtree"_a)
      .def("finish", [](LevelGrower& g) { return Forest{g.finish()}; });
}

}  // namespace rarewood::bindings

void bind_parts(nanobind::module_& m) {
  rarewood::bindings::bind_messages(m);
  rarewood::bindings::bind_growers(m);
}
