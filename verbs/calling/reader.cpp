#include "verbs/calling/reader.hpp"

#include "verbs/calling/parameters.hpp"

namespace plumbline::verbs {
namespace {

// `--report md=FILE` writes, `--report md` prints.
bool names_a_file(const std::vector<std::string>& reports) {
  for (const std::string& report : reports) {
    const std::size_t equals = report.find('=');
    if (equals != std::string::npos && report.substr(equals + 1) != "-") return true;
  }
  return false;
}

bool asks_to_write(std::string_view name, const Arguments& arguments) {
  if (!arguments.has(name)) return false;
  return name != "report" || names_a_file(arguments.list(name));
}

}  // namespace

Status nothing_to_write(const Arguments& arguments, const Context& context) {
  if (!context.read_only) return {};
  for (const std::string_view name : {"out", "sign", "json_out", "scratch", "report"}) {
    if (!asks_to_write(name, arguments)) continue;
    const std::string flag = flag_of(name);
    return core::fail(ErrorCode::usage, flag + " asks for something to be written, and " + std::string(kReader),
                      "leave " + flag + " out: the answer comes without a bundle", std::string(name));
  }
  return {};
}

core::Warning nothing_written() { return {"read_only", "no bundle was written: " + std::string(kReader)}; }

}  // namespace plumbline::verbs
