#include "formats/stated/pattern.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::formats::stated {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Runs of blanks as one: a pattern's text.
std::string squeezed(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (!is_blank(c)) {
      made.push_back(c);
    } else if (made.empty() || made.back() != ' ') {
      made.push_back(' ');
    }
  }
  return made;
}

// Where the part ends in the line when it begins at `at`; npos where it does not fit there.
std::size_t fits_at(std::string_view line, std::size_t at, std::string_view part) {
  for (const char c : part) {
    if (c == ' ') {
      if (at >= line.size() || !is_blank(line[at])) return std::string_view::npos;
      while (at < line.size() && is_blank(line[at])) ++at;
    } else {
      if (at >= line.size() || line[at] != c) return std::string_view::npos;
      ++at;
    }
  }
  return at;
}

struct Found {
  std::size_t begin = std::string_view::npos, end = 0;
};
Found find_part(std::string_view line, std::size_t from, std::string_view part) {
  for (std::size_t at = from; at < line.size(); ++at) {
    if (part.front() == ' ') {
      while (at < line.size() && !is_blank(line[at])) ++at;
    } else {
      at = std::min(line.find(part.front(), at), line.size());
    }
    if (const std::size_t end = fits_at(line, at, part); end != std::string_view::npos) return {at, end};
  }
  return {};
}

}  // namespace

core::Expected<Pattern> Pattern::parse(std::string_view given) {
  const auto wrong = [&](std::string message, std::string hint) {
    return core::fail(core::ErrorCode::invalid_input, std::move(message) + " in the line " + core::cited(given), std::move(hint));
  };
  Pattern made;
  made.text_ = std::string(core::trim(given));
  std::string_view text = made.text_;
  while (true) {
    const std::size_t open = text.find('{');
    made.parts_.push_back(squeezed(text.substr(0, open)));
    if (open == std::string_view::npos) break;
    if (open == 0 && !made.holes_.empty())
      return wrong("two holes side by side", "put the text that is between them, a blank at least");
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return wrong("a hole has no end", "write {name}");
    made.holes_.emplace_back(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
  for (const std::string& part : made.parts_) {
    for (const std::string_view word : core::split(part, ' ')) {
      if (word.size() > made.longest_.size()) made.longest_ = std::string(word);
    }
  }
  return made;
}

std::string as_name(std::string_view text) {
  std::string made = core::to_lower(core::trim(text));
  std::replace(made.begin(), made.end(), ' ', '_');
  return made;
}

std::string as_short(std::string_view text) {
  if (text.find('.') != std::string_view::npos) {
    text = text.substr(0, text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.remove_suffix(1);
  }
  return std::string(text);
}

bool Pattern::match(std::string_view line, std::vector<std::string_view>& values, std::size_t further) const {
  values.clear();
  line = core::trim(line);
  if (const std::string& end = parts_.back(); !end.empty() && !line.ends_with(end.back())) return false;
  if (line.find(longest_) == std::string_view::npos) return false;
  std::size_t at = fits_at(line, 0, parts_.front());
  // "name: {}" fits "name:", whose blank was trimmed away.
  if (at == std::string_view::npos && holes_.size() == 1 && holes_[0].empty() && parts_[1].empty() && parts_[0].ends_with(' ')) {
    at = fits_at(line, 0, std::string_view(parts_[0]).substr(0, parts_[0].size() - 1));
  }
  if (at == std::string_view::npos) return false;
  for (std::size_t hole = 0; hole < holes_.size(); ++hole) {
    const std::string& behind = parts_[hole + 1];
    Found found{line.size(), line.size()};
    if (!behind.empty()) {
      found = find_part(line, at, behind);
      for (std::size_t i = 0; hole == 0 && i < further && found.begin != std::string_view::npos; ++i) {
        found = find_part(line, found.end, behind);
      }
      const bool last = hole + 1 == holes_.size();
      // Behind the last hole the text has to reach to the end of the line.
      while (last && found.begin != std::string_view::npos && found.end != line.size()) {
        found = find_part(line, found.begin + 1, behind);
      }
      if (found.begin == std::string_view::npos) return false;
    }
    values.push_back(core::trim(line.substr(at, found.begin - at)));
    at = found.end;
  }
  return at == line.size();
}

}  // namespace plumbline::formats::stated
