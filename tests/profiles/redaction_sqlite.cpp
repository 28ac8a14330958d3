// --redact of exports of Nsight Systems: only known tables and columns are in the copy, strings stay where something that ran
// is named by them, and what is read of the copy is what is read of the original.
#include "profiles/redact.hpp"
#include "profiles/redaction/sqlite_redactor.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

std::vector<std::string> column(const std::string& path, const std::string& sql) {
  std::vector<std::string> values;
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto add = [](void* to, int, char** value, char**) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(value[0] != nullptr ? value[0] : "NULL");
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), add, &values, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
  return values;
}
using Texts = std::vector<std::string>;

class RedactedSqlite : public ::testing::Test {
 protected:
  // The path of the copy.
  std::string redact(const std::string& sql) {
    run_sql(path_, std::string(kStrings) + kKernels + kernel(0, 100, 1) + kernel(200, 260, 2) + sql);
    const auto done = redacted_capture(path_, {});
    EXPECT_TRUE(done) << done.error().message;
    if (!done) return {};
    for (const auto& place : done->taken_out) taken_ += place.what + " " + std::to_string(place.count) + "\n";
    return scratch_.write("copy.sqlite", done->bytes);
  }
  Scratch scratch_;
  std::string path_ = scratch_ / "x.sqlite", taken_;
};

TEST_F(RedactedSqlite, StringsStayWhereWhatRanIsNamedByThem) {
  const std::string copy = redact(
      "INSERT INTO StringIds VALUES (7,'HOME=/root'),(8,'MODE_OF=x'),(9,'worker'),(10,'pthread_mutex_lock');"
      "CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER); INSERT INTO ThreadNames VALUES (9, 1);"
      "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, nameId INTEGER); INSERT INTO OSRT_API VALUES (1, 2, 10);"
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, "
      "domainId INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES (0,9,59,NULL,1,8,0),(0,9,34,'a mark',1,6,0),(1,2,59,'forward',1,NULL,0);");
  EXPECT_EQ(column(copy, "SELECT value FROM StringIds ORDER BY id"),
            (Texts{"gemm_kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "[redacted]", "[redacted]", "[redacted]",
                   "[redacted]", "[redacted]", "MODE_OF=[redacted]", "[redacted]", "pthread_mutex_lock"}));
  EXPECT_EQ(column(copy, "SELECT text FROM NVTX_EVENTS"), (Texts{"NULL", "[redacted]", "forward"}));
  EXPECT_NE(taken_.find("StringIds.value 7\n"), std::string::npos) << taken_;
}

