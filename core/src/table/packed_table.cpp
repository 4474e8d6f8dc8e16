// A filled table as bytes: the number of rows, their labels, what is known of the columns, and their cells; each piece begins at a cache line.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "rarewood/dataset.hpp"

namespace rarewood {
namespace {

constexpr std::size_t line = 64;
constexpr std::uint8_t has_missing_bit = 1;
constexpr std::uint8_t is_wide_bit = 2;

class Packer {
 public:
  template <class T>
  void add(T const* values, std::size_t n) {
    std::size_t const begin = bytes_.size();
    bytes_.resize(begin + (n * sizeof(T) + line - 1) / line * line);
    if (n > 0) std::memcpy(bytes_.data() + begin, values, n * sizeof(T));
  }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::span<std::uint8_t const> bytes) : bytes_(bytes) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(double) != 0) fail();
  }
  template <class T>
  std::span<T const> next(std::size_t n) {
    if (n > bytes_.size() / sizeof(T)) fail();
    std::size_t const size = (n * sizeof(T) + line - 1) / line * line;
    if (size > bytes_.size()) fail();
    std::span<T const> const found(reinterpret_cast<T const*>(bytes_.data()), n);
    bytes_ = bytes_.subspan(size);
    return found;
  }
  void end() const {
    if (!bytes_.empty()) fail();
  }

 private:
  [[noreturn]] static void fail() { throw std::invalid_argument("these bytes are not a packed table of this shape"); }

  std::span<std::uint8_t const> bytes_;
};

// Trees look categories up by their codes, unchecked.
bool are_valid(std::span<Code const> codes, std::size_t n_categories, bool has_missing) {
  return std::ranges::all_of(codes, [&](Code code) { return code == missing_code ? has_missing : code < n_categories; });
}

}  // namespace

std::vector<std::uint8_t> Dataset::packed() const {
  if (!is_filled() || !relabelled_.empty()) throw std::invalid_argument("only a table that was filled column by column can be packed");
  std::vector<std::int32_t> labels(n_rows());
  for (std::size_t j = 0; j < n_classes(); ++j)
    for (std::size_t p = class_begin(j); p < class_end(j); ++p) labels[(*original_row_)[p]] = static_cast<std::int32_t>(j);
  std::vector<std::uint8_t> flags(n_features());
  std::size_t size = 3 * line + labels.size() * sizeof(std::int32_t) + flags.size();
  for (std::size_t f = 0; f < n_features(); ++f) {
    flags[f] = static_cast<std::uint8_t>((has_missing(f) ? has_missing_bit : 0) | (is_wide(f) ? is_wide_bit : 0));
    size += line + n_rows() * (is_wide(f) ? sizeof(double) : sizeof(float));
  }
  Packer to;
  to.reserve(size);
  std::uint64_t const rows = n_rows();
  to.add(&rows, 1);
  to.add(labels.data(), labels.size());
  to.add(flags.data(), flags.size());
  for (std::size_t f = 0; f < n_features(); ++f) {
    Column const& cells = column(f);
    if (is_nominal(f)) {
      to.add(cells.codes.data(), n_rows());
    } else if (cells.is_wide) {
      to.add(cells.wide.data(), n_rows());
    } else {
      to.add(cells.narrow.data(), n_rows());
    }
  }
  return to.take();
}

Dataset Dataset::unpacked(std::span<std::int32_t const> n_categories, std::size_t n_classes, std::span<std::uint8_t const> bytes) {
  Unpacker from(bytes);
  auto const n_rows = static_cast<std::size_t>(from.next<std::uint64_t>(1)[0]);
  auto const labels = from.next<std::int32_t>(n_rows);
  auto const flags = from.next<std::uint8_t>(n_categories.size());
  Dataset table(MatrixView{nullptr, false, n_rows, n_categories.size(), 0, 0}, n_categories, labels, n_classes);
  for (std::size_t f = 0; f < n_categories.size(); ++f) {
    Column& column = table.store_->columns[f];
    column.has_missing = (flags[f] & has_missing_bit) != 0;
    column.is_wide = (flags[f] & is_wide_bit) != 0;
    if (table.is_nominal(f)) {
      auto const codes = from.next<Code>(n_rows);
      if (!are_valid(codes, table.n_categories(f), column.has_missing))
        throw std::invalid_argument("a packed table has codes out of range");
      column.codes = Cells<Code>(codes);
    } else if (column.is_wide) {
      column.wide = Cells<double>(from.next<double>(n_rows));
    } else {
      column.narrow = Cells<float>(from.next<float>(n_rows));
    }
  }
  from.end();
  table.store_->made = Forms{.ranks = false, .values = true};
  table.store_->has_categories = true;
  return table;
}

}  // namespace rarewood
