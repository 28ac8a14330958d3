#include "formats/screen.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/beside.hpp"
#include "core/citing.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"

namespace plumbline::formats {
namespace {

using core::Id;
using core::ValueState;

void replace_all(std::string& text, std::string_view old, std::string_view now) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + now.size()))
    text.replace(at, old.size(), now);
}

class Screen {
 public:
  explicit Screen(core::Measurement& measurement) : m_(measurement), pool_(measurement.pool()) {}

  void run() {
    look_through_pool();
    rows();
    if (!taken_.empty()) mark_duplicates();
    if (!shown_.empty()) {
      for (core::MetricClass& one : m_.classes()) {
        one.unit = shown(one.unit);
        one.direction_note = shown(one.direction_note);
      }
    }
    texts_around();
    if (left_out_ == 0) return;
    m_.warn("secret_in_source", core::counted(left_out_, "text holds", "texts hold") +
                                    " what looks like a secret, shown as [redacted]; the source itself still holds " +
                                    (left_out_ == 1 ? "it" : "them") + " (record --redact removes what is in JSON)" +
                                    (left_out_ == 1 ? ": " : ", the first is ") + core::cited(first()));
  }

 private:
  void look_through_pool() {
    const auto size = static_cast<Id>(pool_.size());
    const Id first = std::max<Id>(pool_.clean_before(), 1);
    if (has_signs(first, size)) {
      each_run_of_texts(first, size, [this](Id begin, Id end, core::SecretSigns signs) {
        for (Id id = begin; id < end && signs != core::SecretSigns::none; ++id) screen_text(id, signs);
        return true;
      });
    }
    if (found_.empty()) return pool_.set_clean_before(size);
    shown_.resize(size);
    for (Id id = 0; id < size; ++id) shown_[id] = id;
    for (const auto& [id, clean] : found_) shown_[id] = pool_.intern(clean);
  }
  // Nearly always none, which two threads find out at once.
  [[nodiscard]] bool has_signs(Id first, Id end) const {
    const auto in = [this](Id begin, Id behind) {
      bool any = false;
      each_run_of_texts(begin, behind, [&any](Id /*begin*/, Id /*end*/, core::SecretSigns signs) {
        any = signs != core::SecretSigns::none;
        return !any;
      });
      return any;
    };
    constexpr Id kMany = 100'000;
    if (end - first < kMany) return in(first, end);
    const Id middle = first + (end - first) / 2;
    auto behind = base::beside([&in, middle, end] { return in(middle, end); });
    return in(first, middle) | behind.get();
  }
  // Calls look(first, end, signs) for texts that lie in the pool one behind the other, a few thousand bytes at once, until it
  // returns false.
  template <class Look>
  void each_run_of_texts(Id first, Id last, Look look) const {
    constexpr std::size_t kAtOnce = 4096;
    while (first < last) {
      const std::string_view begin = pool_.view(first);
      Id end = first + 1;
      std::size_t bytes = begin.size();
      while (end < last && bytes < kAtOnce && pool_.view(end).data() == begin.data() + bytes) bytes += pool_.view(end++).size();
      if (!look(first, end, core::secret_signs({begin.data(), bytes}))) return;
      first = end;
    }
  }
  // Keys of one point come together: what is before the bracket that closes its dimensions was clean a moment ago. `signs` are
  // those of the text and its neighbours.
  void screen_text(Id id, core::SecretSigns signs) {
    const std::string_view text = pool_.view(id);
    if (!clean_point_.empty() && text.starts_with(clean_point_)) {
      const std::string_view rest = text.substr(clean_point_.size());
      const bool clean = signs == core::SecretSigns::equals ? std::memchr(rest.data(), '=', rest.size()) == nullptr
                                                            : rest.find(']') == std::string_view::npos &&
                                                                  !core::may_hold_secret(text.substr(clean_point_.size() - 1));
      if (clean) return;
    }
    if (signs != core::SecretSigns::equals || !finder_.only_settings(text)) {
      if (auto clean = finder_.scrubbed(text)) {
        found_.emplace_back(id, std::move(*clean));
        return;
      }
    }
    const std::size_t bracket = text.rfind(']');
    clean_point_ = bracket == std::string_view::npos ? std::string_view() : text.substr(0, bracket + 1);
  }
  [[nodiscard]] Id shown(Id id) const { return id < shown_.size() ? shown_[id] : id; }

