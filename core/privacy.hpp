// Names that must not carry their values into any output: environments of processes, and fields that sound like secrets.
// Token counts and rates are measurements, not secrets.
#pragma once

#include <string_view>

namespace plumbline::core {

// "env", "environ", "environment", "environment_variables", in any case.
[[nodiscard]] bool names_environment(std::string_view name);
// A word of the name is secret, password, passwd, token, credential, apikey, authorization, or it is "api key", "access key",
// "private key"; "tokens", "token_count", "tok_per_s" and the like are not.
[[nodiscard]] bool sounds_secret(std::string_view name);

}  // namespace plumbline::core
