#include "verbs/resolving/signing.hpp"

#include <algorithm>
#include <array>

#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

namespace attest = registry::attest;

namespace {

constexpr std::string_view kFromEnvironment = "env:";
constexpr std::string_view kDefault = "PLUMBLINE_SIGN";
constexpr std::size_t kParametersAtMost = std::size_t{64} << 10U;

// What is no part of the question: how to sign, how to ask and how to answer. Texts of whole files are sources, with digests.
constexpr auto kNotAsked =
    std::to_array<std::string_view>({"sign", "confirm", "response_format", "report", "chart", "content", "content_name"});

std::string variable(const Context& context, const std::string& name) {
  return context.environment ? context.environment(name).value_or(std::string()) : std::string();
}

Expected<attest::PrivateKey> key_in_variable(const std::string& name, const Context& context) {
  const std::string pem = variable(context, name);
  if (pem.empty())
    return core::fail(ErrorCode::usage, "--sign: the variable " + core::cited(name) + " is not set",
                      "it holds a private key in PEM, or name its file: `--sign KEY`");
  return attest::PrivateKey::parse(pem, std::string(kFromEnvironment) + name);
}

// --sign of the caller, or of whoever set the process up: only that one may name any variable and any file.
Expected<attest::PrivateKey> read_key(const std::string& given, bool of_caller, const Context& context) {
  if (given.find("PRIVATE KEY") != std::string::npos || given.find('\n') != std::string::npos) {
    return core::fail(ErrorCode::usage, "--sign takes the place of a key, not the key itself, which others can now read",
                      "make a new pair with `plumbline keygen --out PREFIX`, and name its file: `--sign PREFIX.key`");
  }
  registry::PathLimits limits = path_limits(context);
  if (given.starts_with(kFromEnvironment)) {
    if (of_caller && !limits.allowed_roots.empty()) {
      return core::fail(ErrorCode::path_not_allowed, "--sign: variables of the server's process are not the caller's to name",
                        "name a key's file, or have the server started with " + std::string(kDefault));
    }
    return key_in_variable(given.substr(kFromEnvironment.size()), context);
  }
  if (!of_caller) limits.allowed_roots.clear();
  const std::string path = of_caller ? absolute(context, given) : registry::absolute_path(given, context.cwd);
  limits.bytes = std::uint64_t{1} << 20U;
  const auto bytes = registry::read_file(path, limits);
  if (!bytes) return core::fail(bytes.error());
  return attest::PrivateKey::parse(bytes->view(), path);
}

struct AsJson {
  core::JsonWriter& json;
  void operator()(const std::vector<std::string>& texts) const {
    json.begin_array();
    for (const std::string& text : texts) json.value(text);
    json.end_array();
  }
  template <class T>
  void operator()(const T& value) const {
    json.value(value);
  }
};

template <class Write>
std::string one_value(Write&& write) {
  std::string text;
  core::JsonWriter json(text, -1);
  write(json);
  return text;
}

// As they were given, secrets never; beyond a bound their digest stands for them.
attest::Fields parameters_of(const Arguments& arguments) {
  attest::Fields out;
  std::size_t bytes = 0;
  for (const auto& [name, value] : arguments.all()) {
    if (std::find(kNotAsked.begin(), kNotAsked.end(), name) != kNotAsked.end()) continue;
    out.emplace_back(name, one_value([&value = value](core::JsonWriter& json) { std::visit(AsJson{json}, value); }));
    bytes += out.back().second.size();
  }
  if (bytes <= kParametersAtMost) return out;
  std::string all;
  for (const auto& [name, value] : out) all += name + "=" + value + "\n";
  return {{"omitted", json_value(static_cast<std::uint64_t>(out.size()))}, {"sha256", "\"" + registry::sha256_hex(all) + "\""}};
}

}  // namespace

Expected<std::shared_ptr<const Signer>> signer_for(std::string_view verb, const Arguments& arguments, const Context& context) {
  const bool of_caller = arguments.has("sign");
  const std::string given = of_caller ? arguments.text("sign") : variable(context, std::string(kDefault));
  if (given.empty() && of_caller) return core::fail(ErrorCode::usage, "--sign needs a key", "`--sign PREFIX.key`");
  if (given.empty()) return std::shared_ptr<const Signer>();
  auto key = read_key(given, of_caller, context);
  if (!key) {
    core::Error error = key.error();
    if (!of_caller) error.message = std::string(kDefault) + ": " + error.message;
    return core::fail(std::move(error));
  }
  auto signer = std::make_shared<Signer>();
  signer->key = std::make_shared<const attest::PrivateKey>(std::move(*key));
  attest::Claim& claim = signer->claim;
  claim.verb = verb;
  claim.parameters = parameters_of(arguments);
  claim.version = version();
  claim.operator_user = user_name(context);
  claim.hostname = host_name();
  claim.uname = uname_text();
  claim.asked_at_utc = registry::utc_text(context.now());
  return std::shared_ptr<const Signer>(std::move(signer));
}

Param sign_param() {
  return {.name = "sign",
          .value_name = "KEY",
          .help = "sign what is published with this private key: a PEM file, or env:NAME; default PLUMBLINE_SIGN",
          .page =
              "sign what is published ([provenance](../provenance.md#signatures)): a PEM file, or `env:NAME` for a variable "
              "that holds the key; default `PLUMBLINE_SIGN`"};
}

void sign(registry::Staging& staging, const std::shared_ptr<const Signer>& signer, std::vector<attest::Dependency> dependencies,
          attest::Fields result) {
  if (signer == nullptr) return;
  attest::Signing signing{signer->key, signer->claim};
  signing.claim.dependencies = std::move(dependencies);
  signing.claim.result = std::move(result);
  staging.attest(std::move(signing));
}

std::string json_value(std::string_view text) {
  return one_value([&](core::JsonWriter& json) { json.value(text); });
}
std::string json_value(double number) {
  return one_value([&](core::JsonWriter& json) { json.value(number); });
}
std::string json_value(std::uint64_t number) {
  return one_value([&](core::JsonWriter& json) { json.value(number); });
}
std::string json_value(const std::vector<std::string>& texts) {
  return one_value([&](core::JsonWriter& json) { AsJson{json}(texts); });
}

}  // namespace plumbline::verbs
