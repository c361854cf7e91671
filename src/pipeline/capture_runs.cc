#include "pipeline/capture_runs.h"

#include <filesystem>
#include <utility>
#include <vector>

namespace mcpscan::pipeline {

namespace {

using Part = net::MergedCapture::Part;

// Without a capture where the file does not open, or is none.
Part open_again(const ingest::InputFile& file, std::uint64_t first, std::uint32_t input, const Limits& limits) {
  Part part;
  part.first = first;
  auto bytes = ingest::open_input(file, input, limits);
  if (!bytes) return part;
  part.bytes = bytes.take();
  if (auto capture = net::open_capture(*part.bytes, input, limits)) part.capture = capture.take();
  return part;
}

}  // namespace

std::unique_ptr<net::CaptureReader> runs_of(const ingest::InputFile& file, const std::string& head, std::uint32_t input, const Limits& limits) {
  const std::size_t interfaces = net::interfaces_of(head);
  std::error_code error;
  if (interfaces < 2 || file.path.empty() || !std::filesystem::is_regular_file(file.path, error)) return nullptr;  // a pipe gives its bytes once
  const Part whole = open_again(file, 1, input, limits);
  if (!whole.capture) return nullptr;
  const std::vector<std::uint64_t> runs = net::first_of_runs(*whole.capture, interfaces);
  if (runs.size() == 1) return nullptr;
  std::vector<Part> parts;
  for (const std::uint64_t first : runs) {
    parts.push_back(open_again(file, first, input, limits));
    if (!parts.back().capture) return nullptr;
  }
  return std::make_unique<net::MergedCapture>(std::move(parts));
}

}  // namespace mcpscan::pipeline
