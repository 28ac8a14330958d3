#include "profiles/names/canonical.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/characters.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

using base::is_digit;
using base::is_letter;
bool is_word(char c) {
  return is_digit(c) || is_letter(c) || c == '_' || c == '$' || (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool is_space(char c) { return c == ' ' || c == '\t'; }

bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

// ".kd", ".12", ".isra.0", " [clone .kd]": marks of the object file, not of the function.
std::string_view without_marks(std::string_view name) {
  for (;;) {
    name = core::trim(name);
    if (name.ends_with(']')) {
      const std::size_t open = name.rfind('[');
      if (open != std::string_view::npos && open > 0 && name.substr(open).starts_with("[clone")) {
        name = name.substr(0, open);
        continue;
      }
    }
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return name;
    const std::string_view mark = name.substr(dot + 1);
    // A version or a size ("v1.2", "gemm_0.5") is part of the name: the number of a copy follows a letter.
    const bool copy = all_digits(mark) && (is_letter(name[dot - 1]) || name[dot - 1] == '_' || name[dot - 1] == ')');
    if (!copy && mark != "kd" && mark != "isra" && mark != "constprop" && mark != "part" && mark != "cold") return name;
    name = name.substr(0, dot);
  }
}

// Namespaces that a library puts its version or ABI into: cub::CUB_200600_500_NS, std::__1, thrust::THRUST_300000_SM_900_NS.
bool inline_namespace(std::string_view word) {
  if (word == "_GLOBAL__N_1") return true;
  if (word.starts_with("__") && all_digits(word.substr(2))) return true;
  if (!word.starts_with("CUB_") && !word.starts_with("THRUST_") && !word.starts_with("V_")) return false;
  const std::string_view version = word.substr(word.find('_') + 1);
  return !version.empty() && is_digit(version.front()) && (word.front() != 'V' || version.find("_SM_") != std::string_view::npos);
}

// One pass over the name. Brackets are paired beforehand, so that a group can be left out without reading it twice.
class Canonical {
 public:
  explicit Canonical(std::string_view text) : text_(text) {
    pair_brackets();
    // Only a declaration has a return type; other names with spaces are names.
    declaration_ = text.starts_with("void ") || text.ends_with(')') || text.ends_with(") const");
  }

  std::string run() {
    out_.reserve(text_.size());
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  enum class Last : std::uint8_t { none, word, number, close, other };  // what was read last, kept or not

  void pair_brackets() {
    pair_.assign(text_.size(), kOpen);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '(' || c == '[' || c == '{') open.push_back(i);
      if (c != ')' && c != ']' && c != '}') continue;
      const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty() || text_[open.back()] != wanted) continue;
      pair_[open.back()] = i;
      open.pop_back();
    }
  }
  [[nodiscard]] bool paired(std::size_t open) const { return pair_[open] != kOpen; }
  [[nodiscard]] std::size_t skip_space(std::size_t i) const {
    while (i < text_.size() && is_space(text_[i])) ++i;
    return i;
  }
  [[nodiscard]] std::string_view rest(std::size_t i) const { return text_.substr(std::min(i, text_.size())); }

  void emit(std::string_view piece) { out_ += piece; }

  void step() {
    if (!ends_.empty() && at_ == ends_.back().parameters) {
      out_ += ")}";
      at_ = ends_.back().group + 1;
      ends_.pop_back();
      last_ = Last::close;
      space_ = false;
      return;
    }
    const char c = text_[at_];
    if (is_space(c)) {
      space_ = true;
      ++at_;
      return;
    }
    if (is_digit(c)) return number();
    if (is_word(c)) return word();
    switch (c) {
      case '(':
        return parenthesis();
      case '{':
      case '[':
        return group();
      case '\'':
        return quoted();
      case '<':
        return angle();
      case '>':
        if (depth_ > 0 && !out_.ends_with('-')) --depth_;
        return plain(Last::close);
      case ':':
        if (rest(at_).starts_with("::")) {
          // Nothing stands before the first, and a namespace that was left out takes its own with it.
          if (!out_.empty() && !out_.ends_with("::") && !out_.ends_with('<') && !out_.ends_with(',')) emit("::");
          at_ += 2;
          last_ = Last::other;
          space_ = false;
          return;
        }
        return plain(Last::other);
      default:
        return plain(Last::other);
    }
  }

  void plain(Last last) {
    out_ += text_[at_++];
    last_ = last;
    space_ = false;
  }

  void number() {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    std::string_view digits = text_.substr(at_, end - at_);
    if (const std::size_t suffix = digits.find_first_not_of("0123456789");
        suffix != std::string_view::npos && digits.find_first_not_of("uUlL", suffix) == std::string_view::npos)
      digits = digits.substr(0, suffix);
    separate();
    emit(digits);
    at_ = end;
    last_ = Last::number;
    space_ = false;
  }

  // Two words stay two words.
  void separate() {
    if (space_ && !out_.empty() && is_word(out_.back())) out_ += ' ';
  }

  // A word that begins after a space behind a complete type is the function's own name: what stood before was its return type.
  void drop_return_type() {
    if (!declaration_ || !space_ || depth_ > 0 || !ends_.empty()) return;
    if (last_ == Last::word || last_ == Last::close || out_.ends_with('*') || out_.ends_with('&')) out_.clear();
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const std::size_t next = skip_space(end);
    if (name == "const" || name == "volatile") {
      at_ = end;
      space_ = true;
      return;
    }
    if (name == "void" && next > end && next < text_.size() && (is_word(text_[next]) || text_[next] == '(')) {
      if (rest(next).starts_with("(anonymous") || is_word(text_[next])) {
        at_ = next;
        return;
      }
    }
    if (rest(end).starts_with("::") && inline_namespace(name)) {
      at_ = end + 2;
      return;
    }
    if (name == "operator" && next < text_.size() && text_[next] == '(' && paired(next)) {
      // The call operator behind a lambda says nothing; elsewhere it is the name.
      const std::size_t after = skip_space(pair_[next] + 1);
      if (out_.ends_with("}::")) {
        out_.resize(out_.size() - 2);
      } else {
        emit("operator()");
      }
      at_ = after;
      if (at_ < text_.size() && text_[at_] == '(' && paired(at_)) at_ = pair_[at_] + 1;
      last_ = Last::close;
      space_ = false;
      return;
    }
    drop_return_type();
    separate();
    emit(name == "true" ? "1" : name == "false" ? "0" : name);
    at_ = end;
    if (name == "decltype" && next < text_.size() && text_[next] == '(' && paired(next)) {
      for (std::size_t i = next; i <= pair_[next]; ++i) {
        if (!is_space(text_[i])) out_ += text_[i];
      }
      at_ = pair_[next] + 1;
    }
    last_ = Last::word;
    space_ = false;
  }

  void skip_namespace(std::size_t end) {  // at its closing bracket
    at_ = end + 1;
    if (rest(at_).starts_with("::")) at_ += 2;
  }

  void parenthesis() {
    if (rest(at_).starts_with("(anonymous namespace)")) {
      drop_return_type();
      return skip_namespace(at_ + 20);
    }
    if (!paired(at_)) return plain(Last::other);
    const std::size_t close = pair_[at_];
    if (last_ == Last::word || last_ == Last::close) {  // parameters
      at_ = close + 1;
      last_ = Last::close;
      space_ = false;
      return;
    }
    const std::size_t next = skip_space(close + 1);
    if (next < text_.size() && (is_digit(text_[next]) || text_[next] == '-' || rest(next).starts_with("true") ||
                                rest(next).starts_with("false"))) {  // a cast
      at_ = next;
      return;
    }
    plain(Last::other);
  }

  // {lambda(int)#1}, [lambda(int) (instance 1)], {unnamed type#1}, [abi:cxx11], [v1,cw51c…]
  void group() {
    if (!paired(at_)) return plain(Last::other);
    const std::size_t close = pair_[at_];
    const std::size_t inner = at_ + 1;
    if (rest(inner).starts_with("lambda(") && paired(inner + 6) && pair_[inner + 6] < close) {
      emit("{lambda(");
      ends_.push_back({pair_[inner + 6], close});
      at_ = inner + 7;
      last_ = Last::other;
      space_ = false;
      return;
    }
    const std::string_view content = text_.substr(inner, close - inner);
    if (text_[at_] == '{' && content == "anonymous") return skip_namespace(close);
    if (text_[at_] == '{') {
      emit("{");
      emit(core::trim(content.substr(0, content.find('#'))));
      emit("}");
    }
    at_ = close + 1;
    last_ = Last::close;
    space_ = false;
  }

  // Clang's 'lambda'(int), 'lambda0'(int), 'unnamed'.
  void quoted() {
    const std::size_t close = text_.find('\'', at_ + 1);
    const std::string_view name =
        close == std::string_view::npos || close - at_ > 24 ? std::string_view() : text_.substr(at_ + 1, close - at_ - 1);
    if (!name.starts_with("lambda")) return plain(Last::other);
    const std::size_t open = close + 1;
    if (open < text_.size() && text_[open] == '(' && paired(open)) {
      emit("{lambda(");
      ends_.push_back({pair_[open], pair_[open]});
      at_ = open + 1;
      last_ = Last::other;
    } else {
      emit("{lambda()}");
      at_ = open;
      last_ = Last::close;
    }
    space_ = false;
  }

  void angle() {
    if (rest(at_).starts_with("<unnamed>")) {
      drop_return_type();
      return skip_namespace(at_ + 8);
    }
    if (!out_.ends_with("operator")) ++depth_;
    plain(Last::other);
  }

  static constexpr std::size_t kOpen = static_cast<std::size_t>(-1);
  struct End {
    std::size_t parameters, group;  // where a lambda's parameters and its brackets close
  };
  std::string_view text_;
  std::vector<std::size_t> pair_;
  std::vector<End> ends_;
  std::string out_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;  // of angle brackets
  Last last_ = Last::none;
  bool space_ = false, declaration_ = false;
};

