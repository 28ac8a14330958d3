#include "core/privacy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <random>
#include <string>

namespace plumbline::core {
namespace {

TEST(Privacy, KnowsEnvironments) {
  for (const char* name : {"env", "Environ", "ENVIRONMENT", "environment_variables", "env_vars", "EnvironmentVariables",
                           "processEnv", "environment-vars"}) {
    EXPECT_TRUE(names_environment(name)) << name;
  }
  for (const char* name : {"environment_id", "environmental", "envelope"}) EXPECT_FALSE(names_environment(name)) << name;
}

TEST(Privacy, KnowsSecretsFromMeasurements) {
  for (const char* name :
       {"WANDB_API_KEY", "api_token",     "hf_token",    "token",     "wandbApiKey",    "aws-secret-access-key",
        "db.password",   "Authorization", "private_key", "apikey",    "session cookie", "auth",
        "auth_header",   "api_keys",      "secrets",     "dsn",       "SLACK_WEBHOOK",  "connection_string",
        "ssh_key",       "passphrase",    "credentials", "MYSQL_PWD", "http_s3_key"}) {
    EXPECT_TRUE(sounds_secret(name)) << name;
  }
  for (const char* name : {"tokens",
                           "token_count",
                           "time_per_output_token",
                           "time_to_first_token",
                           "joules_per_token",
                           "inter_token",
                           "tok_per_s",
                           "key",
                           "cache_key_hits",
                           "tokens_per_second",
                           "tokenizer",
                           "secretary",
                           "total_tokens",
                           "num_tokens",
                           "max_tokens",
                           "token_throughput",
                           "key_value",
                           "password_length",
                           "auth_latency_ms",
                           "use_auth",
                           "eos_token",
                           "PWD",
                           "author"}) {
    EXPECT_FALSE(sounds_secret(name)) << name;
  }
}

TEST(Privacy, AsksTheTextWhereTheNameIsNoProof) {
  constexpr const char* kDrawn = "LEAK-9f8e7d6c5b4a3210";
  for (const char* name : {"MY_KEY", "GITHUB_PAT", "pat", "tokens"}) {
    EXPECT_TRUE(is_secret(name, kDrawn)) << name;
    EXPECT_FALSE(is_secret(name, "hello world")) << name;
  }
  for (const char* name : {"sort_key", "commit", "key"}) EXPECT_FALSE(is_secret(name, kDrawn)) << name;
  for (const char* text : {"Qwen2.5-Coder-32B-Instruct", "meta-llama-3.1-70b-instruct", "time_to_first_token_ms_p99",
                           "NVIDIA-H100-80GB-HBM3", "throughput_tokens_per_second"}) {
    EXPECT_FALSE(looks_random(text)) << text;
  }
}

struct Case {
  const char* text;
  const char* shown;
};

// Wherever it stands, the secret goes and what is around it stays.
TEST(Privacy, TextsLoseTheirSecrets) {
  for (const auto& [text, shown] : std::initializer_list<Case>{
           // addresses
           {"curl http://user:hunter2@host/path", "curl http://[redacted]@host/path"},
           {"postgres://u:a/b@h/db", "postgres://[redacted]@h/db"},
           {"https://x:ghp_9f8e7d6c5b4a9f8e7d6c@github.com/a/b", "https://[redacted]@github.com/a/b"},
           {"https://9f8e7d6c5b4a9f8e7d6c@host", "https://[redacted]@host"},
           {"proxy=http://u:hunter2@h:80", "proxy=http://[redacted]@h:80"},
           {"https://x/y?access_token=hunter2&a=1", "https://x/y?access_token=[redacted]&a=1"},
           {"'https://b/o?X-Amz-Signature=ab12&X-Amz-Credential=cd34&x=1'",
            "'https://b/o?X-Amz-Signature=[redacted]&X-Amz-Credential=[redacted]&x=1'"},
           {"https://h/o?sv=1&sig=ab%2B12&x=1", "https://h/o?sv=1&sig=[redacted]&x=1"},
           {"https://hooks.slack.com/services/T0/B0/x1", "https://hooks.slack.com/[redacted]"},
           {"iperf -c u:hunter2@node.example.org", "iperf -c u:[redacted]@node.example.org"},
           {"https://u:hunter-cut-o", "https://u:[redacted]"},
           // headers
           {"curl -H 'Authorization: Bearer hunter2' http://x/", "curl -H 'Authorization: Bearer [redacted]' http://x/"},
           {"curl -H \"X-Api-Key: hunter 2\" x", "curl -H \"X-Api-Key: [redacted]\" x"},
           {"authorization: Bearer hunter2", "authorization: Bearer [redacted]"},
           {"Cookie: a=b; c=hunter2", "Cookie: [redacted]"},
           {"sent Bearer 9f8e7d6c", "sent Bearer [redacted]"},
           {R"({"token": "hunter2", "x": 1})", R"({"token": "[redacted]", "x": 1})"},
           {R"("{\"api_key\": \"hunter2\"}")", R"("{\"api_key\": \"[redacted]\"}")"},
           // options
           {"run --token hunter2 -x", "run --token [redacted] -x"},
           {"run --token\thunter2 -x", "run --token\t[redacted] -x"},
           {"run --api-key=hunter2 -x", "run --api-key=[redacted] -x"},
           {"run --password 'a hunter2' -x", "run --password '[redacted]' -x"},
           {"java -Dtoken=hunter2 -jar x", "java -Dtoken=[redacted] -jar x"},
           {"curl -u user:hunter2 http://x", "curl -u user:[redacted] http://x"},
           {"curl --cookie session=hunter2 http://x", "curl --cookie [redacted] http://x"},
           {"mysql -phunter2 -h x", "mysql -p[redacted] -h x"},
           {"run, --token, hunter2, --n, 5", "run, --token, [redacted], --n, 5"},
           // variables
           {"HF_TOKEN=hunter2 ./run", "HF_TOKEN=[redacted] ./run"},
           {"HF_TOKEN='a hunter2' ./run", "HF_TOKEN='[redacted]' ./run"},
           {"sh -c 'export PASSWORD=hunter2; run'", "sh -c 'export PASSWORD=[redacted]; run'"},
           {"Server=x;Password=hunter2;Timeout=3", "Server=x;Password=[redacted];Timeout=3"},
           {"Job(EnvironmentVariables=TOKEN=hunter2)", "Job(EnvironmentVariables=[redacted])"},
           {"x{token=\"hunter2\",n=\"1\"}", "x{token=\"[redacted]\",n=\"1\"}"},
           {"duplicate sample \"x{token=\\\"hunter2\\\"}\"", "duplicate sample \"x{token=\\\"[redacted]\\\"}\""},
           {"[op=a,token=hunter2,n=1].x", "[op=a,token=[redacted],n=1].x"},
           {"req{token:hunter2,n:1}", "req{token:[redacted],n:1}"},
           // shapes of their own
           {"x ghp_9f8e7d6c5b4a9f8e7d6c y", "x [redacted] y"},
           {"x hf_aB3dE5gH7jK9mN1pQ3sT5 y", "x [redacted] y"},
           // As their services give them, by chance without a digit; of Hugging Face always.
           {"a.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.b", "a.[redacted].b"},
           {"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", "[redacted]"},
           {"ghp_OwAJiecAHjIxfihVLEjBWSqLkQgnFCXtkPab", "[redacted]"},
           {"npm_OwAJiecAHjIxfihVLEjBWSqLkQgnFCXtkPab", "[redacted]"},
           {"dckr_pat_OwAJiecAHjIxfihVLEjBWSqLkQg", "[redacted]"},
           {"glpat-OwAJiecAHjIxfihVLEjB", "[redacted]"},
           {"AIzaSyOwAJiecAHjIxfihVLEjBWSqLkQgnF-CXt", "[redacted]"},
           {"run gsk_9f8e7d6c5b4a9f8e7d6c.tps", "run [redacted].tps"},
           {"r8_OwAJiecAHjIxfihVLEjBWSqLkQgnF9XtkPabc", "[redacted]"},
           {"xai-9f8e7d6c5b4a9f8e7d6c", "[redacted]"},
           {"pplx-9f8e7d6c5b4a9f8e7d6c", "[redacted]"},
           {"csk-9f8e7d6c5b4a9f8e7d6c", "[redacted]"},
           {"x sk-proj-9f8e7d6c5b4a9f8e y", "x [redacted] y"},
           {"x xoxb-123456-9f8e7d6c5b4a y", "x [redacted] y"},
           {"x AKIA0123456789ABCDEF y", "x [redacted] y"},
           {"x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl y", "x [redacted] y"},
           {"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----"},
           {"with token 9f8e7d6c5b4a9f8e7d6c", "with token [redacted]"},
       }) {
    EXPECT_EQ(without_secrets(text), shown);
    EXPECT_EQ(without_secrets(shown), shown) << "a second time";
  }
}

TEST(Privacy, TextsWithoutSecretsStay) {
  for (const char* text : {"tokens_per_second",
                           "max_tokens=512",
                           "--max-tokens 512",
                           "[model=Qwen/Qwen3:8b,isl=128].ttft_ms",
                           "token=5",
                           "[token=12].x",
                           "repo:2.3@sha256:0a1b2c3d4e5f60718293",
                           "git@github.com:a/b.git",
                           "ssh://git@github.com/a",
                           "http://localhost:8000/v1",
                           "matmul:fp16@A100",
                           "auth::token::verify",
                           "BM_Cookie::Parse/64",
                           "basic benchmark of 5",
                           "Error: unexpected token: end of line",
                           "hf_transfer_throughput",
                           "hf_abcdefghijklmnopqrstuvwxyzabcdefgh",
                           "AIzaRegistry.latency_ms",
                           "r8_k32_bm128x256_latency",
                           "hf_TextGenerationInferenceWithoutFlash.tps",
                           "org_OwAJiecAHjIxfihVLEjBWSqLkQgnFCXtkP",
                           "sk-learn-regression-fit",
                           "risk-9f8e7d6c5b4a9f8e",
                           "key=9f8e7d6c5b4a9f8e7d6c",
                           "commit 9f8e7d6c5b4a9f8e7d6c9f8e7d6c",
                           "env=prod",
                           "environment=staging",
                           "token == x",
                           "--tokenizer meta-llama/Llama-3-8b",
                           "eos_token=</s>",
                           "password_length=12",
                           "bearer of news",
                           "a - b: c, d = e",
                           "EYJAFJALLAJOKULL.x",
                           "python -u train.py",
                           "docker run -p 80:80 x"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

// The cheap question never says no where the exact one finds something; also behind many bytes, where it looks at blocks.
TEST(Privacy, TheCheapQuestionMissesNothing) {
  for (const char* secret : {"ghp_9f8e7d6c5b4a9f8e7d6c",
                             "hf_aB3dE5gH7jK9mN1pQ3sT5",
                             "sk-proj-9f8e7d6c5b4a9f8e",
                             "xoxb-123456-9f8e7d6c5b4a",
                             "AKIA0123456789ABCDEF",
                             "glpat-9f8e7d6c5b4a9f8e7d6c",
                             "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
                             "npm_9f8e7d6c5b4a9f8e7d6c",
                             "github_pat_9f8e7d6c5b4a9f8e7d6c",
                             "pypi-9f8e7d6c5b4a9f8e7d6c",
                             "nvapi-9f8e7d6c5b4a9f8e7d6c",
                             "whsec_9f8e7d6c5b4a9f8e7d6c",
                             "sk_live_9f8e7d6c5b4a9f8e7d6c",
                             "ASIA0123456789ABCDEF",
                             "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",
                             "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",
                             "ghp_OwAJiecAHjIxfihVLEjBWSqLkQgnFCXtkPab",
                             "AIzaSyOwAJiecAHjIxfihVLEjBWSqLkQgnF-CXt",
                             "gsk_9f8e7d6c5b4a9f8e7d6c",
                             "r8_OwAJiecAHjIxfihVLEjBWSqLkQgnF9XtkPabc",
                             "xai-9f8e7d6c5b4a9f8e7d6c",
                             "pplx-9f8e7d6c5b4a9f8e7d6c",
                             "csk-9f8e7d6c5b4a9f8e7d6c"}) {
    for (const std::size_t before : {0U, 61U, 62U, 63U, 64U, 130U}) {
      const std::string text = std::string(before, '.') + secret;
      EXPECT_TRUE(may_hold_secret(text)) << text;
      EXPECT_EQ(without_secrets(text), std::string(before, '.') + "[redacted]");
    }
  }
  EXPECT_FALSE(may_hold_secret("latency_ms.p99_throughput-mean.0123456789.latency_ms.p99_throughput-mean.0123456789"));
}

// Wherever a sign stands in a text, short or long, it is seen, and equals signs alone are called so.
TEST(Privacy, SignsAreSeenWhereverTheyStand) {
  for (const std::size_t size : {1U, 15U, 16U, 17U, 19U, 20U, 40U, 255U, 256U, 300U, 1000U}) {
    ASSERT_EQ(secret_signs(std::string(size, 'o')), SecretSigns::none);
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'o');
      text[at] = '=';
      ASSERT_EQ(secret_signs(text), SecretSigns::equals) << size << " at " << at;
      text[size - 1 - at] = ' ';
      ASSERT_EQ(secret_signs(text), SecretSigns::others) << size << " at " << at;
    }
  }
  EXPECT_EQ(secret_signs(""), SecretSigns::none);
  EXPECT_EQ(secret_signs(std::string(300, '=') + "hf_"), SecretSigns::others);
}

// Texts put together by chance of what settings and secrets are made of: what is quickly called harmless is so by the rule.
TEST(Privacy, SettingsThatAreQuicklyPassedHoldNoSecret) {
  constexpr const char* kPieces[] = {"size", "token", "password", "Dtoken", "dtype",  "=",       "=",    "==",    "=>",
                                     ",",    "[",     "]",        ".",      "{",      "}",       "?",    "&",     "-",
                                     "--",   "/",     "\"",       "'",      "8",      "half",    "sig",  "key",   "auth",
                                     "D",    "env",   "api_key",  "A1b2C3", "d4E5f6", "latency", "code", "count", "first_token"};
  const auto whole = std::to_array<const char*>(
      {"EnvironmentVariables=A=X1y2Z3w4V5u6T7s8", "[api_key=a]", "x?sig=a&b=c", "-Dtoken=abc", "size=1", "[size=1,password=x]"});
  std::mt19937 random(3);
  SecretFinder finder, exact;
  std::size_t passed = 0, secrets = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string text = round % 10 == 0 ? whole[random() % whole.size()] : "";
    for (std::size_t pieces = random() % 8; pieces > 0; --pieces) text += kPieces[random() % std::size(kPieces)];
    if (secret_signs(text) != SecretSigns::equals) continue;
    const bool secret = exact.scrubbed(text).has_value();
    secrets += secret ? 1 : 0;
    if (!finder.only_settings(text)) continue;
    ++passed;
    ASSERT_FALSE(secret) << text;
  }
  EXPECT_GT(passed, 1000U);
  EXPECT_GT(secrets, 1000U);
  EXPECT_TRUE(finder.only_settings("[size=1,dtype=half].time"));
  EXPECT_TRUE(finder.only_settings("[size=2,dtype=half].time"));
  EXPECT_FALSE(finder.only_settings("[size=2,token=half].time"));
}

}  // namespace
}  // namespace plumbline::core
