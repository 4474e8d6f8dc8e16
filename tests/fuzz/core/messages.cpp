// libFuzzer: messages between the processes of a fit on data in parts, of any bytes: refused, or read and written again as they were read.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "parts/part_messages.hpp"

namespace {

template <class Read>
void read_and_write(std::string_view message, Read read) {
  using rarewood::to_message;
  std::string once;
  try {
    once = to_message(read(message));
  } catch (std::invalid_argument const&) {
    return;
  }
  if (to_message(read(once)) != once) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const message(reinterpret_cast<char const*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0: read_and_write(message, rarewood::read_questions); break;
    case 1: read_and_write(message, rarewood::read_answers); break;
    case 2: read_and_write(message, rarewood::read_splits); break;
    default: read_and_write(message, rarewood::read_tasks);
  }
  return 0;
}