TEST_F(RedactedSqlite, NothingOfTheOriginalsOwnTextIsInIt) {
  const std::string copy = redact(
      "CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INTEGER);INSERT INTO ProcessStreams VALUES "
      "(1,2,3);"
      "CREATE TABLE sesame (a TEXT, sesame TEXT); INSERT INTO sesame VALUES ('x','sesame');"
      "CREATE INDEX sesame_index ON StringIds (value); CREATE VIEW sesame_view AS SELECT 'sesame';"
      "CREATE TABLE PROCESSES (globalPid INTEGER DEFAULT 'sesame' CHECK (globalPid <> 'sesame'), pid /* sesame */ INTEGER, name "
      "TEXT);"
      "INSERT INTO PROCESSES VALUES (1, 'sesame', 'sesame');"
      "CREATE TABLE gone (a TEXT); INSERT INTO gone VALUES (zeroblob(5000) || 'sesame'); DELETE FROM gone;");
  EXPECT_EQ(column(copy, "SELECT name FROM sqlite_master ORDER BY name"),
            (Texts{"CUPTI_ACTIVITY_KIND_KERNEL", "PROCESSES", "StringIds"}));
  EXPECT_EQ(column(copy, "SELECT sql FROM sqlite_master WHERE name = 'PROCESSES'"),
            Texts{"CREATE TABLE \"PROCESSES\" (\"globalPid\" INTEGER, \"pid\" INTEGER)"});
  EXPECT_EQ(column(copy, "SELECT pid FROM PROCESSES"), Texts{"[redacted]"}) << "the value decides, not the column's type";
  std::ifstream file(copy, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(bytes.find("sesame"), std::string::npos);
  EXPECT_NE(taken_.find("ProcessStreams rows 1\n"), std::string::npos) << taken_;
  EXPECT_NE(taken_.find("tables that are not known rows 1\n"), std::string::npos) << taken_;
  EXPECT_EQ(taken_.find("sesame"), std::string::npos);
}

TEST_F(RedactedSqlite, FactsStayByNameAndByWhatTheyAreMadeOf) {
  const std::string copy = redact(
      "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT, id INTEGER); INSERT INTO META_DATA_CAPTURE VALUES"
      "('PROCESS_0:ARGUMENT_0','train.py',0),('PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE','Node',0),('PROCESS_0:WORKING_DIR','/"
      "home',0),"
      "('PROCESS_x:CUDA_GRAPH_TRACE_OPTIONS:MODE','Node',0),('COLLECT_GPU_CTX_SW_TRACE','alice',0);"
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
      "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('NvDriverVersion','550.54.15'),('OsDescription','Box of "
      "alice'),('Hostname','box');"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, uuid TEXT); INSERT INTO TARGET_INFO_GPU VALUES (0,'Tesla "
      "T4','u'),(1,'of alice','u');"
      "CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT); INSERT INTO DIAGNOSTIC_EVENT VALUES"
      "(1,'Not all CUDA events of alice'),(2,'see /home/alice'),(3,'some EVENTS WERE DROPPED for alice');");
  EXPECT_EQ(column(copy, "SELECT name || ' ' || value FROM META_DATA_CAPTURE"),
            (Texts{"PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE Node", "COLLECT_GPU_CTX_SW_TRACE [redacted]"}));
  EXPECT_EQ(column(copy, "SELECT name || ' ' || value FROM TARGET_INFO_SYSTEM_ENV"),
            (Texts{"NvDriverVersion 550.54.15", "OsDescription [redacted]"}));
  EXPECT_EQ(column(copy, "SELECT name FROM TARGET_INFO_GPU"), (Texts{"Tesla T4", "[redacted]"}));
  EXPECT_EQ(column(copy, "SELECT text FROM DIAGNOSTIC_EVENT"),
            (Texts{"Not all CUDA events might have been collected.", "[redacted]", "Some events were dropped."}));
}

TEST_F(RedactedSqlite, OfPayloadsTheThreeNumbersOfNcclStay) {
  const std::string header =
      "0100000000000000"
      "6400000000000000"
      "1800000000000000"
      "3800000000000000";
  const std::string copy = redact(
      "CREATE TABLE NVTX_EVENTS (start INTEGER,end INTEGER,eventType INTEGER,text TEXT,globalTid INTEGER,textId INTEGER,domainId "
      "INTEGER,"
      "jsonTextId INTEGER,jsonText TEXT,binaryData TEXT); INSERT INTO StringIds VALUES (20, '{\"No. of ranks\": 8, \"user\": "
      "\"alice\"}');"
      "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER,schemaId INTEGER,idx INTEGER,type INTEGER,name TEXT,offset "
      "INTEGER);"
      "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1,100,0,22,'Message size [bytes]',8),(1,100,1,18,'user',16);"
      "INSERT INTO NVTX_EVENTS VALUES (0,9,59,'a',1,NULL,1,20,'{\"Message size [bytes]\": 512, \"user\": \"alice\"}',x'" +
      header +
      "616c696365616c69"
      "0000010000000000"
      "616c696365616c69');"
      "INSERT INTO NVTX_EVENTS VALUES "
      "(0,9,59,'b',1,NULL,1,NULL,'alice',x'02000000000000000000000000000000000000000000000000000000000000006161');");
  EXPECT_EQ(column(copy, "SELECT hex(binaryData) FROM NVTX_EVENTS"), (Texts{"0100000000000000"
                                                                            "6400000000000000"
                                                                            "0000000000000000"
                                                                            "0000000000000000"
                                                                            "0000000000000000"
                                                                            "0000010000000000",
                                                                            ""}));
  EXPECT_EQ(column(copy, "SELECT jsonText FROM NVTX_EVENTS"), (Texts{"{\"Message size [bytes]\": 512}", "[redacted]"}));
  EXPECT_EQ(column(copy, "SELECT value FROM StringIds WHERE id = 20"), Texts{"{\"No. of ranks\": 8}"});
  EXPECT_EQ(column(copy, "SELECT name FROM NVTX_PAYLOAD_SCHEMA_ENTRIES"), (Texts{"Message size [bytes]", "[redacted]"}));
}

TEST_F(RedactedSqlite, ReadsAsBefore) {
  const std::string copy = redact("INSERT INTO StringIds VALUES (30,'k --token aa11'),(31,'k --token bb22');" +
                                  kernel(300, 340, 31) + kernel(400, 450, 30) + kernel(500, 501, 77));
  const auto before = read(path_, {}), after = read(copy, {});
  ASSERT_TRUE(before && after);
  ASSERT_EQ(before->kernels.size(), after->kernels.size());
  for (const NamedAggregate& row : before->kernels) {
    const NamedAggregate* same = find(after->kernels, row.name);
    ASSERT_NE(same, nullptr) << row.name;
    EXPECT_EQ(same->aggregate.total, row.aggregate.total) << row.name;
  }
  EXPECT_EQ(find(after->kernels, "k --token [redacted] #2")->aggregate.total, 40) << "the second by what it was";
}

TEST(RedactedSqliteFile, OtherDatabasesAreRefused) {
  const Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, "CREATE TABLE a (b TEXT);");
  const auto refused = redacted_capture(path, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            path + " cannot be redacted: of captures only SQLite exports, JSON traces and pprof profiles can be");
}

}  // namespace
}  // namespace plumbline::profiles::test
