// The structure of a JSON text, and what is said of one that is broken.
#include "formats/json/parser.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/large_block.hpp"

namespace plumbline::formats::json {

bool Parser::grow(std::size_t first) {
  // 1/12 node a byte is what benchmark files have; a denser text doubles. Pages that stay untouched cost nothing.
  if (first == 0) first = document_.text_.size() / 12 + 64;
  const std::size_t wanted = capacity_ == 0 ? first : std::size_t{capacity_} * 2;
  const std::size_t bounded = std::min<std::size_t>(wanted, 0xFFFFFFF0U);
  if (bounded <= capacity_) return error("more than 4294967280 JSON values in one file", p_, {}, core::ErrorCode::limit_exceeded);
  Node* old = document_.nodes_.release();
  void* bigger = std::realloc(static_cast<void*>(old), bounded * sizeof(Node));
  if (bigger == nullptr) {
    document_.nodes_.reset(old);
    return error("not enough memory for this JSON text", p_, {}, core::ErrorCode::environment);
  }
  nodes_ = static_cast<Node*>(bigger);
  document_.nodes_.reset(nodes_);
  core::prefer_large_pages(nodes_ + count_, (bounded - count_) * sizeof(Node));
  capacity_ = static_cast<std::uint32_t>(bounded);
  return true;
}

char* Parser::arena(std::size_t bytes) {
  if (bytes > arena_free_) {
    const std::size_t size = std::max(bytes, std::size_t{64} * 1024);
    document_.arena_.push_back(std::make_unique_for_overwrite<char[]>(size));
    arena_next_ = document_.arena_.back().get();
    arena_free_ = size;
  }
  return arena_next_;
}

bool Parser::error(std::string message, const char* at, std::string hint, core::ErrorCode code) {
  const Place place = place_of(document_.text_, offset_of(at));
  error_ = {code, std::move(message), std::move(hint),
            std::string(name_) + ":" + std::to_string(place.line) + ":" + std::to_string(place.column)};
  return false;
}

namespace {

// What most likely went wrong where `c` stands instead of what was expected.
std::string hint_for(std::string_view expected, char c) {
  if (expected.starts_with("':'")) return "a key and its value have a colon between them";
  const bool closes = c == '}' || c == ']';
  if (expected.find("after a value") != std::string_view::npos) {
    if (closes) return "this bracket closes what another one opened: one is missing or too many";
    return c == '"' || c == '{' || c == '[' || is_digit(c) || c == '-' ? "a comma is missing before it"
                                                                       : "this belongs to no value: remove it";
  }
  if (expected.find("digit") != std::string_view::npos) return "a number that is not finished: write all of its digits";
  if (c == ',' || closes) return "a value is missing before it";
  if (c == ':') return "a key in double quotes is missing before it";
  return "the text stops being JSON here: see what wrote it, or what was edited";
}

}  // namespace

bool Parser::unexpected(std::string_view expected) {
  if (p_ == end_) {
    std::string message = "the file ends here, in the middle of ";
    if (open_.empty()) {
      message += "a value";
    } else {
      const Node& inner = nodes_[open_.back()];
      const Place place = place_of(document_.text_, inner.offset);
      message += std::string(inner.kind == Kind::object ? "the object" : "the array") + " opened at line " +
                 std::to_string(place.line) + ", column " + std::to_string(place.column);
    }
    return error(std::move(message), p_, "the file is truncated: its writer stopped before the end, or the copy is incomplete");
  }
  std::string hint;
  const char c = *p_;
  if (c == '/' || c == '#') hint = "JSON has no comments: remove it";
  if (c == '\'') hint = "JSON strings and keys need double quotes";
  if (c == '+') hint = "JSON numbers have no leading '+'";
  if (c == '.') hint = "JSON numbers have a digit before the point";
  if (is_name_start(c)) {
    if (matches_no_case(p_, end_, "true") || matches_no_case(p_, end_, "false")) {
      hint = "JSON writes true and false in lower case";
    } else if (matches_no_case(p_, end_, "none")) {
      hint = "JSON writes null for nothing (this is Python's None)";
    } else {
      hint = "JSON strings and keys need double quotes";
    }
  }
  if (hint.empty()) hint = hint_for(expected, c);
  return error("expected " + std::string(expected), p_, std::move(hint));
}

bool Parser::value() {
  const std::size_t floor = open_.size();
  bool in_object = false;
  for (;;) {
    // A value stands here.
    if (p_ == end_) return unexpected("a value");
    if (!may_go_on(p_)) return false;
    const char c = *p_;
    if (c == '{' || c == '[') {
      if (open_.size() - floor >= options_.max_depth) {
        return error("nested deeper than " + std::to_string(options_.max_depth) + " levels", p_,
                     "the bound is max_depth; measurements are rarely deeper than ten levels", core::ErrorCode::limit_exceeded);
      }
      Node* node = push(c == '{' ? Kind::object : Kind::array, p_);
      if (node == nullptr) return false;
      open_.push_back(count_ - 1);
      ++p_;
      in_object = c == '{';
      skip_blanks();
      if (p_ != end_ && *p_ == (in_object ? '}' : ']')) goto close;
      if (!in_object) continue;
      goto key;
    }
    if (c == '"') {
      if (!string("a value")) return false;
    } else if (c == '-' || is_digit(c)) {
      if (!number()) return false;
    } else if (!literal()) {
      return false;
    }
  after_value:
    if (open_.size() == floor) return true;
    ++nodes_[open_.back()].count;
    skip_blanks();
    if (p_ == end_) return unexpected({});
    if (*p_ == ',') {
      const char* comma = p_++;
      skip_blanks();
      if (p_ != end_ && *p_ == (in_object ? '}' : ']')) {
        note(document_.notes_.trailing_commas, offset_of(comma));
        goto close;
      }
      if (in_object) goto key;
      continue;
    }
    if (*p_ != (in_object ? '}' : ']')) return unexpected(in_object ? "',' or '}' after a value" : "',' or ']' after a value");
  close:
    ++p_;
    nodes_[open_.back()].next = count_;
    open_.pop_back();
    in_object = !open_.empty() && nodes_[open_.back()].kind == Kind::object;
    goto after_value;
  key:
    ++document_.member_count_;
    if (!string("a key in double quotes")) return false;
    skip_blanks();
    if (p_ == end_ || *p_ != ':') return unexpected("':' after a key");
    ++p_;
    skip_blanks();
  }
}

core::Expected<Document> Parser::run() {
  if (document_.text_.size() > 0xFFFFFFF0U) {
    return core::fail(core::ErrorCode::limit_exceeded, "a JSON text of more than 4 GiB", "split it", std::string(name_));
  }
  if (!grow()) return core::fail(error_);
  if (document_.text_.starts_with("\xEF\xBB\xBF")) {
    document_.notes_.byte_order_mark = true;
    p_ += 3;
  }
  if (push(Kind::array, begin_) == nullptr) return core::fail(error_);
  skip_blanks();
  if (p_ == end_) return core::fail(core::ErrorCode::invalid_input, "the file is empty", {}, std::string(name_));
  std::uint64_t roots = 0;
  while (p_ != end_) {
    const char* start = p_;
    const Kind previous = roots == 0 ? Kind::object : nodes_[1].kind;
    if (roots > 0 && (previous < Kind::array || (*p_ != '{' && *p_ != '['))) {
      error("text after the end of the JSON value", start, "one file holds one value, or one object a line (JSON lines)");
      return core::fail(error_);
    }
    if (!value()) return core::fail(error_);
    ++roots;
    skip_blanks();
  }
  end_roots(roots);
  return std::move(document_);
}

core::Expected<Document> parse(std::string_view text, std::string_view name, const ParseOptions& options) {
  if (text.size() >= options.index_from && text.size() <= kMostBytes) {
    Parser quick(text, name, options);
    if (quick.indexed()) return quick.take();
    if (quick.stopped()) return core::fail(quick.take_error());
  }
  return Parser(text, name, options).run();
}

}  // namespace plumbline::formats::json
