#include "formats/plain_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using namespace std::string_view_literals;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | (code >> 6U));
    put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
    put(0x80U | ((code >> 6U) & 0x3FU));
    put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | (code >> 18U));
    put(0x80U | ((code >> 12U) & 0x3FU));
    put(0x80U | ((code >> 6U) & 0x3FU));
    put(0x80U | (code & 0x3FU));
  }
}

// What is no character (half of a pair, an odd last byte) becomes U+FFFD and is counted.
std::string from_utf16(std::string_view bytes, bool little, std::uint64_t& broken) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  const std::size_t units = bytes.size() / 2;
  const auto unit = [&](std::size_t i) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[2 * i]), second = static_cast<unsigned char>(bytes[2 * i + 1]);
    return little ? first | (std::uint32_t{second} << 8U) : second | (std::uint32_t{first} << 8U);
  };
  std::string out;
  out.reserve(units + units / 8);
  for (std::size_t i = units > 0 && unit(0) == 0xFEFF ? 1 : 0; i < units; ++i) {
    const std::uint32_t one = unit(i);
    if (one < 0xD800 || one > 0xDFFF) {
      append_utf8(out, one);
    } else if (one < 0xDC00 && i + 1 < units && unit(i + 1) >= 0xDC00 && unit(i + 1) <= 0xDFFF) {
      append_utf8(out, 0x10000U + ((one - 0xD800U) << 10U) + (unit(++i) - 0xDC00U));
    } else {
      ++broken;
      append_utf8(out, kReplacement);
    }
  }
  if (bytes.size() % 2 != 0) {
    ++broken;
    append_utf8(out, kReplacement);
  }
  return out;
}

// Labels that other lines may begin with too, so that they are taken off only where nearly all lines have them: "[0] " of Hydra
// and Intel MPI, "[0]: " of aprun, "[default0]:" and "[rank0]:" of torchrun, "[pod/name/container] " of kubectl,
// "[2026-01-31T10:00:00Z] " of Jenkins, "(Worker pid=12, ip=…) " of Ray, "node1: " of pdsh, clush and the DeepSpeed launcher,
// "bench-1  | " of docker compose, "pod-7f5c container " of stern, "Nov 24 16:00:00 " of ts.
enum class Launcher : std::uint8_t { none, mpirun, srun, kubernetes, rank, role, pod, jenkins, ray, host, compose, stern, stamp };

bool is_word(std::string_view text, std::string_view also) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || also.find(c) != std::string_view::npos;
  });
}

// The label of a line that begins with a bracket, and what follows it.
Launcher bracketed(std::string_view line, std::string_view& rest) {
  constexpr std::string_view kDigits = "0123456789";
  const bool round = line.front() == '(';
  const std::size_t end = line.substr(0, 200).find(round ? ')' : ']');
  if (end == std::string_view::npos || end < 2) return Launcher::none;
  const std::string_view label = line.substr(1, end - 1);
  rest = line.substr(end + 1);
  const auto behind = [&](std::string_view mark) {
    if (!rest.starts_with(mark)) return false;
    rest.remove_prefix(mark.size());
    return true;
  };
  if (round)
    return label.find("pid=") != std::string_view::npos && (rest.empty() || behind(" ")) ? Launcher::ray : Launcher::none;
  if (label.starts_with("pod/")) return rest.empty() || behind(" ") ? Launcher::pod : Launcher::none;
  if (label.find_first_not_of(kDigits) == std::string_view::npos) {
    if (label.size() > 6) return Launcher::none;
    if (behind(": ") || behind(":") || behind(" ") || rest.empty()) return Launcher::rank;
    return rest.front() == ',' || rest.front() == '[' ? Launcher::none : Launcher::rank;
  }
  if (label.size() >= 20 && label[10] == 'T' && label.ends_with('Z') &&
      label.find_first_not_of("0123456789-+:.TZ") == std::string_view::npos)
    return rest.empty() || behind(" ") ? Launcher::jenkins : Launcher::none;
  const bool numbered = label.find_last_not_of(kDigits) + 1 < label.size();
  return label.size() < 40 && numbered && is_word(label, "_-") && behind(":") ? Launcher::role : Launcher::none;
}

