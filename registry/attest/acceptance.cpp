#include "registry/attest/acceptance.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/citing.hpp"
#include "registry/attest/check.hpp"
#include "registry/attest/dsse.hpp"
#include "registry/io.hpp"

namespace plumbline::registry::attest {

namespace {

constexpr std::size_t kRecordAtMost = std::size_t{1} << 20U, kNamesAtMost = 100'000;
constexpr std::string_view kRecordEnd = ".json";

std::string subject_name(std::string_view record_file) { return "accepted/" + std::string(record_file); }

// One record: what is wrong with its signature, if anything.
class Record {
 public:
  Record(int accepted, const std::string& path, const std::string& file, const Line& line, const Trust& trust)
      : accepted_(accepted), path_(path), file_(file), line_(line), trust_(trust) {}

  std::vector<core::VerifyProblem> check() {
    const auto record = io::read_text_at(accepted_, file_, io::join(path_, file_), kRecordAtMost);
    if (!record) return {{"unreadable", shown(), record.error().message}};
    const std::string name = io::join(kAcceptedFolder, envelope_of_record(file_));
    struct stat info {};
    if (::fstatat(accepted_, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      return {{"unsigned", shown(), "this acceptance is not signed, and a signature by a trusted key is asked for"}};
    const auto text = io::read_text_at(accepted_, name, io::join(path_, name), kEnvelopeAtMost);
    const auto envelope = text ? parse_envelope(*text) : core::Expected<Envelope>(core::fail(text.error()));
    if (!envelope) return {{"malformed_envelope", shown(), envelope.error().message}};
    const auto statement = parse_statement(envelope->payload);
    if (!statement) return {{"malformed_envelope", shown(), statement.error().message}};
    check_statement(*statement, *record);
    if (const auto fault = fault_of_signature(*envelope, trust_.keys)) out_.push_back({fault->code, shown(), fault->message});
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string shown() const {
    return (line_.shown.empty() ? std::string() : line_.shown + "/") + subject_name(file_);
  }

  void check_statement(const Statement& statement, const std::string& record) {
    const Subject wanted{subject_name(file_), sha256_hex(record)};
    const bool about_it = std::any_of(statement.subjects.begin(), statement.subjects.end(), [&](const Subject& subject) {
      return subject.name == wanted.name && subject.sha256 == wanted.sha256;
    });
    if (!about_it) out_.push_back({"wrong_subject", shown(), "the signed statement is about another record: it was changed"});
    const bool elsewhere =
        !line_.family.empty() && (statement.place.family != line_.family || statement.place.measurement != line_.measurement);
    if (elsewhere) {
      out_.push_back(
          {"wrong_place", shown(), "signed for " + core::cited(statement.place.family + "/" + statement.place.measurement)});
    }
  }

  int accepted_;
  const std::string& path_;
  const std::string& file_;
  const Line& line_;
  const Trust& trust_;
  std::vector<core::VerifyProblem> out_;
};

}  // namespace

std::string envelope_of_record(std::string_view record_file) {
  if (record_file.ends_with(kRecordEnd)) record_file.remove_suffix(kRecordEnd.size());
  return std::string(record_file) + ".dsse.json";
}

core::Expected<std::string> sign_acceptance(const Signing& signing, const core::Acceptance& acceptance,
                                            std::string_view record_file, std::string_view record) {
  const std::vector<Subject> subjects = {{std::string(kManifestName), acceptance.entry_sha256},
                                         {subject_name(record_file), sha256_hex(record)}};
  const Place place{Kind::entry, acceptance.family, acceptance.measurement, acceptance.slug};
  const auto envelope = sign_payload(
      *signing.key, statement_text(signing.claim, subjects, place, {acceptance.seq, {}}, acceptance.accepted_at_utc));
  if (!envelope) return core::fail(envelope.error());
  return envelope_text(*envelope);
}

core::Expected<std::vector<core::VerifyProblem>> check_acceptances(int accepted, const std::string& path, const Line& line,
                                                                   const Trust& trust) {
  std::vector<core::VerifyProblem> out;
  if (trust.keys.empty()) return out;
  const auto names = io::list_folder(accepted, path, kNamesAtMost);
  if (!names) return core::fail(names.error());
  for (const io::Name& name : *names) {
    if (name.name.front() == '.' || !name.name.ends_with(kRecordEnd) || !S_ISREG(name.type)) continue;
    std::vector<core::VerifyProblem> found = Record(accepted, path, name.name, line, trust).check();
    std::move(found.begin(), found.end(), std::back_inserter(out));
  }
  return out;
}

}  // namespace plumbline::registry::attest
