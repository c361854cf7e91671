// module: ingest
// How fast LogParser::parse() reads log text, in bytes a second of one core, blocks of 1 MiB, records thrown away.
// MCPSCAN_BENCH_LOG names a file to read; without it lines of a busy gateway are made up here.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/embedded_file.h"
#include "ingest/text/log_parser.h"

namespace {

using namespace mcpscan;
using namespace mcpscan::ingest;

std::string made_up_log() {
  std::string log;
  for (int i = 0; log.size() < (32u << 20); ++i) {
    const std::string second = std::to_string(10 + i / 50 % 50), id = std::to_string(i);
    const std::string stamp = "2026-11-29 16:35:" + second + ",123 - ";
    log += stamp + "mcp.server.streamable_http_manager - DEBUG - Session already exists, handling request directly\n";
    log += "INFO:     10.0.0.7:40123 - \"POST /mcp HTTP/1.1\" 200 OK\n";
    log += stamp + "mcp.server.lowlevel.server - INFO - Processing request of type CallToolRequest\n";
    log += stamp + "gateway.wire - DEBUG - session=0123456789abcdef0123456789abcdef client->server {\"jsonrpc\":\"2.0\",\"id\":" + id +
           ",\"method\":\"tools/call\",\"params\":{\"name\":\"search_docs\",\"arguments\":{\"query\":\"hello world\"}}}\n";
    log += stamp + "sse_starlette.sse - DEBUG - chunk: b'event: message\\r\\ndata: {\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{}}\\r\\n\\r\\n'\n";
  }
  return log;
}

std::string log_text() {
  const char* path = std::getenv("MCPSCAN_BENCH_LOG");
  if (path == nullptr) return made_up_log();
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<TextBlock> blocks_of(const std::string& text) {
  constexpr std::size_t kBlock = 1 << 20;
  std::vector<TextBlock> blocks;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', std::min(at + kBlock, text.size())), text.size() - 1) + 1;
    blocks.emplace_back();
    blocks.back().bytes.assign(std::string_view(text).substr(at, end - at));
    blocks.back().offset = at;
    at = end;
  }
  return blocks;
}

void parse_log(benchmark::State& state) {
  DialectSet dialects;
  for (const EmbeddedFile& file : embedded_dialects()) {
    if (!dialects.add(file.text, file.path)) return state.SkipWithError("a dialect does not load");
  }
  const std::string text = log_text();
  const std::vector<TextBlock> blocks = blocks_of(text);
  LogParser parser(dialects, ParserOptions{}, Limits{});
  parser.calibrate(std::string_view(text).substr(0, 64 << 10));
  Arena arena;
  std::uint64_t records = 0;
  for (auto _ : state) {
    for (const TextBlock& block : blocks) {
      arena.reset();
      parser.parse(block, 0, arena, [&records](const LogRecord&) { ++records; });
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.counters["records"] = benchmark::Counter(static_cast<double>(records), benchmark::Counter::kIsRate);
}
BENCHMARK(parse_log)->Unit(benchmark::kMillisecond);

void load_dialects(benchmark::State& state) {
  for (auto _ : state) {
    DialectSet dialects;
    for (const EmbeddedFile& file : embedded_dialects()) benchmark::DoNotOptimize(dialects.add(file.text, file.path).ok());
  }
}
BENCHMARK(load_dialects)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