// Whether the text has the form: '9' is a digit, 'a' a small letter, any other character itself.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const char c = text[i];
    const bool fits = form[i] == '9' ? c >= '0' && c <= '9' : form[i] == 'a' ? c >= 'a' && c <= 'z' : c == form[i];
    if (!fits) return false;
  }
  return true;
}

// "Nov 24 16:00:00 " of ts, "2026-11-24T16:00:00.123 " and the like of ts with a format: how long it is, with its blank; 0 for
// none.
std::size_t stamp_length(std::string_view line) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  constexpr std::string_view kTs = "Nov 24 16:00:00";
  std::size_t length = 0;
  if (has_form(line.substr(std::min<std::size_t>(1, line.size())), "aa 99 99:99:99")) {
    const std::size_t month = kMonths.find(line.substr(0, 3));
    if (month == std::string_view::npos || month % 3 != 0) return 0;
    length = kTs.size();
  } else if (has_form(line, "9999-99-99T99:99:99") || has_form(line, "9999-99-99 99:99:99")) {
    length = std::string_view("2026-11-24T16:00:00").size();
  } else {
    return 0;
  }
  if (length + 1 < line.size() && (line[length] == '.' || line[length] == ',') && line[length + 1] >= '0' &&
      line[length + 1] <= '9')
    length = std::min(line.find_first_not_of("0123456789", length + 1), line.size());
  if (length < line.size() && line[length] != ' ') return 0;
  return std::min(length + 1, line.size());
}

// "bench-1  | " of docker compose: the name of a service and its number, padded.
bool compose_label(std::string_view text, std::string_view& rest) {
  constexpr std::size_t kLongest = 80;
  const std::size_t bar = text.substr(0, kLongest).find(" |");
  if (bar == std::string_view::npos || (bar + 2 < text.size() && text[bar + 2] != ' ')) return false;
  const std::string_view name = core::trim(text.substr(0, bar));
  const std::size_t dash = name.find_last_of("-_");
  if (!is_word(name, "_-.") || dash == std::string_view::npos || dash == 0 || dash + 1 == name.size() ||
      name.find_first_not_of("0123456789", dash + 1) != std::string_view::npos)
    return false;
  rest = text.substr(std::min(bar + 3, text.size()));
  return true;
}

// "bench-7f5c main ": the name of a pod, which has a dash, and of its container.
bool stern_label(std::string_view text, std::string_view& rest) {
  constexpr std::size_t kLongest = 120;
  const std::size_t first = text.substr(0, kLongest).find(' ');
  if (first == std::string_view::npos || first == 0) return false;
  const auto is_name = [](std::string_view name) {
    return !name.empty() && name.front() != '-' && name.back() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    });
  };
  const std::size_t second = std::min(text.find(' ', first + 1), text.size());
  const std::string_view pod = text.substr(0, first), container = text.substr(first + 1, second - first - 1);
  if (!is_name(pod) || !is_name(container) || pod.find('-') == std::string_view::npos || core::parse_double(container) ||
      container.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos)
    return false;
  rest = text.substr(std::min(second + 1, text.size()));
  return true;
}

