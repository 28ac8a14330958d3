#include "registry/attest/check.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/io.hpp"

namespace plumbline::registry::attest {

namespace {

constexpr std::string_view kEnvelope = "statement.dsse.json";
constexpr std::array<std::string_view, 4> kFiles = {"pae.bin", "statement.dsse.json", "statement.json", "statement.sig"};
constexpr std::size_t kNamesAtMost = 1000;

std::string in_attest(std::string_view name) { return "attest/" + std::string(name); }

std::string shown(const Place& place) {
  return std::string(to_string(place.kind)) + " " + place.family + "/" + place.measurement + "@" + place.slug;
}

std::string shown_keys(const std::vector<PublicKey>& keys) {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const PublicKey& key : keys) names.push_back(key_name(key));
  return core::listed(names);
}

bool signature_holds(const Envelope& envelope, const Trust& trust, Verdict& out) {
  if (trust.keys.empty()) {
    out.warnings.push_back({"signature_unchecked",
                            "signed, and no trusted key is known, so anybody may have signed it: `--trust PUB`, or "
                            "`trusted_keys` in plumbline.yaml"});
    return false;
  }
  const auto fault = fault_of_signature(envelope, trust.keys);
  if (!fault) return true;
  out.problems.push_back({fault->code, in_attest(kEnvelope), fault->message});
  return false;
}

class Checker {
 public:
  Checker(int publication, const std::string& path, const TreeCheck& tree, const Trust& trust)
      : publication_(publication), path_(path), tree_(tree), trust_(trust) {}

  Verdict check() {
    if (!tree_.has_attest) {
      require_signature();
      return std::move(out_);
    }
    list_files();
    auto found = read_attestation(publication_, path_);
    if (!found) {
      problem("malformed_envelope", in_attest(kEnvelope), found.error().message);
      return std::move(out_);
    }
    if (!*found) {
      problem("malformed_envelope", in_attest(kEnvelope), "attest/ is there, and no envelope in it: the signature was removed");
      require_signature();
      return std::move(out_);
    }
    const Attestation& attestation = **found;
    out_.is_signed = true;
    out_.attested = told(attestation);
    check_subjects(attestation.statement);
    check_place(attestation.statement.place);
    check_copies(attestation.envelope);
    const bool signature_holds = check_signature(attestation.envelope);
    out_.trusted = signature_holds && out_.problems.empty();
    return std::move(out_);
  }

 private:
  void problem(core::ProblemCode code, std::string path, std::string message) {
    out_.problems.push_back({code, std::move(path), std::move(message)});
  }

  void require_signature() {
    if (!trust_.keys.empty())
      problem("unsigned", "attest",
              "nothing is signed, and a signature by a trusted key is asked for (" + shown_keys(trust_.keys) + ")");
  }

