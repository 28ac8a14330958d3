// What is cleaned out of names, how two that then read the same are told apart, and which facts are plain.
#include <gtest/gtest.h>

#include "profiles/redaction/names_apart.hpp"
#include "profiles/redaction/plain_words.hpp"

namespace plumbline::profiles::test {
namespace {

TEST(NamesWithoutSecrets, VariablesOfAnEnvironment) {
  for (const char* text : {"PATH=/usr/bin", "SSH_CONNECTION=10.0.0.1 22", "AWS_PROFILE=x", "LS_COLORS=rs=0:di=01;34", "A_1=b"})
    EXPECT_TRUE(is_environment_variable(text)) << text;
  for (const char* text : {"BATCH_SIZE=8", "BATCH_SIZE=8, SEQ_LEN=128", "PATH=", "seq = 5", "operator=(int)", "[size=1].time",
                           "X", "PATH=[redacted]", "PATH=[redacted] #2", "a=b"})
    EXPECT_FALSE(is_environment_variable(text)) << text;
}

TEST(NamesWithoutSecrets, CommandLines) {
  for (const char* text : {"/usr/bin/python3 train.py --fast", "python train.py", "./run -x", "bash /home/x/run.sh"})
    EXPECT_TRUE(is_command_line(text)) << text;
  for (const char* text :
       {"/model/layers.0/attn/MatMul", "void gemm<float>(float*, int)", "python", "forward", "sh kernel", "aten::mm, op_id = 5"})
    EXPECT_FALSE(is_command_line(text)) << text;
}

TEST(NamesWithoutSecrets, ARangesDomainStandsBeforeIt) {
  NameCleaner cleaner;
  EXPECT_EQ(cleaner.clean(":STAGE_NAME=decode"), ":STAGE_NAME=[redacted]");
  EXPECT_EQ(cleaner.clean("dom:STAGE_NAME=decode"), "dom:STAGE_NAME=[redacted]");
  EXPECT_EQ(cleaner.clean("dom:python a.py"), "dom:[redacted]");
  EXPECT_EQ(cleaner.clean("void at::native::kernel<MODE=1>(int)"), std::nullopt);
  EXPECT_EQ(cleaner.clean(":"), std::nullopt);
}

std::vector<std::string> shown(const std::vector<std::string>& names) {
  NamesApart apart;
  for (const std::string& name : names) apart.add(name);
  apart.settle();
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back(apart.find(name) != nullptr ? *apart.find(name) : name);
  return all;
}

TEST(NamesApart, NumbersFollowWhatTheNamesWere) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      shown({"k --token cc33", "gemm", "k --token aa11", "k --token bb22", "k --token cc33"}),
      (Names{"k --token [redacted] #3", "gemm", "k --token [redacted]", "k --token [redacted] #2", "k --token [redacted] #3"}));
  EXPECT_EQ(shown({"k --token aa11", "k --token [redacted]"}), (Names{"k --token [redacted] #2", "k --token [redacted]"}));
}

// The copy of a capture and its original must name any part of it alike.
TEST(NamesApart, APartOfACopyIsNumberedLikeThatOfTheOriginal) {
  const std::vector<std::string> all = {"k --token dd44", "k --token aa11", "k --token cc33", "k --token bb22"};
  const std::vector<std::string> copy = shown(all);
  for (unsigned part = 1; part < 16; ++part) {
    std::vector<std::string> of_original, of_copy;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((part >> i & 1U) == 0) continue;
      of_original.push_back(all[i]);
      of_copy.push_back(copy[i]);
    }
    EXPECT_EQ(shown(of_original), shown(of_copy)) << part;
  }
}

TEST(PlainFacts, AreMadeOfKnownWordsAndNumbers) {
  for (const char* text :
       {"NVIDIA H100 80GB HBM3", "Tesla V100-SXM2-16GB", "NVIDIA GeForce RTX 5060 Ti", "AMD Instinct MI300X VF", "gfx90a",
        "Intel(R) Xeon(R) CPU @ 2.00GHz", "Ubuntu 22.04.4 LTS", "6.8.0-40-generic", "550.54.15", "",
        "#1 SMP PREEMPT_DYNAMIC Sun Mar 30 16:01:29 UTC 2025", "default_pg", "Graph", "true", "[redacted]"})
    EXPECT_TRUE(is_plain_fact(text)) << text;
  for (const char* text : {"plumb-marker-7391", "hunter2", "box", "NVIDIA of alice", "5.15.0-alicebox", "/home/alice", "a\"b",
                           "a\nb", "ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4", "A=1"})
    EXPECT_FALSE(is_plain_fact(text)) << text;
  for (const char* text : {"12", "-0.5", "1e6", "1,024", "0x7f00", "75.0%"}) EXPECT_TRUE(is_plain_number(text)) << text;
  for (const char* text : {"", "e5", "0x", "0xghp", "-", "12a", "1 word"}) EXPECT_FALSE(is_plain_number(text)) << text;
}

}  // namespace
}  // namespace plumbline::profiles::test
