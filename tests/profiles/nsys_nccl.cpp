// What NCCL's payloads say of its kernels. The payloads are made here after the layout that exports of 2026.1 have.
#include "profiles/readers/nsys/nsys_reader.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

constexpr const char* kTables =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER,end INTEGER,globalTid INTEGER,correlationId INTEGER,nameId INTEGER);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER,end INTEGER,eventType INTEGER,text TEXT,globalTid INTEGER,textId INTEGER,domainId "
    "INTEGER,jsonTextId INTEGER,jsonText TEXT,binaryData TEXT);"
    "INSERT INTO NVTX_EVENTS VALUES (0,0,75,'NCCL',16777217,NULL,1,NULL,NULL,NULL);"
    "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER,schemaId INTEGER,idx INTEGER,type INTEGER,name TEXT,offset "
    "INTEGER); INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1,100,0,18,'NCCL communicator ID',NULL),"
    "(1,100,1,22,'Message size [bytes]',8),(1,200,0,18,'NCCL communicator ID',NULL),(1,200,1,5,'No. of ranks',8),"
    "(1,200,2,5,'Rank',12);";

std::string little_endian(std::uint64_t value, int bytes) {
  std::string hex;
  for (int i = 0; i < bytes; ++i, value >>= 8U) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[value >> 4U & 15U];
    hex += kDigits[value & 15U];
  }
  return hex;
}

std::string payload(std::uint64_t schema, const std::string& body) {
  return "x'" + little_endian(1, 8) + little_endian(schema, 8) + little_endian(body.size() / 2, 8) +
         little_endian(32 + body.size() / 2, 8) + body + "'";
}
std::string sized(std::uint64_t bytes, std::uint64_t communicator = 0xABC) {
  return payload(100, little_endian(communicator, 8) + little_endian(bytes, 8));
}
std::string ranked(std::uint32_t ranks, std::uint64_t communicator = 0xABC) {
  return payload(200, little_endian(communicator, 8) + little_endian(ranks, 4) + little_endian(0, 4) + little_endian(0, 8));
}

std::string range(long start, long end, const std::string& name, const std::string& binary = "NULL",
                  const std::string& json = "NULL") {
  return "INSERT INTO NVTX_EVENTS VALUES (" + std::to_string(start) + "," + std::to_string(end) + ",59,'" + name +
         "',16777217,NULL,1,NULL," + json + "," + binary + ");";
}
// A call at `start` and the kernel that it launched.
std::string launch(long start, int correlation, int name = 2) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + std::to_string(start) + "," + std::to_string(start + 1) +
         ",16777217," + std::to_string(correlation) + ",3);" + kernel(start + 1000, start + 1500, name, 0, 7, correlation);
}