  void list_files() {
    const io::Descriptor folder(::openat(publication_, "attest", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const auto names = folder.valid()
                           ? io::list_folder(folder.get(), path_, kNamesAtMost)
                           : core::Expected<std::vector<io::Name>>(core::fail(io::read_error(io::join(path_, "attest"), errno)));
    if (!names) return problem("attest_extra", "attest", names.error().message);
    for (const io::Name& name : *names) {
      if (std::find(kFiles.begin(), kFiles.end(), name.name) == kFiles.end()) {
        problem("attest_extra", in_attest(name.name), core::cited_path(in_attest(name.name)) + " does not belong in attest/");
      } else if (!S_ISREG(name.type)) {
        problem("not_a_regular_file", in_attest(name.name),
                in_attest(name.name) + " is " + std::string(io::kind_name(name.type)) + ", not a regular file");
      }
    }
  }

  // SHA256SUMS first, and each document as SHA256SUMS has it.
  void check_subjects(const Statement& statement) {
    for (const Subject& subject : statement.subjects) {
      if (subject.name == kManifestName) {
        if (subject.sha256 == tree_.sha256) continue;
        problem("wrong_subject", subject.name,
                "the signed statement is about the SHA256SUMS " + subject.sha256 + ", the one here is " +
                    (tree_.sha256.empty() ? "missing" : tree_.sha256) +
                    ": files were changed and SHA256SUMS was written anew, or the envelope is another publication's");
        return;  // the documents then differ as well
      }
      const auto line =
          std::find_if(tree_.lines.begin(), tree_.lines.end(), [&](const auto& one) { return one.name == subject.name; });
      if (line == tree_.lines.end() || line->sha256 != subject.sha256)
        problem("wrong_subject", subject.name, "the signed statement is about another " + core::cited_path(subject.name));
    }
  }

  void check_place(const Place& place) {
    const Lying here = lying_at(path_);
    const bool elsewhere = (here.kind && *here.kind != place.kind) || (!here.family.empty() && here.family != place.family) ||
                           (!here.measurement.empty() && here.measurement != place.measurement) ||
                           (!here.slug.empty() && here.slug != place.slug);
    if (!elsewhere) return;
    const std::string where =
        here.kind ? std::string(to_string(*here.kind)) + " " + here.family + "/" + here.measurement + "@" + here.slug : here.slug;
    problem("wrong_place", ".",
            "signed as " + shown(place) + ", and lies here as " + where +
                ": it was renamed or moved, or an older one was put in the place of another");
  }

  // What stands beside the envelope for other tools.
  void check_copies(const Envelope& envelope) {
    check_copy("statement.json", {envelope.payload});
    check_copy("pae.bin", {pae(envelope.payload_type, envelope.payload)});
    std::vector<std::string> signatures;
    for (const Signature& signature : envelope.signatures) signatures.push_back(signature.bytes);
    check_copy("statement.sig", signatures);
  }

  void check_copy(std::string_view name, const std::vector<std::string>& allowed) {
    const std::string relative = in_attest(name);
    struct stat info {};
    if (::fstatat(publication_, relative.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      return problem("missing_file", relative, relative + " belongs beside the envelope and is not there");
    if (!S_ISREG(info.st_mode)) return;  // said already
    const auto text = io::read_text_at(publication_, relative, io::join(path_, relative), kEnvelopeAtMost);
    if (!text) return problem("unreadable", relative, text.error().message);
    if (std::find(allowed.begin(), allowed.end(), *text) == allowed.end())
      problem("statement_mismatch", relative, relative + " is not what the envelope holds");
  }

  bool check_signature(const Envelope& envelope) { return signature_holds(envelope, trust_, out_); }

  int publication_;
  const std::string& path_;
  const TreeCheck& tree_;
  const Trust& trust_;
  Verdict out_;
};

}  // namespace

// Every signature with every trusted key: the key that the envelope names is only a hint.
std::optional<SignatureFault> fault_of_signature(const Envelope& envelope, const std::vector<PublicKey>& keys) {
  const std::string message = pae(envelope.payload_type, envelope.payload);
  bool named = false;
  for (const Signature& signature : envelope.signatures) {
    for (const PublicKey& key : keys) {
      if (verify(key, message, signature.bytes)) return std::nullopt;
      named = named || signature.keyid == key_id(key);
    }
  }
  if (named) {
    return SignatureFault{
        "bad_signature",
        "the envelope names a trusted key, and its signature is not that key's: the signature or the statement was changed"};
  }
  return SignatureFault{"untrusted_key", "signed by a key that calls itself " +
                                             core::cited(envelope.signatures.front().keyid.substr(0, 16)) +
                                             ", and by none of the trusted ones (" + shown_keys(keys) + ")"};
}

core::Attested told(const Attestation& found) {
  const Statement& statement = found.statement;
  core::Attested out;
  out.envelope_sha256 = found.envelope_sha256;
  out.keyid = found.envelope.signatures.front().keyid;
  out.kind = to_string(statement.place.kind);
  out.family = statement.place.family;
  out.measurement = statement.place.measurement;
  out.slug = statement.place.slug;
  out.sequence = statement.link.sequence;
  out.previous = statement.link.previous;
  out.operator_user = statement.operator_user;
  out.hostname = statement.hostname;
  out.published_at_utc = statement.published_at_utc;
  return out;
}

Verdict check_envelope(const Attestation& found, const Trust& trust) {
  Verdict out;
  out.is_signed = true;
  out.attested = told(found);
  out.trusted = signature_holds(found.envelope, trust, out);
  return out;
}

Verdict check_attestation(int publication, const std::string& path, const TreeCheck& tree, const Trust& trust) {
  return Checker(publication, path, tree, trust).check();
}

}  // namespace plumbline::registry::attest
