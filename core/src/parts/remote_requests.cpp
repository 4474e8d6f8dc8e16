#include "parts/remote_requests.hpp"

#include <algorithm>
#include <numeric>

#include "search/splitters/cut_drawing.hpp"
#include "search/splitters/subset_drawing.hpp"

namespace rarewood {

namespace {

using Children = std::vector<std::vector<double>>;

// Two children, by what is left.
Children two_children(double const* left, std::size_t step, std::vector<double> const& missing, bool missing_left,
                      std::vector<double> const& totals) {
  Children children(2, totals);
  for (std::size_t j = 0; j < totals.size(); ++j) {
    children[0][j] = left[j * step] + (missing_left ? missing[j] : 0.0);
    children[1][j] = totals[j] - children[0][j];
  }
  return children;
}

template <class T>
class CutRequest final : public RemoteRequest {
 public:
  CutRequest(Request const& request, std::size_t n_cuts) : RemoteRequest(request) { drawing_.begin(n_cuts, request.key); }

  void hear(Answer const& answer) override {
    if (!has_range_) {
      range_ = std::get<Range<T>>(answer);
      has_range_ = true;
      if (range_.is_constant()) return be_done();
    } else {
      counts_ = std::get<LeftCounts>(answer);
    }
    if (!drawing_.draw(range_, counts_)) be_done();
  }

  std::pair<Split, Children> chosen(BestCandidate const& best, std::vector<double> const& totals) const override {
    NumericTag const tag = NumericTag::unpack(best.tag);
    return {drawing_.split_of(request(), best, {}),
            two_children(counts_.counts.data() + tag.cut, counts_.n, range_.missing, tag.missing_left, totals)};
  }

 protected:
  Question pose() const override {
    Question question{.stage = has_range_ ? Stage::cuts : Stage::ranges};
    if (!has_range_) return question;
    std::vector<T>& cuts = [&]() -> std::vector<T>& {
      if constexpr (sizeof(T) == sizeof(float)) return question.narrow;
      if constexpr (sizeof(T) == sizeof(double)) return question.wide;
    }();
    cuts.assign(drawing_.cuts().begin(), drawing_.cuts().end());
    return question;
  }

  ColumnResult score(Candidates& candidates) override {
    if (range_.is_constant()) return ColumnResult::nothing_to_split();
    return {.best = drawing_.consider(range_, counts_, candidates)};
  }

 private:
  CutDrawing<T> drawing_;
  bool has_range_ = false;
  Range<T> range_;
  LeftCounts counts_;
};

class SubsetRequest final : public RemoteRequest {
 public:
  SubsetRequest(Request const& request, std::size_t n_cuts, std::size_t n_categories)
      : RemoteRequest(request), drawing_(n_cuts, request.key), n_categories_(n_categories) {}

  void hear(Answer const& answer) override {
    table_ = std::get<CategoryTable>(answer);
    be_done();
  }

  std::pair<Split, Children> chosen(BestCandidate const& best, std::vector<double> const& totals) const override {
    Split split = drawing_.split_of(request(), best, table_, n_categories_);
    auto const& set = std::get<CategorySet::Split>(split);
    std::vector<double> left(totals.size(), 0.0);
    for (std::size_t slot = 0; slot < table_.size(); ++slot) {
      Code const code = table_.categories[slot];
      bool const is_left = code == missing_code ? set.missing_left : std::binary_search(set.codes.begin(), set.codes.end(), code);
      for (std::size_t j = 0; is_left && j < left.size(); ++j) left[j] += table_.row(slot)[j];
    }
    return {std::move(split), two_children(left.data(), 1, {}, false, totals)};
  }

 protected:
  Question pose() const override { return {.stage = Stage::ranges}; }

  ColumnResult score(Candidates& candidates) override {
    if (table_.size() < 2) return ColumnResult::nothing_to_split();
    return {.best = drawing_.consider(table_, candidates)};
  }

 private:
  SubsetDrawing drawing_;
  std::size_t n_categories_;
  CategoryTable table_;
};

class LineRequest final : public RemoteRequest {
 public:
  LineRequest(Request const& request, std::size_t n_lines) : RemoteRequest(request), n_lines_(n_lines) {
    drawing_.begin(n_lines, request.key);
  }

  void hear(Answer const& answer) override {
    if (!has_box_) {
      box_ = std::get<Box>(answer);
      has_box_ = true;
      if (!can_be_split()) return be_done();
      counts_.reset(n_lines_, box_.missing.size() - 1);
    } else {
      keep(std::get<LineCounts>(answer));
    }
    if (!drawing_.draw(box_, counts_)) be_done();
  }

  std::pair<Split, Children> chosen(BestCandidate const& best, std::vector<double> const& totals) const override {
    NumericTag const tag = NumericTag::unpack(best.tag);
    return {drawing_.split_of(request(), best, {}),
            two_children(counts_.left.counts.data() + tag.cut, counts_.left.n, box_.missing, tag.missing_left, totals)};
  }

 protected:
  Question pose() const override {
    Question question{.stage = has_box_ ? Stage::lines : Stage::ranges};
    if (!has_box_) return question;
    LinesToCount const asked = drawing_.asked();
    for (std::size_t k : asked.numbers) {
      question.lines.push_back(asked.lines[k]);
      if (!asked.orders_a.empty()) question.orders_a.push_back(asked.orders_a[k]);
      if (!asked.orders_b.empty()) question.orders_b.push_back(asked.orders_b[k]);
    }
    return question;
  }

  ColumnResult score(Candidates& candidates) override {
    ColumnResult result;
    result.constant = box_.is_constant(box_.a);
    result.other_constant = box_.is_constant(box_.b);
    if (can_be_split()) result.best = drawing_.consider(box_, counts_, candidates);
    return result;
  }

 private:
  bool can_be_split() const { return box_.n_rows > 0 && !box_.is_constant(box_.a) && !box_.is_constant(box_.b); }

  // Of the lines drawn last, in their order.
  void keep(LineCounts const& counts) {
    std::size_t next = 0;
    for (std::size_t k : drawing_.to_count()) {
      counts_.rows[k] = counts.rows[next];
      for (std::size_t j = 0; j < box_.missing.size(); ++j) counts_.left.of(j)[k] = counts.left.of(j)[next];
      ++next;
    }
  }

  std::size_t n_lines_;
  LineDrawing drawing_;
  bool has_box_ = false;
  Box box_;
  LineCounts counts_;
};

}  // namespace

std::unique_ptr<RemoteRequest> make_remote_request(Dataset const& table, std::span<std::uint8_t const> wide, Request const& request,
                                                   std::size_t n_cuts) {
  if (request.is_pair()) return std::make_unique<LineRequest>(request, n_cuts);
  if (table.is_nominal(request.feature)) return std::make_unique<SubsetRequest>(request, n_cuts, table.n_categories(request.feature));
  if (wide[request.feature] != 0) return std::make_unique<CutRequest<double>>(request, n_cuts);
  return std::make_unique<CutRequest<float>>(request, n_cuts);
}

}  // namespace rarewood
