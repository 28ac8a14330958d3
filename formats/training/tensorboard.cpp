// Event files of TensorBoard (events.out.tfevents.…): records (tf_records.hpp) of one Event each, a protocol buffer (tensorflow's
// event.proto, summary.proto). Read are scalars: a `simple_value`, or a tensor of one number of the plugin "scalars" (TensorFlow
// 2). A tag is a row. What a tag is of decides what its steps are: times and rates repeat and are in-process trials, as in step
// logs; all else is the course of a run, of which the last value counts, as in trainer_state.json. A folder is a folder of runs,
// as TensorBoard takes it: the files of one folder are one run, written on.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/protobuf.hpp"
#include "core/citing.hpp"
#include "core/short_text.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/binary.hpp"
#include "formats/readers.hpp"
#include "formats/training/logged_names.hpp"
#include "formats/training/tf_records.hpp"
#include "formats/training/warm_up.hpp"

namespace plumbline::formats {
namespace {

using base::ProtobufReader;
using base::Wire;

// Numbers of fields in event.proto, summary.proto and tensor.proto.
enum EventField : std::uint32_t { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7 };
enum ValueField : std::uint32_t {
  kTag = 1,
  kSimpleValue = 2,
  kOldHistogram = 3,
  kImage = 4,
  kHistogram = 5,
  kAudio = 6,
  kTensor = 8,
  kMetadata = 9
};
enum TensorField : std::uint32_t {
  kType = 1,
  kShape = 2,
  kContent = 4,
  kFloats = 5,
  kDoubles = 6,
  kInts = 7,
  kLongs = 10,
  kHalves = 13
};
enum TensorType : std::uint64_t { kFloat = 1, kDouble = 2, kInt32 = 3, kInt64 = 9, kBfloat16 = 14, kHalf = 19 };

double of_float(std::uint64_t bits) { return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))); }

double of_half(std::uint64_t bits) {
  const std::uint64_t exponent = (bits >> 10U) & 0x1FU, fraction = bits & 0x3FFU;
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == 0x1F) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(fraction), -24);
  return sign * std::ldexp(static_cast<double>(fraction + 0x400U), static_cast<int>(exponent) - 25);
}

struct TensorKind {
  TensorType type;
  std::size_t size;   // of a number in `tensor_content`
  TensorField field;  // and where else it may stand
  Wire wire;
  double (*value)(std::uint64_t bits);
};
constexpr TensorKind kTensorKinds[] = {
    {kFloat, 4, kFloats, Wire::fixed32, of_float},
    {kDouble, 8, kDoubles, Wire::fixed64, [](std::uint64_t bits) { return std::bit_cast<double>(bits); }},
    {kInt32, 4, kInts, Wire::varint, [](std::uint64_t bits) { return static_cast<double>(static_cast<std::int32_t>(bits)); }},
    {kInt64, 8, kLongs, Wire::varint, [](std::uint64_t bits) { return static_cast<double>(static_cast<std::int64_t>(bits)); }},
    {kBfloat16, 2, kHalves, Wire::varint, [](std::uint64_t bits) { return of_float((bits & 0xFFFFU) << 16U); }},
    {kHalf, 2, kHalves, Wire::varint, of_half},
};

std::uint64_t little_endian_bits(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) bits |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return bits;
}

// The one element of a packed field, or nothing where there are none or several.
std::optional<std::uint64_t> only_packed(std::string_view packed, const TensorKind& kind) {
  if (kind.wire != Wire::varint) {
    return packed.size() == kind.size ? std::optional(little_endian_bits(packed)) : std::nullopt;
  }
  std::uint64_t bits = 0;
  if (!ProtobufReader::take(packed, bits) || !packed.empty()) return std::nullopt;
  return bits;
}

bool holds_one(std::string_view shape) {
  for (ProtobufReader dims(shape); dims.next();) {
    if (!dims.is(2, Wire::bytes)) continue;
    std::uint64_t size = 0;
    for (ProtobufReader dim(dims.bytes()); dim.next();) {
      if (dim.is(1, Wire::varint)) size = dim.number();
    }
    if (size != 1) return false;
  }
  return true;
}

