// A forest to grow. An option is named once here: it is a keyword of ForestPlan, a read-only attribute and part of its pickle.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>

#include "arrays.hpp"
#include "python_scorer.hpp"
#include "rarewood/criteria.hpp"
#include "rarewood/plan.hpp"

namespace rarewood::bindings {
namespace {

using namespace nb::literals;

// Between Python and the type of an option: what is `wanted`, in words; `read` throws nb::cast_error for anything else.
template <class Option>
struct Conversion {
  static constexpr char const* wanted = std::is_same_v<Option, bool> ? "True or False"
                                        : std::is_integral_v<Option> ? "a whole number of at least 0"
                                                                     : "a number";
  static void read(nb::handle given, Option& option) { option = nb::cast<Option>(given); }
  static nb::object write(Option const& option) { return nb::cast(option); }
};

template <Named Option>
struct Conversion<Option> {
  static constexpr char const* wanted = "a name";
  static void read(nb::handle given, Option& option) { option = choice_named<Option>(nb::cast<std::string>(given)); }
  static nb::object write(Option const& option) { return nb::cast(std::string(name_of(option))); }
};

template <class T>
struct Conversion<std::vector<T>> {
  static constexpr char const* wanted = "a list of whole numbers";
  static void read(nb::handle given, std::vector<T>& option) { option = nb::cast<std::vector<T>>(given); }
  static nb::object write(std::vector<T> const& option) { return option.empty() ? nb::none() : nb::cast(option); }
};

// The array stays Python's; it is let go with the GIL, wherever the last plan that shares it ends.
template <class T>
struct Conversion<Shared<T>> {
  static constexpr char const* wanted =
      std::is_integral_v<T> ? "a one-dimensional contiguous array of uint32" : "a one-dimensional contiguous array of float64";
  static void read(nb::handle given, Shared<T>& option) {
    Vector<T> array;
    if (!nb::try_cast(given, array, false)) throw nb::cast_error();
    auto* const kept = new Vector<T>(std::move(array));
    option.values = view(*kept);
    option.owner = std::shared_ptr<Vector<T> const>(kept, [](Vector<T> const* p) {
      nb::gil_scoped_acquire const gil;
      delete p;
    });
  }
  static nb::object write(Shared<T> const& option) {
    if (!option.owner) return nb::none();
    return nb::cast(*std::static_pointer_cast<Vector<T> const>(option.owner));
  }
};

struct AnyOption {
  char const* wanted;
  std::function<void(ForestPlan&, nb::handle)> set;
  std::function<nb::object(ForestPlan const&)> get;
};

// The options by name, as `bind_plan` lists them.
std::map<std::string, AnyOption>& all_options() {
  static std::map<std::string, AnyOption> known;
  return known;
}

[[noreturn]] void refuse(std::string const& name, char const* wanted, nb::handle given) {
  std::string text = nb::repr(given).c_str();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw nb::type_error((name + " must be " + wanted + ", got " + text).c_str());
}

// The two kinds of MakeScorer that a plan made in Python has: types with names, so that a plan can tell its criteria again.
struct MakesNamed {
  CriterionSpec spec;
  std::unique_ptr<Scorer> operator()(std::size_t n_classes) const { return make_scorer(spec, n_classes); }
};
struct MakesPython {
  std::shared_ptr<PythonScorer> scorer;  // a function knows no number of classes
  std::unique_ptr<Scorer> operator()(std::size_t) const { return scorer->clone(); }
};

MakeScorer make_scorer_of(nb::handle criterion) {
  if (nb::isinstance<CriterionSpec>(criterion)) return MakesNamed{nb::cast<CriterionSpec>(criterion)};
  return MakesPython{std::make_shared<PythonScorer>(checked_function(criterion))};
}

nb::object criterion_of(MakeScorer const& make) {
  if (MakesNamed const* const named = make.target<MakesNamed>()) return nb::cast(named->spec);
  return make.target<MakesPython>()->scorer->function();
}

// One for all trees, or one per tree; the same object is the same criterion.
void read_criteria(nb::list const& given, ForestPlan& plan) {
  std::unordered_map<PyObject*, std::uint32_t> numbers;
  for (nb::handle criterion : given) {
    auto const [place, is_new] = numbers.try_emplace(criterion.ptr(), static_cast<std::uint32_t>(plan.criteria.size()));
    if (is_new) plan.criteria.push_back(make_scorer_of(criterion));
    plan.criterion_of_tree.push_back(place->second);
  }
  if (plan.criterion_of_tree.size() == 1) plan.criterion_of_tree.clear();
}

ForestPlan make_plan(nb::list const& criteria, nb::dict const& options) {
  ForestPlan plan;
  for (auto const& [key, value] : options) {
    std::string const name = nb::cast<std::string>(key);
    auto const known = all_options().find(name);
    if (known == all_options().end()) throw nb::type_error(("a ForestPlan has no option '" + name + "'").c_str());
    if (value.is_none()) continue;  // the default
    try {
      known->second.set(plan, value);
    } catch (nb::cast_error const&) {
      refuse(name, known->second.wanted, value);
    }
  }
  read_criteria(criteria, plan);
  plan.check();
  return plan;
}

// (criteria, options): what makes the plan again. A criterion of several trees is one object, which pickles keep as one.
nb::tuple state_of(ForestPlan const& plan) {
  std::vector<nb::object> different;
  for (MakeScorer const& make : plan.criteria) different.push_back(criterion_of(make));
  nb::list criteria;
  for (std::size_t t = 0; t < std::max<std::size_t>(1, plan.criterion_of_tree.size()); ++t)
    criteria.append(different[plan.criterion_of(t)]);
  nb::dict options;
  for (auto const& [name, option] : all_options()) options[name.c_str()] = option.get(plan);
  return nb::make_tuple(criteria, options);
}

class PlanClass {
 public:
  explicit PlanClass(nb::module_& m)
      : class_(
            m, "ForestPlan",
            "A forest to grow. With class_map, class j of the table counts as class class_map[j] and -1 leaves it out; with "
            "sampling='subsample', each tree sees class_sizes[j] rows of class j, drawn without replacement. With groups, the number "
            "of each row's group, each tree leaves a fifth of the groups of each stratum out; strata: how many groups each has, which are "
            "numbered stratum by stratum. signs: of two classes, whether the share of the second may only rise (1) or fall (-1) with each "
            "column, or is free (0). Options that are not given, or None, have the values that a new plan shows.") {
    class_.def(
        "__init__",
        [](ForestPlan* self, nb::list const& criteria, nb::kwargs const& options) { new (self) ForestPlan(make_plan(criteria, options)); },
        "criteria"_a, "options"_a, nb::sig("def __init__(self, criteria: list, **options: object) -> None"));
    class_.def("__getstate__", &state_of);
    class_.def("__setstate__", [](ForestPlan& self, std::tuple<nb::list, nb::dict> const& state) {
      new (&self) ForestPlan(make_plan(std::get<0>(state), std::get<1>(state)));
    });
    class_.def("rest", &ForestPlan::rest, "first"_a, "The same forest from tree number `first` on: what is left to grow of it.");
  }