  void rows() {
    std::uint32_t dims = 0, shown_dims = 0;
    for (std::size_t i = 0; i < m_.rows().size(); ++i) {
      core::Row& row = m_.rows()[i];
      at_ = i;
      if (row.state != ValueState::number || row.text != 0) text_of(row);
      if (row.dims != dims) {
        dims = row.dims;
        shown_dims = screened_dims(row);
      }
      const Id key = row.key;
      if (shown_dims != dims) row.dims = shown_dims;
      if (row.dims != dims || shown(key) != key) key_of(row);
      row.metric = shown(row.metric);
      if (row.key != key) {
        taken_.push_back(static_cast<std::uint32_t>(i));
        note();
      }
    }
  }

  void note() {
    if (left_out_++ == 0) first_row_ = at_;
  }
  // By its key as it is shown, which is only known when all rows are done.
  [[nodiscard]] std::string first() const {
    return first_row_ < m_.rows().size() ? std::string(m_.key(m_.rows()[first_row_]).substr(0, 200)) : first_field_;
  }

  // The names on the way to a text: what a secret's name says holds for all below it.
  core::NameSays path_says(std::string_view key) {
    core::NameSays strongest = core::NameSays::nothing;
    std::size_t begin = 0;
    while (begin <= key.size()) {
      const std::size_t end = std::min(key.find_first_of(".[],={}\"", begin), key.size());
      const std::string_view name = key.substr(begin, end - begin);
      begin = end + 1;
      // "[op=login].note" is about a login; "[name=HF_TOKEN].value" is the token.
      if (begin > name.size() + 1 && key[begin - name.size() - 2] == '=' && !key.ends_with(".value")) continue;
      core::NameSays says = core::name_says(name);
      // "token.text" may be a word of a text; the token itself stands last.
      if (says == core::NameSays::token && key.find_first_not_of("[]0123456789\"}", end) != std::string_view::npos)
        says = core::NameSays::random;
      strongest = std::max(strongest, says);
    }
    return strongest;
  }

  // A text, or a number that was one, under a name that sounds like a secret; a value of an argument list behind its option.
  void text_of(core::Row& row) {
    const bool written = row.state == ValueState::numeric_string || row.state == ValueState::big_integer;
    if ((row.text == 0 && !written) || row.state == ValueState::null) {
      option_ = false;
      return;
    }
    const std::string_view text = pool_.view(row.text);
    if (text == core::kRedacted) {
      note();
      return;
    }
    const bool value_of_option = option_ && row.state == ValueState::text;
    option_ = row.state == ValueState::text && core::awaits_secret(text);
    const core::NameSays says = path_says(m_.key(row));
    if (value_of_option || says == core::NameSays::secret || (says == core::NameSays::token && !written) ||
        (says == core::NameSays::random && core::looks_random(text))) {
      hide(text);
      row.text = pool_.intern(core::kRedacted);
      row.value_count = 0;
      if (row.state != ValueState::failed && row.state != ValueState::duplicate) {
        row.state = ValueState::text;
        row.metric_class = text_class();
      }
    } else if (shown(row.text) != row.text) {
      row.text = shown(row.text);
    } else {
      return;
    }
    note();
  }

  std::uint32_t text_class() {
    core::MetricClass text;
    text.role = core::Role::context;
    text.direction_note = pool_.intern("text");
    return m_.intern_class(text);
  }

  // Dimensions under a secret's name, and such that hold one.
  std::uint32_t screened_dims(const core::Row& row) {
    replaced_.clear();
    const auto dims = m_.dims(row);
    if (std::all_of(dims.begin(), dims.end(), [&](const auto& dim) {
          return shown(dim.second) == dim.second && name_says(dim.first) == core::NameSays::nothing;
        })) {
      return row.dims;
    }
    now_.clear();
    for (const auto& [name, value] : m_.dims(row)) {
      const std::string_view text = pool_.view(value);
      Id clean = shown(value);
      const core::NameSays says = name_says(name);
      if (says != core::NameSays::nothing && text != core::kRedacted &&
          (says == core::NameSays::secret || (says == core::NameSays::token && !core::parse_double(text)) ||
           core::looks_random(text))) {
        hide(text);
        clean = pool_.intern(core::kRedacted);
      }
      if (clean != value) replaced_.emplace_back(std::string(text), clean);
      now_.emplace_back(shown(name), clean);
    }
    if (replaced_.empty()) return row.dims;
    return m_.add_dims(now_);
  }
  core::NameSays name_says(Id name) {
    if (names_.size() <= name) names_.resize(pool_.size(), kUnasked);
    if (names_[name] == kUnasked) names_[name] = static_cast<std::uint8_t>(core::name_says(pool_.view(name)));
    return static_cast<core::NameSays>(names_[name]);
  }

