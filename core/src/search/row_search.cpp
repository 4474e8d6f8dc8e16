#include "search/row_search.hpp"

namespace rarewood {

namespace {

// Under monotone constraints the best candidate may not be allowed, and then the best of those that are lies anywhere.
SearchTraits traits_under(GrowthOptions const& options, SearchTraits traits) {
  if (options.signs.empty()) return traits;
  traits.run_ends_suffice = traits.prefix_subset_is_best = false;
  return traits;
}

}  // namespace

RowSearch::RowSearch(Dataset const& data, SearchTraits const& traits, GrowthOptions const& options, WorkMeter& meter)
    : data_(data),
      options_(options),
      meter_(meter),
      passes_((options.splitter == Splitter::best ? 1 : 1 + options.n_cuts / 8) * (1 + data.n_classes() / 32)),
      exact_numeric_(data, traits_under(options, traits)),
      exact_nominal_(data, options.nominal, traits_under(options, traits)),
      random_(data, options.n_cuts),
      hyperplane_(data, options.n_cuts, options.shortcuts) {}

std::optional<Split> RowSearch::find(NodeSearch& search, SearchState& state, NodeRows const& node) {
  while (std::optional<Request> const request = search.ask(state)) {
    search.candidates().set_floor(search.floor(state));
    with_splitter(*request, [&](auto& splitter) {
      ColumnResult const result = splitter.search(node, *request, search.candidates());
      if (search.consider(state, *request, result)) splitter.keep();
    });
    meter_.add((request->is_pair() ? 2 : 1) * node.size() * passes_);
  }
  Choice const choice = search.decide(state);
  if (!choice.best.found) return std::nullopt;
  improvement_ = search.improvement(choice);
  return with_splitter(choice.request, [&](auto& splitter) { return splitter.split_of(node, choice.request, choice.best); });
}

}  // namespace rarewood
