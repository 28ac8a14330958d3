// A large object of numbers and words alone, as flat files are, is read by two threads. In such an object a member is two nodes
// and four places of the structure (key, colon, value, comma), so both halves know beforehand where their nodes go. What turns
// out not to be flat, or not to be plain, is left to the first thread, which then reads on as if it were alone.
#include <atomic>
#include <thread>

#include "base/beside.hpp"
#include "formats/json/parser.hpp"

namespace plumbline::formats::json {

namespace {

constexpr std::size_t kOfMember = 4, kNodesOfMember = 2;

bool is_plain(const Notes& notes) {
  return notes.trailing_commas.count + notes.non_finite_literals.count + notes.control_characters.count +
             notes.invalid_utf8.count + notes.lone_surrogates.count ==
         0;
}

}  // namespace

struct Parser::SecondHalf {
  explicit SecondHalf(const Parser& whole) : options(whole.options_), parser({whole.begin_, whole.end_}, whole.name_, options) {
    options.stop = [this] { return unwanted.load(std::memory_order_relaxed); };
  }
  SecondHalf(const SecondHalf&) = delete;
  SecondHalf& operator=(const SecondHalf&) = delete;
  ~SecondHalf() { unwanted = true; }  // its thread is waited for before the rest goes

  ParseOptions options;
  Parser parser;
  std::atomic<bool> unwanted{false};
  std::future<bool> read;
};

// Whether nothing speaks against a flat object: the number of its places, and a few of its members.
bool Parser::looks_flat() const {
  constexpr std::size_t kLooks = 64;
  const std::size_t places = offsets_.size() - 1;
  const std::size_t members = places / kOfMember;
  if (members < 2 || places % kOfMember != 1) return false;
  const auto at = [&](std::size_t i) { return base_[offsets_[i]]; };
  for (std::size_t look = 0; look < kLooks; ++look) {
    const std::size_t i = 1 + members * look / kLooks * kOfMember;
    const char value = at(i + 2);
    const char after = at(i + 3);
    if (at(i) != '"' || at(i + 1) != ':' || value == '{' || value == '[' || (after != ',' && after != '}')) return false;
  }
  return at(0) == '{';
}

std::optional<Document> parse_flat(std::string_view text, const ParseOptions& options) {
  if (text.size() > kMostBytes) return std::nullopt;
  Parser parser(text, {}, options);
  if (!parser.flat()) return std::nullopt;
  return parser.take();
}

bool Parser::flat() {
  base_ = begin_;
  Structure structure;
  if (!structure.find(document_.text_)) return false;
  offsets_ = structure.offsets();
  if (!looks_flat() || !grow(offsets_.size() + 1)) return false;
  push(Kind::array, begin_);
  push(Kind::object, base_ + offsets_[0]);
  if (!plain_members(1)) return false;
  nodes_[1].count = document_.member_count_;
  nodes_[1].next = count_;
  end_roots(1);
  return true;
}

std::shared_ptr<Parser::SecondHalf> Parser::begin_second_half() {
  const auto bytes = static_cast<std::size_t>(end_ - begin_);
  if (bytes < options_.halves_from || std::thread::hardware_concurrency() < 2 || !looks_flat()) return nullptr;
  const std::size_t members = (offsets_.size() - 1) / kOfMember;
  half_ = 1 + members / 2 * kOfMember;
  auto half = std::make_shared<SecondHalf>(*this);
  second_half_ = half.get();
  Parser& other = half->parser;
  other.base_ = base_;
  other.offsets_ = offsets_;
  other.nodes_ = nodes_;
  other.capacity_ = capacity_;
  other.count_ = static_cast<std::uint32_t>(2 + members / 2 * kNodesOfMember);  // behind the roots' array and the object
  half->read = base::beside([&other, first = half_] { return other.plain_members(first); });
  return half;
}

// Members from offset i on to the end of the one object that there is.
bool Parser::plain_members(std::size_t i) {
  const std::size_t last = offsets_.size() - 1;
  for (;;) {
    if (i + 3 >= last || base_[offsets_[i]] != '"' || !indexed_string(i) || base_[offsets_[i + 1]] != ':') return false;
    ++document_.member_count_;
    i += 2;
    const char c = base_[offsets_[i]];
    if (c == '{' || c == '[' || !may_go_on(base_ + offsets_[i])) return false;
    if (c == '"' ? !indexed_string(i) : !indexed_scalar(i)) return false;
    const char after = base_[offsets_[++i]];
    if (after != ',') return after == '}' && i + 1 == last && is_plain(document_.notes_) && document_.arena_.empty();
    ++i;
  }
}

// At the first key of the second half, in the object: true when everything up to the closing brace is there.
bool Parser::take_second_half() {
  const SecondHalf& half = *second_half_;
  const std::size_t first = 2 + (half_ - 1) / kOfMember * kNodesOfMember;
  half_ = kNone;
  if (!second_half_->read.get() || count_ != first || open_.size() != 1) return false;
  count_ = half.parser.count_;
  const std::uint32_t members = half.parser.document_.member_count_;
  document_.member_count_ += members;
  nodes_[open_.back()].count += members;
  return true;
}

// What was taken for flat is not. Nothing may be written behind the first half before the other thread has stopped.
void Parser::leave_second_half() {
  half_ = kNone;
  second_half_->unwanted = true;
  second_half_->read.wait();
}

}  // namespace plumbline::formats::json
