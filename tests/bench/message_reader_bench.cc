// module: app
// Speed of the message reader over realistic bodies. MCPSCAN_BENCH_LOG names a gateway log to take the bodies from; without
// it a few made-up ones stand in.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "app/message_reader.h"

namespace {

using mcpscan::app::Codec;

constexpr std::size_t kMaxBodyBytes = 16u << 20;  // of one kind, enough to leave the caches

struct Bodies {
  std::vector<std::string> json, chunks, lines_without;
};

void add_made_up(Bodies& bodies) {
  bodies.json.push_back(R"({"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"search_code","arguments":{"query":"stream reply count","path":"/srv/repo/src/file_389317","limit":20,"flags":["a","b"]},"_meta":{"progressToken":12}}})");
  bodies.json.push_back(R"({"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"route async None stream status reply count buffer timeout \n    config handler return total index {\"id\": 871} server reply config user error import timeout worker"}],"structuredContent":{"key":"issue_681704","issues":[{"line":735,"score":0.228},{"line":736,"score":0.229}]},"isError":false}})");
  bodies.chunks.push_back(R"(b'event: message\r\ndata: {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"class reply status user \\n queue caf\xc3\xa9 None it\'s queue self "}],"structuredContent":{"key":"/srv/repo/src/file_389317","lines":[{"line":471,"score":0.119}]},"isError":false}}\r\n\r\n')");
  bodies.lines_without.push_back("INFO:     10.20.0.12:42530 - \"POST /mcp HTTP/1.1\" 200 OK");
}

Bodies load() {
  Bodies bodies;
  add_made_up(bodies);
  const char* path = std::getenv("MCPSCAN_BENCH_LOG");
  if (path == nullptr) return bodies;
  std::ifstream file(path);
  std::size_t bytes = 0;
  for (std::string line; bytes < kMaxBodyBytes && std::getline(file, line);) {
    const std::size_t json = line.find(" {\"jsonrpc\"");
    const std::size_t chunk = line.find("chunk: b'event");
    if (chunk != std::string::npos) bodies.chunks.push_back(line.substr(chunk + 7));
    else if (json != std::string::npos) bodies.json.push_back(line.substr(json + 1));
    else bodies.lines_without.push_back(line);
    bytes += line.size();
  }
  return bodies;
}

const Bodies& bodies() {
  static const Bodies loaded = load();
  return loaded;
}

void read_all(benchmark::State& state, const std::vector<std::string>& texts, Codec codec) {
  mcpscan::app::MessageReader reader(mcpscan::Limits{});
  mcpscan::Arena arena;
  std::uint64_t sum = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    for (const std::string& text : texts) {
      if (arena.used() > (192u << 10)) arena.reset();
      reader.read(text, codec, false, arena, [&](const mcpscan::model::RpcMessage& message) { sum += message.digest; });
      bytes += text.size();
    }
  }
  benchmark::DoNotOptimize(sum);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(texts.size()));
}

void BM_json(benchmark::State& state) { read_all(state, bodies().json, Codec::json); }
void BM_python_bytes_sse(benchmark::State& state) { read_all(state, bodies().chunks, Codec::python_bytes_sse); }

void find_all(benchmark::State& state, const std::vector<std::string>& lines) {
  std::size_t bytes = 0, found = 0;
  for (auto _ : state) {
    for (const std::string& line : lines) {
      found += mcpscan::app::find_body(line).position != std::string_view::npos;
      bytes += line.size();
    }
  }
  benchmark::DoNotOptimize(found);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

void BM_find_body_hit(benchmark::State& state) { find_all(state, bodies().json); }
void BM_find_body_none(benchmark::State& state) { find_all(state, bodies().lines_without); }

BENCHMARK(BM_json);
BENCHMARK(BM_python_bytes_sse);
BENCHMARK(BM_find_body_hit);
BENCHMARK(BM_find_body_none);

}  // namespace

BENCHMARK_MAIN();