// The number of a tensor that is one.
std::optional<double> number_of_tensor(std::string_view tensor) {
  const TensorKind* kind = nullptr;
  std::optional<std::uint64_t> bits;
  ProtobufReader reader(tensor);
  while (reader.next()) {
    if (reader.is(kType, Wire::varint)) {
      const auto* const found = std::find_if(std::begin(kTensorKinds), std::end(kTensorKinds),
                                             [&](const TensorKind& one) { return one.type == reader.number(); });
      if (found == std::end(kTensorKinds)) return std::nullopt;
      kind = found;
    } else if (reader.is(kShape, Wire::bytes)) {
      if (!holds_one(reader.bytes())) return std::nullopt;
    } else if (kind == nullptr) {
      continue;  // the type is written first, by its number
    } else if (reader.is(kContent, Wire::bytes)) {
      if (reader.bytes().size() == kind->size) bits = little_endian_bits(reader.bytes());
    } else if (reader.is(kind->field, Wire::bytes)) {
      bits = only_packed(reader.bytes(), *kind);
    } else if (reader.is(kind->field, kind->wire)) {
      bits = reader.number();
    }
  }
  if (kind == nullptr || !bits || reader.damaged()) return std::nullopt;
  return kind->value(*bits);
}

std::string_view plugin_of(std::string_view metadata) {
  for (ProtobufReader reader(metadata); reader.next();) {
    if (!reader.is(1, Wire::bytes)) continue;
    for (ProtobufReader plugin(reader.bytes()); plugin.next();) {
      if (plugin.is(1, Wire::bytes)) return plugin.bytes();
    }
  }
  return {};
}

struct Scalar {
  std::int64_t step = 0;
  double value = 0;
};
struct Series {
  std::string_view tag;
  std::string_view plugin;  // said once, at a tag's first value
  std::vector<Scalar> scalars;
  std::size_t kept = 0;  // of the files before
};
// The files of one folder.
struct Run {
  std::string name;  // the folder, "" at the top
  std::vector<Series> series = {};
  std::unordered_map<std::string_view, std::size_t> at = {};
  std::optional<double> first_time = {}, last_time = {};
  std::int64_t last_step = 0;

  Series& of(std::string_view tag) {
    const auto [known, fresh] = at.emplace(tag, series.size());
    if (fresh) series.emplace_back().tag = tag;
    return series[known->second];
  }
};

// What a number of the tag is, and whether a step's is a repetition of the others.
struct Meaning {
  std::optional<Declared> declared;  // else its name speaks
  bool repeats = false;
};

class Events {
 public:
  Events(const Input& input, const ReadOptions& options) : input_(input), writer_(options), rows_(writer_, "tensorboard") {}

  core::Expected<core::Measurement> read();

 private:
  core::Status file(std::string_view bytes, const std::string& name, Run& run);
  void event(std::string_view message, Run& run);
  void summary(std::string_view message, std::int64_t step, Run& run);
  void restarted(std::int64_t step, Run& run);
  void continued(Run& run);
  void write(const Run& run);
  void write_series(const Run& run, const Series& series);
  [[nodiscard]] Meaning meaning_of(std::string_view tag) const;
  void tell();

  const Input& input_;
  RowWriter writer_;
  DeclaredRows rows_;
  std::map<std::string, std::uint64_t, std::less<>> others_;  // values that are no scalars, by kind
  std::vector<std::string> other_files_, cut_files_;
  std::string speed_, loss_, warm_up_;
  std::uint64_t unread_events_ = 0, undone_ = 0, warmed_ = 0;
  bool trials_ = false;
};

constexpr std::string_view kMark = "brain.Event:";

// Whether the first record is what every writer begins with.
bool is_event_file(std::string_view bytes) {
  constexpr std::size_t kFirst = 4096;
  TfRecords records(bytes.substr(0, kFirst));
  std::string_view record;
  return records.next(record) && record.find(kMark) != std::string_view::npos;
}

// What trainers keep beside their events, and nobody measures.
bool is_kept_beside(std::string_view name) {
  static constexpr std::string_view kEndings[] = {".yaml", ".yml", ".ckpt", ".pt",  ".pth", ".bin", ".safetensors", ".index",
                                                  ".h5",   ".pb",  ".meta", ".png", ".pkl", ".py",  "/checkpoint"};
  return name == "checkpoint" || name.find(".data-0") != std::string_view::npos ||
         std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view end) { return name.ends_with(end); });
}

std::string folder_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? std::string() : name.substr(0, slash);
}