  template <class Get>
  PlanClass& option(char const* name, char const* type, Get get) {
    using Option = std::remove_cvref_t<decltype(get(std::declval<ForestPlan&>()))>;
    auto const write = [get](ForestPlan const& plan) { return Conversion<Option>::write(get(plan)); };
    all_options()[name] = {Conversion<Option>::wanted,
                           [get](ForestPlan& plan, nb::handle given) { Conversion<Option>::read(given, get(plan)); }, write};
    std::string const signature = "def " + std::string(name) + "(self) -> " + type;
    class_.def_prop_ro(name, write, nb::for_getter(nb::sig(signature.c_str())));
    return *this;
  }

 private:
  nb::class_<ForestPlan> class_;
};

}  // namespace
}  // namespace rarewood::bindings

void bind_plan(nanobind::module_& m) {
  using rarewood::bindings::PlanClass;
  PlanClass(m)
      .option("splitter", "str", [](auto& p) -> auto& { return p.growth.splitter; })
      .option("n_cuts", "int", [](auto& p) -> auto& { return p.growth.n_cuts; })
      .option("max_features", "int", [](auto& p) -> auto& { return p.growth.max_features; })
      .option("max_depth", "int", [](auto& p) -> auto& { return p.growth.max_depth; })
      .option("min_samples_split", "float", [](auto& p) -> auto& { return p.growth.min_samples_split; })
      .option("min_samples_leaf", "float", [](auto& p) -> auto& { return p.growth.min_samples_leaf; })
      .option("nominal", "str", [](auto& p) -> auto& { return p.growth.nominal; })
      .option("signs", "list[int] | None", [](auto& p) -> auto& { return p.growth.signs; })
      .option("n_trees", "int", [](auto& p) -> auto& { return p.n_trees; })
      .option("first_tree", "int", [](auto& p) -> auto& { return p.first_tree; })
      .option("seed", "int", [](auto& p) -> auto& { return p.seed; })
      .option("sampling", "str", [](auto& p) -> auto& { return p.sampling; })
      .option("class_sizes", "list[int] | None", [](auto& p) -> auto& { return p.class_sizes; })
      .option("class_map", "list[int] | None", [](auto& p) -> auto& { return p.class_map; })
      .option("weights", "object", [](auto& p) -> auto& { return p.weights; })
      .option("class_weights", "object", [](auto& p) -> auto& { return p.class_weights; })
      .option("groups", "object", [](auto& p) -> auto& { return p.groups; })
      .option("strata", "list[int] | None", [](auto& p) -> auto& { return p.strata; })
      // For tests: no tree shows them, which proves what they switch off.
      .option("order", "str", [](auto& p) -> auto& { return p.growth.order; })
      .option("shortcuts", "bool", [](auto& p) -> auto& { return p.growth.shortcuts; });
}