  // The key without its dimensions' secrets, then without those of its own; the metric at its end is no part of a value.
  void key_of(core::Row& row) {
    std::string key(m_.key(row));
    const std::string metric(m_.metric(row));
    for (const auto& [old, now] : replaced_) {
      if (old.size() >= kShortest) replace_all(key, old, pool_.view(now));  // a shorter one is found behind its name
    }
    std::string tail;
    if (key.size() > metric.size() + 1 && key.ends_with(metric) && key[key.size() - metric.size() - 1] == '.') {
      tail = "." + finder_.scrubbed(metric).value_or(metric);
      key.resize(key.size() - metric.size() - 1);
    }
    key = finder_.scrubbed(key).value_or(key) + tail;
    row.key = pool_.intern(key);
  }

  // Keys that were told apart by nothing but a secret are one now: neither value is taken.
  void mark_duplicates() {
    constexpr std::uint32_t kNoRow = 0xFFFFFFFFU;
    std::vector<std::uint32_t> row_of(pool_.size(), kNoRow);
    std::vector<bool> changed(m_.rows().size());
    for (const std::uint32_t row : taken_) changed[row] = true;
    std::uint64_t alike = 0;
    std::string example;
    for (std::size_t i = 0; i < m_.rows().size(); ++i) {
      core::Row& row = m_.rows()[i];
      std::uint32_t& first = row_of[row.key];
      if (first == kNoRow) {
        first = static_cast<std::uint32_t>(i);
      } else if (changed[i] || changed[first]) {
        row.state = m_.rows()[first].state = ValueState::duplicate;
        if (alike++ == 0) example = std::string(m_.key(row).substr(0, 200));
      }
    }
    if (alike == 0) return;
    m_.warn("duplicate_key",
            core::counted(alike, "key appears", "keys appear") +
                " more than once when the secrets in them are left out: these rows are invalid, neither value is "
                "taken" +
                (alike == 1 ? ": " : ", the first is ") + core::cited(example));
  }

  void clean(std::string& text) {
    for (const std::string& secret : hidden_) replace_all(text, secret, core::kRedacted);
    if (!core::may_hold_secret(text)) return;
    if (auto without = finder_.scrubbed(text)) text = std::move(*without);
  }
  // A value that its name made a secret may be quoted in a warning without that name.
  void hide(std::string_view text) {
    constexpr std::size_t kMany = 64;
    const bool word = text.find_first_of("0123456789") == std::string_view::npos;
    if (!word && text.size() >= kShortest && hidden_.size() < kMany &&
        std::find(hidden_.begin(), hidden_.end(), text) == hidden_.end())
      hidden_.emplace_back(text);
  }

  void texts_around() {
    for (auto& [key, value] : m_.context) {
      const std::string before = value;
      if (core::is_secret(std::string_view(key).substr(key.find('.') + 1), value)) value = core::kRedacted;
      clean(value);
      if (value != before && left_out_++ == 0) first_field_ = key;
    }
    for (core::Warning& warning : m_.warnings) clean(warning.message);
    clean(m_.format.version);
    for (std::string& one : m_.format.evidence) clean(one);
    for (auto& [glob, spec] : m_.declared.tolerances) clean(glob);
    for (std::string& one : m_.declared.headlines) clean(one);
    for (std::string& one : m_.declared.gates) clean(one);
  }

  core::Measurement& m_;
  core::StringPool& pool_;
  core::SecretFinder finder_;
  std::string_view clean_point_;
  std::vector<std::pair<Id, std::string>> found_;
  std::vector<Id> shown_;                             // by pool id; empty when the pool holds no secret
  std::vector<std::pair<std::string, Id>> replaced_;  // values of the dimensions at hand
  std::vector<std::pair<Id, Id>> now_;                // those dimensions without them
  static constexpr std::uint8_t kUnasked = 0xFF;
  std::vector<std::uint8_t> names_;   // what names of dimensions say, by pool id
  std::vector<std::uint32_t> taken_;  // rows whose keys changed
  std::vector<std::string> hidden_;
  static constexpr std::size_t kShortest = 6;  // what is replaced wherever it stands
  std::uint64_t left_out_ = 0;
  std::size_t at_ = 0, first_row_ = static_cast<std::size_t>(-1);
  std::string first_field_;
  bool option_ = false;  // the row before is "--token"
};

}  // namespace

void screen(core::Measurement& measurement) { Screen(measurement).run(); }

core::Error screened(core::Error error) {
  error.message = core::without_secrets(error.message);
  error.hint = core::without_secrets(error.hint);
  return error;
}

}  // namespace plumbline::formats