// "_ZN2at6native6kernelIfLi4EEEvPf" -> "at::native::kernel<IfLi4EEEvPf>": the names spelt out, the rest as it is. Arguments
// stay mangled: substitutions can make a short name expand without bound.
std::string nested_name(std::string_view mangled) {
  std::string out;
  std::size_t at = 2;
  if (at < mangled.size() && mangled[at] == 'N') ++at;
  while (at < mangled.size() && is_digit(mangled[at])) {
    std::size_t length = 0;
    while (at < mangled.size() && is_digit(mangled[at]) && length <= mangled.size())
      length = length * 10 + static_cast<std::size_t>(mangled[at++] - '0');
    if (length == 0 || length > mangled.size() - at) return std::string(mangled);
    const std::string_view name = mangled.substr(at, length);
    at += length;
    if (inline_namespace(name) || name.starts_with("_GLOBAL__N_")) continue;
    if (!out.empty()) out += "::";
    out += name;
  }
  if (out.empty()) return std::string(mangled);
  if (at < mangled.size() && mangled[at] == 'I') out.append("<").append(mangled.substr(at)).append(">");
  return out;
}

}  // namespace

std::string canonical_kernel(std::string_view name) {
  const std::string_view text = without_marks(name);
  if (text.starts_with("_Z")) return nested_name(text);
  if (std::all_of(text.begin(), text.end(), is_word)) return std::string(text.empty() ? core::trim(name) : text);
  std::string out = Canonical(text).run();
  if (out.empty()) return std::string(text.empty() ? core::trim(name) : text);
  return out;
}