// What stands before a line and what follows it; the label is what lies between.
Launcher launcher_of(std::string_view line, std::string_view& rest) {
  rest = without_launcher(line);
  if (rest.data() != line.data()) {
    const char first = line[line.find_first_not_of(' ')];
    if (first == '[' || first == '(') return Launcher::mpirun;
    return line.substr(0, line.size() - rest.size()).find('T') == std::string_view::npos ? Launcher::srun : Launcher::kubernetes;
  }
  const std::string_view text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  if (text.empty()) return Launcher::none;
  if (text.front() == '[' || text.front() == '(') return bracketed(text, rest);
  if (const std::size_t length = stamp_length(text); length > 0) {
    rest = text.substr(length);
    return Launcher::stamp;
  }
  if (compose_label(text, rest)) return Launcher::compose;
  if (stern_label(text, rest)) return Launcher::stern;
  const std::size_t colon = text.substr(0, 64).find(':');
  const std::string_view host = text.substr(0, colon == std::string_view::npos ? 0 : colon);
  if (!is_word(host, "_-.") || host.find_first_of("0123456789") == std::string_view::npos || (host[0] >= '0' && host[0] <= '9'))
    return Launcher::none;
  // "gpu0: power = 300" is about a part of one machine.
  constexpr std::string_view kParts[] = {"gpu",  "cpu",  "core",  "rank", "device", "dev",  "thread", "proc",  "numa", "socket",
                                         "test", "case", "bench", "run",  "step",   "iter", "epoch",  "layer", "nvme", "mlx"};
  const std::string name = core::to_lower(host);
  if (std::any_of(std::begin(kParts), std::end(kParts), [&](std::string_view part) { return name.starts_with(part); }))
    return Launcher::none;
  rest = text.substr(colon + 1);
  if (!rest.empty() && rest.front() != ' ') return Launcher::none;
  rest.remove_prefix(rest.empty() ? 0 : 1);
  return Launcher::host;
}

// What launchers put before lines, in the head of a text.
struct Launched {
  Launcher kind = Launcher::none;
  std::set<std::string_view> tasks;  // that print results of one name, where several do
};

// The first word of a line that may be a result: a name with a number behind it, or numbers alone. Not what every rank says of
// its setting up, nor comments and log lines with their time.
std::string_view result_word(std::string_view rest) {
  rest = core::trim(rest);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t:="));
  if (word.empty() || rest.starts_with(':') || std::string_view("#{[(-=<").find(rest.front()) != std::string_view::npos)
    return {};
  if (rest.find(" NCCL ") != std::string_view::npos) return {};
  if (word == "iteration") return {};  // of a training log, whose reader counts what several ranks say once
  // Times of a log, addresses and places in a source are no names of results.
  if (rest.substr(word.size()).starts_with(":") && rest.substr(word.size(), 2).find_first_of(" \t") == std::string_view::npos &&
      rest.size() > word.size() + 1)
    return {};
  const std::string_view numbers = rest.substr(word.size());
  if (numbers.find_first_of("0123456789") == std::string_view::npos) return {};
  const bool named = word.find_first_not_of("0123456789.") != std::string_view::npos;
  if (named ? word.size() == 1
            : numbers.find_first_not_of("0123456789.+-eE \t") != std::string_view::npos &&
                  numbers.find("N/A") == std::string_view::npos && numbers.find('.') == std::string_view::npos)
    return {};
  return word;
}

