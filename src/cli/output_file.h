// OutputFile: a file that is written whole or not at all: into a draft beside it that takes its place at the end. Devices and pipes are
// written to as they are. What is never committed leaves nothing behind. Ownership: owns the draft. Threads: one.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/finding.h"

namespace mcpscan::cli {

class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status open(const std::string& path);
  // After a failure nothing more; commit() tells it.
  void write(std::string_view text);
  Status commit();

 private:
  Error failure(const char* what, int reason);

  std::string path_, target_, draft_;
  std::FILE* file_ = nullptr;
  bool replace_ = false;
  int reason_ = 0;  // errno of the first write that failed
};

// Text on its way to a file, or where the path is empty to standard output, by pieces of at least `flush_bytes`; 1: as it comes. What is not
// finished leaves no file.
class Outlet {
 public:
  explicit Outlet(std::size_t flush_bytes) : flush_bytes_(flush_bytes) {}
  Status open(const std::string& path);
  void write(std::string_view text);
  Status finish();

 private:
  void flush();

  OutputFile file_;
  std::size_t flush_bytes_;
  bool to_file_ = false;
  std::string pending_;
};

// Whether there can be such an output: its folder exists, it is none itself, and it is no input. To be told before evidence is read, which
// may take long; and evidence is never written over. An empty path is standard output.
Status output_possible(const std::string& output, const std::vector<std::string>& inputs);
std::vector<std::string> input_paths(const model::Report& report);

}  // namespace mcpscan::cli
