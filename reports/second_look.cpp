#include "reports/second_look.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/text.hpp"
#include "reports/json_parts.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {

using core::JsonWriter;
using core::SecondAnswer;

namespace {

// A key is not screened again: it must be found in the rows.
std::string quoted(std::string_view text) {
  std::string out;
  core::append_quoted(out, text);
  return out;
}

}  // namespace

void write_second_look(JsonWriter& json, const core::SecondAnswers& second, std::size_t rows, std::size_t key_bytes) {
  const core::SecondLook& look = *second.asked;
  json.key("second_look").begin_object();
  json.key("first").begin_object().place_or_null("path", look.path).place_or_null("bundle_sha256", look.bundle_sha256);
  json.field("verdict", look.verdict).field("tier", look.tier).field("rows_judged", look.judged).end_object();
  json.field("alpha", look.alpha).field("corrected_for", look.family).field("classes", look.classes);
  json.key("counts").begin_object().field("in_doubt", static_cast<std::uint64_t>(look.rows.size()));
  for (const SecondAnswer answer :
       {SecondAnswer::confirmed, SecondAnswer::undecided, SecondAnswer::gone, SecondAnswer::not_confirmed})
    json.field(to_string(answer), second.count(answer));
  json.end_object();

  std::vector<std::size_t> order(second.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return second.rows[a] < second.rows[b]; });
  const std::size_t shown = std::min(rows, order.size());
  json.key("rows").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    const core::DoubtfulRow& row = look.rows[order[i]];
    core::compact(json, [&](JsonWriter& out) {
      out.begin_object().key("key").raw(quoted(shorten_bytes(row.key, key_bytes)));
      out.field("was", row.was).field("now", to_string(second.rows[order[i]])).end_object();
    });
  }
  json.end_array();
  if (shown < order.size()) json.field("rows_omitted", static_cast<std::uint64_t>(order.size() - shown));
  json.end_object();
}

std::string second_look_sentence(const core::SecondAnswers& second) {
  std::string out = "of " + core::counted(second.rows.size(), "row") + " in doubt ";
  bool first = true;
  const auto say = [&](SecondAnswer answer, const char* one, const char* several) {
    const std::uint64_t count = second.count(answer);
    if (count == 0) return;
    out += (first ? "" : ", ") + grouped(count) + " " + (count == 1 ? one : several);
    first = false;
  };
  say(SecondAnswer::confirmed, "is confirmed", "are confirmed");
  say(SecondAnswer::not_confirmed, "is not confirmed", "are not confirmed");
  say(SecondAnswer::undecided, "is still undecided", "are still undecided");
  say(SecondAnswer::gone, "is gone", "are gone");
  return out;
}

}  // namespace plumbline::reports