core::Expected<core::Measurement> Events::read() {
  std::vector<Run> runs;
  if (input_.files.empty()) {
    if (auto ok = file(input_.bytes, input_.name, runs.emplace_back()); !ok) return core::fail(ok.error());
  }
  // Sorted by name, which begins with the time when the file was opened.
  for (const Input::File& one : input_.files) {
    if (!is_event_file(one.bytes)) {
      other_files_.push_back(one.name);
      continue;
    }
    const std::string folder = folder_of(one.name);
    auto run = std::find_if(runs.begin(), runs.end(), [&](const Run& known) { return known.name == folder; });
    if (run == runs.end()) run = runs.insert(runs.end(), Run{.name = folder});
    for (Series& series : run->series) series.kept = series.scalars.size();
    if (auto ok = file(one.bytes, one.name, *run); !ok) return core::fail(ok.error());
    continued(*run);
  }
  for (const Run& run : runs) write(run);
  if (writer_.halted()) return writer_.finish(input_.name);
  if (writer_.out.rows().empty()) {
    std::vector<std::string> seen;
    for (const auto& [kind, count] : others_) seen.push_back(core::counted(count, kind));
    return core::fail(core::ErrorCode::invalid_input,
                      "no scalar in the event file" + (seen.empty() ? "" : ", only " + core::listed(seen, seen.size())),
                      "scalars are what SummaryWriter.add_scalar, tf.summary.scalar and a Trainer's logging write", input_.name);
  }
  tell();
  writer_.out.replication = trials_ ? core::Replication::in_process : core::Replication::run;
  for (const std::string& name : {speed_, loss_}) {
    if (!name.empty() && name.find_first_of("*?[\\") == std::string::npos) writer_.out.declared.headlines.push_back(name);
  }
  return writer_.finish(input_.name);
}

core::Status Events::file(std::string_view bytes, const std::string& name, Run& run) {
  if (!is_event_file(bytes)) {
    return core::fail(core::ErrorCode::invalid_input, "no event file of TensorBoard: it does not begin with a record of one",
                      "give events.out.tfevents.… as the run wrote it", name);
  }
  TfRecords records(bytes);
  for (std::string_view record; !writer_.halted() && records.next(record);) event(record, run);
  if (!records.damage().empty()) {
    return core::fail(
        core::ErrorCode::invalid_input, "the event file is damaged: " + records.damage(),
        "the copy is not what was written: copy it again; `tensorboard --inspect --logdir FOLDER` reads the same records", name);
  }
  if (records.cut())
    cut_files_.push_back(name + ", at byte " + std::to_string(records.at()) + " of " + std::to_string(bytes.size()));
  return {};
}

void Events::event(std::string_view message, Run& run) {
  double time = 0;
  std::int64_t step = 0;
  std::string_view held, session;
  ProtobufReader reader(message);
  while (reader.next()) {
    if (reader.is(kWallTime, Wire::fixed64)) time = std::bit_cast<double>(reader.number());
    if (reader.is(kStep, Wire::varint)) step = reader.integer();
    if (reader.is(kSummary, Wire::bytes)) held = reader.bytes();
    if (reader.is(kSessionLog, Wire::bytes)) session = reader.bytes();
  }
  if (reader.damaged()) {
    ++unread_events_;
    return;
  }
  constexpr std::uint64_t kStart = 1;
  for (ProtobufReader log(session); log.next();) {
    if (log.is(1, Wire::varint) && log.number() == kStart) restarted(step, run);
  }
  if (held.data() == nullptr) return;
  if (std::isfinite(time)) {
    if (!run.first_time) run.first_time = time;
    run.last_time = time;
  }
  run.last_step = std::max(run.last_step, step);
  summary(held, step, run);
}

void Events::summary(std::string_view message, std::int64_t step, Run& run) {
  ProtobufReader values(message);
  while (values.next()) {
    if (!values.is(1, Wire::bytes)) continue;
    std::string_view tag, tensor, plugin, other;
    std::optional<double> number;
    ProtobufReader value(values.bytes());
    while (value.next()) {
      if (value.is(kTag, Wire::bytes)) tag = value.bytes();
      if (value.is(kSimpleValue, Wire::fixed32)) number = of_float(value.number());
      if (value.is(kTensor, Wire::bytes)) tensor = value.bytes();
      if (value.is(kMetadata, Wire::bytes)) plugin = plugin_of(value.bytes());
      if (value.is(kHistogram, Wire::bytes) || value.is(kOldHistogram, Wire::bytes)) other = "histogram";
      if (value.is(kImage, Wire::bytes)) other = "image";
      if (value.is(kAudio, Wire::bytes)) other = "audio clip";
    }
    if (value.damaged() || tag.empty()) {
      ++unread_events_;
      continue;
    }
    Series& series = run.of(tag);
    if (!plugin.empty() && series.plugin.empty()) series.plugin = plugin;
    if (tensor.data() != nullptr) {
      if (series.plugin == "scalars") number = number_of_tensor(tensor);
      if (!number && other.empty())
        other = series.plugin == "scalars" || series.plugin.empty() ? "tensor" : "value of another plugin";
    }
    if (number) series.scalars.push_back({step, *number});
    if (!number && !other.empty()) ++others_[std::string(other)];
  }
  if (values.damaged()) ++unread_events_;
}