std::string_view base_name(std::string_view canonical) {
  const std::string_view head = canonical.substr(0, std::min(canonical.find_first_of("<({"), canonical.size()));
  const std::size_t scope = head.rfind("::");
  const std::string_view base = scope == std::string_view::npos ? head : head.substr(scope + 2);
  return base.empty() ? canonical : base;
}

std::string_view template_arguments(std::string_view canonical) {
  const std::size_t open = canonical.find('<');
  if (open == std::string_view::npos) return {};
  std::size_t depth = 0;
  for (std::size_t i = open; i < canonical.size(); ++i) {
    if (canonical[i] == '<') ++depth;
    if (canonical[i] == '>' && canonical[i - 1] != '-' && --depth == 0) return canonical.substr(open + 1, i - open - 1);
  }
  return canonical.substr(open + 1);
}

std::vector<std::string_view> split_arguments(std::string_view arguments, std::size_t count) {
  std::vector<std::string_view> parts;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= arguments.size() && parts.size() < count; ++i) {
    const char c = i < arguments.size() ? arguments[i] : ',';
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if ((c == '>' || c == ')' || c == '}' || c == ']') && depth > 0) --depth;
    if (c != ',' || (depth > 0 && i < arguments.size())) continue;
    if (i > begin || !arguments.empty()) parts.push_back(arguments.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

}  // namespace plumbline::profiles