// Most lines of the head begin so. "0: 12.5" and "1: 13" may be somebody's table: srun's numbers are those of tasks,
// which have more than one line each, or stand before an object, or before a name and its number that are the whole text.
Launched launched(std::string_view head) {
  struct Kind {
    std::map<std::string_view, std::set<std::string_view>> tasks_of;  // by the first word of lines with numbers
    std::set<std::string_view> labels;
    std::size_t marked = 0, bare = 0, empty = 0;  // bare: with nothing but a number behind the label
    bool sure = false;
  };
  std::map<Launcher, Kind> kinds;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const std::string_view line = core::trim(head.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    ++lines;
    std::string_view rest;
    const Launcher launcher = launcher_of(line, rest);
    if (launcher == Launcher::none) continue;
    Kind& kind = kinds[launcher];
    ++kind.marked;
    const std::string_view label = line.substr(0, static_cast<std::size_t>(rest.data() - line.data()));
    if (launcher != Launcher::kubernetes && launcher != Launcher::jenkins && launcher != Launcher::stamp) {
      if (const std::string_view word = result_word(rest); !word.empty()) kind.tasks_of[word].insert(label);
    }
    kind.labels.insert(label);
    kind.bare += core::parse_double(core::trim(rest)) ? 1 : 0;
    kind.empty += core::trim(rest).empty() ? 1 : 0;
    if (launcher == Launcher::srun) kind.sure = kind.sure || rest.starts_with('{') || rest.starts_with(":::");
  }
  Launched out;
  for (auto& [launcher, kind] : kinds) {
    if (kind.marked * 2 <= lines) continue;
    const std::size_t labels = kind.labels.size();
    bool found = true;
    if (launcher == Launcher::srun) {
      found = kind.sure || labels < kind.marked;
      if (lines == 1 && !kind.tasks_of.empty()) {
        const char first = kind.tasks_of.begin()->first.front();
        found = found || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
      }
    } else if (launcher == Launcher::rank) {
      found = labels < kind.marked && kind.empty * 2 < kind.marked;  // "[5]" alone is an array
    } else if (launcher == Launcher::compose || launcher == Launcher::stern || launcher == Launcher::stamp) {
      // A table of stamps and numbers is somebody's measurement, and a line of words may begin as a pod and its container do.
      found = kind.marked * 10 >= lines * 9 && lines > 2 && (launcher == Launcher::stamp || labels * 3 <= kind.marked) &&
              kind.bare * 2 < kind.marked;
    } else if (launcher == Launcher::host) {
      // "gpu0: 12.5" is a name and its value; a host has a good many lines, and not values alone.
      found = kind.marked * 10 >= lines * 9 && labels * 3 <= kind.marked && kind.bare * 2 < kind.marked;
    }
    if (!found) continue;
    out.kind = launcher;
    for (auto& [word, tasks] : kind.tasks_of) {
      if (tasks.size() > std::max<std::size_t>(1, out.tasks.size())) out.tasks = std::move(tasks);
    }
  }
  return out;
}

// mpirun tags every piece that a program flushes, so that a line written in pieces has tags inside:
// "[1,0]<stdout>:  8  2  float  sum  -1[1,0]<stdout>:  85.14  0.00  0.00  0".
void append_without_tags(std::string& plain, std::string_view line) {
  for (std::size_t at = line.find("]<std"); at != std::string_view::npos; at = line.find("]<std")) {
    const std::size_t open = line.substr(0, at).rfind('['), end = line.find(">:", at);
    if (end == std::string_view::npos) break;
    const bool tag = open != std::string_view::npos && at - open < 80 && end - at <= 9 &&
                     line.substr(open + 1, at - open - 1).find_first_of(" \t") == std::string_view::npos;
    plain.append(line.substr(0, tag ? open : end + 2));
    line.remove_prefix(end + 2);
  }
  plain.append(line);
}

// The text without the labels of one kind; what they were behind stays in its line.
std::string without_labels(std::string_view text, Launcher kind) {
  const bool known = kind == Launcher::mpirun || kind == Launcher::srun || kind == Launcher::kubernetes;
  std::string own;
  own.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    std::string_view rest;
    if (known) {
      rest = without_launcher(line);
    } else if (launcher_of(line, rest) != kind) {
      rest = line;
    }
    append_without_tags(own, rest);
    // A part of a line goes on in the next one.
    const bool part = known && line.substr(0, line.size() - rest.size()).ends_with(" P ");
    if (end < text.size() && !part) own.push_back('\n');
    at = end + 1;
  }
  return own;
}

core::Warning several_tasks(const std::set<std::string_view>& labels) {
  std::vector<std::string> tasks;
  tasks.reserve(labels.size());
  for (const std::string_view label : labels) tasks.emplace_back(core::trim(label));
  return {"several_tasks", core::counted(tasks.size(), "task") + " of a launcher print the same results (" + core::listed(tasks) +
                               "): what they say of one point are its trials, or sections; give one task's lines to compare that "
                               "one"};
}

}  // namespace