struct NcclCase {
  const char* name;
  std::string sql;
  std::vector<std::string> expected;  // "op type bytes/ranks"
};
class NcclPayloads : public ::testing::TestWithParam<NcclCase> {};
TEST_P(NcclPayloads, SayWhatAKernelDid) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, std::string(kStrings) + kKernels + kTables + GetParam().sql);
  auto database = Database::open(path, {}, {});
  ASSERT_TRUE(database);
  const ReadOptions options;
  const auto capture = NsysReader(*database, options, RowSource::pages_where_possible).read();
  ASSERT_TRUE(capture) << capture.error().message;
  ASSERT_TRUE(*capture);
  std::vector<std::string> found;
  for (const Collective& each : (*capture)->collectives) {
    found.push_back(std::to_string(each.op) + " " + each.type + " " + std::to_string(each.bytes) + "/" +
                    std::to_string(each.group_size));
  }
  EXPECT_EQ(found, GetParam().expected);
}
INSTANTIATE_TEST_SUITE_P(
    Calls, NcclPayloads,
    ::testing::Values(
        NcclCase{"one_call",
                 range(10, 20, "ncclCommInitRank", ranked(8)) + range(100, 120, "ncclAllReduce", sized(4096)) + launch(110, 5),
                 {"0 all_reduce 4096/8"}},
        NcclCase{"as_json",
                 range(100, 120, "ncclAllReduce", "NULL", "'{\"NCCL communicator ID\":12,\"Message size [bytes]\": 4096}'") +
                     launch(110, 5),
                 {"0 all_reduce 4096/0"}},
        NcclCase{"a_part_of_every_rank",
                 range(10, 20, "ncclCommInitRank", ranked(8)) + range(100, 120, "ncclAllGather", sized(4096)) + launch(110, 5) +
                     range(200, 220, "ncclReduceScatter", sized(512)) + launch(210, 6),
                 {"0 all_gather 32768/8", "1 reduce_scatter 4096/8"}},
        NcclCase{"a_part_without_the_number_of_ranks",
                 range(100, 120, "ncclAllGather", sized(4096)) + launch(110, 5),
                 {"0 all_gather 0/0"}},
        NcclCase{"sends_and_receives_of_a_group",
                 range(100, 101, "ncclGroupStart") + range(102, 103, "ncclSend", sized(1000)) +
                     range(104, 105, "ncclRecv", sized(50)) + range(106, 107, "ncclSend", sized(24)) +
                     range(108, 120, "ncclGroupEnd") + launch(110, 5),
                 {"0 send_recv 1024/0"}},
        NcclCase{"a_group_of_one_kind_in_one_kernel",
                 range(100, 101, "ncclGroupStart") + range(102, 103, "ncclAllReduce", sized(1000)) +
                     range(104, 105, "ncclAllReduce", sized(24)) + range(108, 120, "ncclGroupEnd") + launch(110, 5),
                 {"0 all_reduce 1024/0"}},
        NcclCase{"a_group_with_a_kernel_for_each",
                 range(100, 101, "ncclGroupStart") + range(102, 103, "ncclAllReduce", sized(1000)) +
                     range(104, 105, "ncclBroadcast", sized(24)) + range(108, 120, "ncclGroupEnd") + launch(110, 5) +
                     launch(112, 6),
                 {"0 all_reduce 1000/0", "1 broadcast 24/0"}},
        NcclCase{"a_group_that_does_not_tell",
                 range(100, 101, "ncclGroupStart") + range(102, 103, "ncclAllReduce", sized(1000)) +
                     range(104, 105, "ncclBroadcast", sized(24)) + range(108, 120, "ncclGroupEnd") + launch(110, 5),
                 {}},
        NcclCase{"groups_within_groups",
                 range(100, 101, "ncclGroupStart") + range(102, 103, "ncclGroupStart") + range(104, 105, "ncclSend", sized(7)) +
                     range(106, 107, "ncclGroupEnd") + range(108, 109, "ncclSend", sized(5)) + range(110, 120, "ncclGroupEnd") +
                     launch(112, 5),
                 {"0 send_recv 12/0"}},
        NcclCase{"replays_of_a_graph_share_their_call",
                 range(100, 120, "ncclAllReduce", sized(4096)) + launch(110, 5) + kernel(5000, 5100, 2, 0, 7, 5),
                 {}},
        NcclCase{"other_kernels_are_none_of_it", range(100, 120, "ncclAllReduce", sized(4096)) + launch(110, 5, 1), {}},
        NcclCase{"a_launch_after_the_call", range(100, 105, "ncclAllReduce", sized(4096)) + launch(110, 5), {}},
        NcclCase{"payloads_cut_short",
                 range(100, 120, "ncclAllReduce", "x'0100000000000000640000000000000010000000000000003000000000000000aa'") +
                     launch(110, 5) + range(200, 220, "ncclAllReduce", "x'01'") + launch(210, 6),
                 {}},
        NcclCase{"sizes_that_cannot_be", range(100, 120, "ncclAllReduce", sized(~0ULL)) + launch(110, 5), {}}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace plumbline::profiles::test