// A run that begins at a step again does what came behind it anew: TensorBoard drops that, too.
void Events::restarted(std::int64_t step, Run& run) {
  for (Series& series : run.series) {
    const auto undone = [&](const Scalar& one) { return one.step >= step; };
    undone_ += std::erase_if(series.scalars, undone);
    series.kept = std::min(series.kept, series.scalars.size());
  }
}

// A file that goes on from a checkpoint begins below the end of the one before it.
void Events::continued(Run& run) {
  for (Series& series : run.series) {
    if (series.kept == 0 || series.kept == series.scalars.size()) continue;
    const auto own = series.scalars.begin() + static_cast<std::ptrdiff_t>(series.kept);
    const std::int64_t from = own->step;
    const auto kept = std::remove_if(series.scalars.begin(), own, [&](const Scalar& one) { return one.step >= from; });
    undone_ += static_cast<std::uint64_t>(own - kept);
    series.scalars.erase(kept, own);
  }
}

Meaning Events::meaning_of(std::string_view tag) const {
  Meaning out;
  out.declared = declared_of_logged(tag);
  const configs::MetricGuess guess = writer_.names().guess(tag);
  const std::string unit = out.declared ? std::string(out.declared->unit) : guess.unit;
  if (!out.declared && (guess.direction == core::Direction::unknown || guess.role != core::Role::judged)) {
    if (guess.role == core::Role::judged) out.declared = for_context();
    return out;
  }
  switch (core::parse_unit(unit).quantity) {
    case core::Quantity::time:
    case core::Quantity::bytes_per_second:
    case core::Quantity::flops:
    case core::Quantity::operations_per_second:
      out.repeats = true;
      break;
    default:
      break;
  }
  return out;
}

void Events::write(const Run& run) {
  const std::size_t before = writer_.out.rows().size();
  for (const Series& series : run.series) {
    if (writer_.halted()) return;
    if (!series.scalars.empty()) write_series(run, series);
  }
  if (writer_.out.rows().size() == before) return;
  const std::uint32_t dims = rows_.dims({{"run", run.name}});
  const std::pair<std::string_view, double> ends[] = {{"last_step", static_cast<double>(run.last_step)},
                                                      {"logged_for", *run.last_time - *run.first_time}};
  for (const auto& [name, value] : ends) {
    if (!run.at.contains(name)) rows_.add(run.name, name, dims, for_context(name == "logged_for" ? "s" : ""), value);
  }
}

void Events::write_series(const Run& run, const Series& series) {
  Meaning meaning = meaning_of(series.tag);
  std::vector<double> values;
  values.reserve(series.scalars.size());
  for (const Scalar& scalar : series.scalars) values.push_back(scalar.value);
  // A time that never falls is a clock: how long the run has taken until then.
  constexpr std::size_t kFew = 3;
  const bool rises = values.size() >= kFew && values.back() > values.front() && std::is_sorted(values.begin(), values.end());
  const bool lower = meaning.declared ? meaning.declared->direction == core::Direction::lower
                                      : writer_.names().guess(series.tag).direction == core::Direction::lower;
  if (meaning.repeats && lower && rises) meaning = {for_context("s"), false};
  const bool finite = std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  if (!meaning.repeats) {
    values.erase(values.begin(), values.end() - 1);
  } else if (finite && std::all_of(values.begin(), values.end(), [](double value) { return value > 0; })) {
    constexpr std::size_t kMostCold = 100;  // behind so many it is no warm-up
    std::vector<double> times = values;
    if (!lower) std::transform(times.begin(), times.end(), times.begin(), [](double rate) { return 1 / rate; });
    const std::size_t cold = cold_times(times, kMostCold);
    if (cold > 0 && cold < kMostCold) {
      if (warmed_++ == 0) {
        warm_up_ = "the first " + (cold == 1 ? "value" : core::counted(cold, "value")) + " of " + core::cited(series.tag) +
                   (cold == 1 ? " looks like warm-up and is no trial: " : " look like warm-up and are no trials: ") +
                   core::short_number(values.front()) + " against a median of " +
                   core::short_number(core::median(std::span(values).subspan(cold))) + " in the rest";
      }
      values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(cold));
    }
  }
  trials_ |= values.size() > 1;
  const std::uint32_t dims = rows_.dims({{"run", run.name}});
  if (meaning.declared) {
    rows_.add(run.name, series.tag, dims, *meaning.declared, values);
  } else {
    rows_.add_by_name(run.name, series.tag, dims, values);
  }
  std::string& headline = meaning.repeats ? speed_ : loss_;
  if (headline.empty() && (meaning.repeats || series.tag.ends_with("loss"))) headline = rows_.key(run.name, series.tag);
}