std::string_view without_launcher(std::string_view line) {
  std::string_view rest = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  if (rest.starts_with('(')) {  // SkyPilot: "(worker1, rank=1, pid=2769, ip=10.0.0.2) ", with or without mpirun's own behind it
    const std::size_t end = rest.substr(0, 160).find(") ");
    const std::string_view label = rest.substr(0, end == std::string_view::npos ? 0 : end);
    if (label.find("rank=") == std::string_view::npos || label.find("pid=") == std::string_view::npos) return line;
    rest.remove_prefix(end + 2);
    return rest.starts_with('[') ? without_launcher(rest) : rest;
  }
  if (rest.starts_with('[')) {
    const std::size_t end = rest.substr(0, 96).find(">:");
    if (end != std::string_view::npos && rest.substr(0, end).find("]<std") != std::string_view::npos) return rest.substr(end + 2);
    return line;
  }
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits > 0 && digits < 7 && rest.substr(digits).starts_with(": ")) return rest.substr(digits + 2);
  if (digits == 4 && rest.size() > 20 && rest[4] == '-' && rest[7] == '-' && rest[10] == 'T') {
    // "…T10:00:00.123456789Z " or "+01:00 "; container runtimes add "stdout F " for a full line and P for a part of one.
    const std::size_t blank = rest.substr(0, 40).find(' ');
    if (blank == std::string_view::npos) return line;
    const std::string_view stamp = rest.substr(0, blank);
    const bool zone =
        stamp.ends_with('Z') || (stamp.size() > 25 && (stamp[stamp.size() - 6] == '+' || stamp[stamp.size() - 6] == '-'));
    if (!zone || stamp.find_first_not_of("0123456789-+:.TZ") != std::string_view::npos) return line;
    rest.remove_prefix(blank + 1);
    for (const std::string_view stream : {"stdout F ", "stderr F ", "stdout P ", "stderr P "}) {
      if (rest.starts_with(stream)) return rest.substr(stream.size());
    }
    return rest == "stdout F" || rest == "stderr F" ? rest.substr(rest.size()) : rest;
  }
  return line;
}

void append_without_colours(std::string& plain, std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1B' && i + 1 < line.size() && line[i + 1] == '[') {
      i = std::min(line.find_first_not_of("0123456789;", i + 2), line.size());
    } else {
      plain.push_back(line[i]);
    }
  }
}

std::string_view utf16_kind(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE"sv)) return bytes.substr(2, 2) == "\0\0"sv ? std::string_view() : "UTF-16LE"sv;
  if (bytes.starts_with("\xFE\xFF"sv)) return "UTF-16BE"sv;
  if (bytes.size() < 4) return {};
  if (bytes[0] != 0 && bytes[1] == 0 && bytes[2] != 0 && bytes[3] == 0) return "UTF-16LE"sv;
  if (bytes[0] == 0 && bytes[1] != 0 && bytes[2] == 0 && bytes[3] != 0) return "UTF-16BE"sv;
  return {};
}

