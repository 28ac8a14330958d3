#include "core/privacy.hpp"

#include <gtest/gtest.h>

namespace plumbline::core {
namespace {

TEST(Privacy, KnowsEnvironments) {
  for (const char* name : {"env", "Environ", "ENVIRONMENT", "environment_variables"})
    EXPECT_TRUE(names_environment(name)) << name;
  for (const char* name : {"environment_id", "environmental", "envelope"}) EXPECT_FALSE(names_environment(name)) << name;
}

TEST(Privacy, KnowsSecretsFromMeasurements) {
  for (const char* name : {"WANDB_API_KEY", "api_token", "hf_token", "token", "wandbApiKey", "aws-secret-access-key",
                           "db.password", "Authorization", "private_key", "apikey", "session cookie"}) {
    EXPECT_TRUE(sounds_secret(name)) << name;
  }
  for (const char* name : {"tokens", "token_count", "time_per_output_token", "time_to_first_token", "joules_per_token",
                           "inter_token", "tok_per_s", "key", "cache_key_hits", "tokens_per_second", "tokenizer", "secretary"}) {
    EXPECT_FALSE(sounds_secret(name)) << name;
  }
}

}  // namespace
}  // namespace plumbline::core