void Events::tell() {
  core::Measurement& out = writer_.out;
  if (!cut_files_.empty()) {
    out.warn("run_incomplete", "the last record is cut off and was left out, in " + core::cited_list(cut_files_) +
                                   ": the writer was stopped, or is still running");
  }
  if (undone_ > 0) {
    out.warn("earlier_runs", core::counted(undone_, "value") + " of steps that were done again after a restart " +
                                 (undone_ == 1 ? "was" : "were") + " left out");
  }
  if (unread_events_ > 0) {
    out.warn("unread_events",
             core::counted(unread_events_, "event or value", "events or values") + " that are no whole messages");
  }
  if (!others_.empty()) {
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : others_) {
      kinds.push_back(kind == "value of another plugin" ? core::counted(count, kind, "values of other plugins")
                                                        : core::counted(count, kind));
    }
    out.warn("unread_values", core::listed(kinds, kinds.size()) + " left out: scalars are read");
  }
  if (!other_files_.empty()) {
    out.warn("unread_file", core::counted(other_files_.size(), "file") + " of " + std::to_string(input_.files.size()) +
                                " not read: " + core::cited_list(other_files_) + " (no event files)");
  }
  if (warmed_ > 0) {
    if (warmed_ > 1) warm_up_ += "; so it is with " + core::counted(warmed_ - 1, "other tag");
    out.warn("warm_up", warm_up_);
  }
}

}  // namespace

Detection detect_tensorboard(const Input& input) {
  Detection detection;
  if (!input.is_directory && input.files.empty()) {
    if (!is_event_file(input.bytes)) return detection;
    detection.score = 1;
    detection.evidence.push_back("begins with a record of " + std::string(kMark));
    return detection;
  }
  std::size_t events = 0;
  for (const Input::File& file : input.files) {
    if (is_event_file(file.bytes)) {
      ++events;
    } else if (!is_kept_beside(file.name)) {
      return detection;  // who measured something else wants that, too
    }
  }
  if (events == 0) return detection;
  detection.score = 1.05;  // more than any folder
  detection.evidence.push_back("a folder of " + core::counted(events, "event file"));
  return detection;
}

extern const Format tensorboard_format = {
    .name = "tensorboard",
    .title = "TensorBoard event files",
    .detect = detect_tensorboard,
    .read = read_with<Events>,
    .about = {.group = Group::training,
              .file = "binary, folder",
              .produce = "torchrun --nproc-per-node 8 train.py ARGUMENTS\n"
                         "ls runs/*/events.out.tfevents.*  # the file is given, or a run's folder",
              .judged = "of times (lower) and rates (higher) every step; of all else the last value: losses, error rates and run "
                        "times (lower), accuracy, F1 and BLEU (higher), others by their names",
              .key = "the tag: `train/loss`; in a folder of runs behind its folder: `validation.epoch_loss`",
              .trials =
                  "the values of a time or a rate, in one process; the first ones are none where they look like warm-up, which "
                  "is said; files and folders given one by one are runs",
              .context = "none",
              .limits = "histograms, images, texts and other plugins' values are counted and left out; tags whose names have no "
                        "direction are context, as the last step and the seconds from the first event to the last; a time that "
                        "never falls is a clock and context; a cut tail is told, a wrong checksum refused; values of single "
                        "precision are as wide as they are",
              .recognised = "a first record with a right checksum that holds `brain.Event:`; a folder of such files and of what "
                            "trainers keep beside them"},
    .doubts_tail = true,
};

}  // namespace plumbline::formats
