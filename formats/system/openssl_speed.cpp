// openssl speed: a table of ciphers and digests by block size, then lines of signatures and key exchanges. The letter k is 1000
// bytes a second. Seconds an operation are rounded and say the same as operations a second.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kFields[] = {
    dimension("cipher"),
    dimension("size"),
    dimension("bits"),
    dimension("curve"),
    dimension("algorithm"),
    context("version", "stack.openssl"),
    with_prefixes(Prefixes::decimal, higher("throughput", "kB/s")),
    shown("sign", "s"),
    shown("verify", "s"),
    shown("encrypt", "s"),
    shown("decrypt", "s"),
    shown("op", "s"),
    shown("keygen", "s"),
    shown("encaps", "s"),
    shown("decaps", "s"),
    higher("sign_per_second", "op/s"),
    higher("verify_per_second", "op/s"),
    higher("encrypt_per_second", "op/s"),
    higher("decrypt_per_second", "op/s"),
    higher("op_per_second", "op/s"),
};
constexpr Line kLines[] = {
    {.text = "version: {version}"},
    {.text = "OpenSSL {version} {}"},
    {.text = "{algorithm} {bits} bits {sign}s {verify}s {encrypt}s {decrypt}s {sign_per_second} {verify_per_second} "
             "{encrypt_per_second} {decrypt_per_second}",
     .point = "{algorithm}"},
    {.text = "{algorithm} {bits} bits {sign}s {verify}s {sign_per_second} {verify_per_second}", .point = "{algorithm}"},
    {.text = "{bits} bits {algorithm} ({curve}) {sign}s {verify}s {sign_per_second} {verify_per_second}", .point = "{algorithm}"},
    {.text = "{bits} bits {algorithm} ({curve}) {op}s {op_per_second}", .point = "{algorithm}"},
    {.text = "{bits} bits {algorithm} {op}s {op_per_second}", .point = "{algorithm}"},
};
constexpr Matrix kMatrices[] = {{.heading = "type 16 bytes {}",
                                 .row = "cipher",
                                 .column = "size",
                                 .field = "throughput",
                                 .point = "{cipher}",
                                 .names_at = 0}};
constexpr std::string_view kOurs[] = {"type 16 bytes {}"};
constexpr std::string_view kOurs2[] = {"sign verify {}sign/s verify/s{}"};
constexpr std::string_view kOurs3[] = {"op op/s"};
constexpr Recognised kRecognised[] = {{kOurs}, {kOurs2}, {kOurs3}};
constexpr Statement kStatement = {.tool = "openssl speed",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .matrices = kMatrices,
                                  .nothing = "no result of openssl speed: no row below \"type  16 bytes\"",
                                  .hint = "it prints its tables when all is timed"};

}  // namespace

extern const Format openssl_speed_format = {
    .name = "openssl-speed",
    .title = "openssl speed, cryptography on the CPU",
    .replication = core::Replication::run,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "openssl speed sha256 aes-256-cbc rsa2048 | tee result.txt",
              .judged =
                  "throughput in kB/s (1000 bytes) by block size, operations per second of signatures and key exchanges (higher)",
              .key = "algorithm, `size`, `bits`, `curve`: `aes-256-cbc[size=1024 bytes].throughput`",
              .trials = "one value a key",
              .context = "version",
              .limits = "negative figures of overflows are failed values; without -elapsed it is time of the CPU",
              .recognised = "`type  16 bytes …`, `sign  verify  sign/s verify/s` or `op  op/s`"},
    .statement = &kStatement,
};

}  // namespace plumbline::formats