std::optional<PlainText> plain_text(std::string_view bytes) {
  PlainText plain;
  if (const std::string_view kind = utf16_kind(bytes); !kind.empty()) {
    std::uint64_t broken = 0;
    plain.own = from_utf16(bytes, kind == "UTF-16LE", broken);
    plain.rewritten = true;
    plain.evidence.push_back("text in " + std::string(kind));
    plain.warnings.push_back({"utf16_text", "the text is " + std::string(kind) + " and was read as the same text in UTF-8" +
                                                (broken == 0 ? std::string()
                                                             : "; " + core::counted(broken, "unit is", "units are") +
                                                                   " no character and became U+FFFD")});
  } else if (bytes.starts_with("\xEF\xBB\xBF")) {
    plain.skip = 3;
    plain.warnings.push_back({"byte_order_mark", "the text starts with a byte order mark, which was read over"});
  }
  const auto replace = [&](std::string own, const char* evidence) {
    plain.own = std::move(own);
    plain.rewritten = true;
    plain.evidence.emplace_back(evidence);
  };
  if (const std::string_view text = plain.of(bytes); text.find('\n') == std::string_view::npos && text.find('\r') < text.size()) {
    std::string own(text);
    std::replace(own.begin(), own.end(), '\r', '\n');
    replace(std::move(own), "lines that end in carriage returns alone");
  }
  if (const std::string_view text = plain.of(bytes); text.substr(0, kHead).find("\x1B[") != std::string_view::npos) {
    std::string own;
    own.reserve(text.size());
    append_without_colours(own, text);
    replace(std::move(own), "terminal colours taken off");
  }
  // Kubernetes may stamp the lines that srun labelled, and Jenkins those that mpirun did.
  constexpr int kDeepest = 3;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const std::string_view text = plain.of(bytes);
    const Launched launcher = launched(text.substr(0, kHead));
    if (launcher.kind == Launcher::none) break;
    if (launcher.tasks.size() > 1) plain.warnings.push_back(several_tasks(launcher.tasks));
    std::string own = without_labels(text, launcher.kind);
    if (own == text) break;
    const bool first = depth == 0;
    plain.own = std::move(own);
    plain.rewritten = true;
    if (first) plain.evidence.emplace_back("a launcher's prefix of every line taken off");
  }
  if (!plain.rewritten && plain.skip == 0) return std::nullopt;
  return plain;
}

namespace {

// From an opening bracket to behind its closing one; npos when it never closes or closes wrongly.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  constexpr std::size_t kDeepest = 512;
  std::string open;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
        if (text[at] == '\\') ++at;
      }
      if (at >= text.size() || text[at] == '\n') return std::string_view::npos;
    } else if (c == '{' || c == '[') {
      if (open.size() == kDeepest) return std::string_view::npos;
      open.push_back(c == '{' ? '}' : ']');
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != c) return std::string_view::npos;
      open.pop_back();
      if (open.empty()) return at + 1;
    }
  }
  return std::string_view::npos;
}

// "[0] GPU" and "{ready}" are not JSON; an object begins with a key, an array of interest with a container.
bool may_be_json(std::string_view text) {
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  if (next == std::string_view::npos) return false;
  return text.front() == '{' ? text[next] == '"' : text[next] == '{' || text[next] == '[';
}

}  // namespace

std::optional<EmbeddedJson> embedded_json(std::string_view text) {
  constexpr int kMostFailures = 64;  // each may have looked at everything that follows
  EmbeddedJson found;
  std::size_t line = 0, written = 1;  // the line that `text` is at
  int failures = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++line;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t start = text.find_first_not_of(" \t", at);
    if (start < end && (text[start] == '{' || text[start] == '[') && failures < kMostFailures &&
        may_be_json(text.substr(start))) {
      const std::size_t close = end_of_value(text, start);
      if (close == std::string_view::npos) {
        ++failures;
      } else if (const std::size_t close_line = std::min(text.find('\n', close), text.size());
                 core::trim(text.substr(close, close_line - close)).empty()) {
        if (found.values++ == 0) {
          found.first_line = line;
          found.text.reserve(text.size());
        }
        // Lines until here are line feeds only, which keeps places right without keeping the log.
        found.text.append(line - written, '\n');
        const std::string_view value = text.substr(at, close - at);
        found.text.append(value);
        line += static_cast<std::size_t>(std::count(value.begin(), value.end(), '\n'));
        found.last_line = written = line;
        at = close_line + 1;
        continue;
      }
    }
    if (!core::trim(text.substr(at, end - at)).empty()) ++found.other_lines;
    at = end + 1;
  }
  if (found.values == 0 || found.other_lines == 0) return std::nullopt;
  return found;
}

}  // namespace plumbline::formats
