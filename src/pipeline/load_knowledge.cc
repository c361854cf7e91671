// load_knowledge: the dialects and rules that are built in, and those of the user's folders.
#include <filesystem>
#include <future>
#include <span>
#include <string>
#include <vector>

#include "base/embedded_file.h"
#include "base/text_file.h"
#include "pipeline/scan.h"

namespace mcpscan::pipeline {
namespace {

// Every *.yml of a folder, sorted, handed to `add`; what does not load is a problem and the rest goes on.
template <typename Add>
void load_folder(const std::string& folder, std::vector<Error>& problems, Add add) {
  if (folder.empty()) return;
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return problems.push_back({ErrorCode::not_found, "there is no such folder", folder, "give a folder of .yml files"});
  }
  const auto paths = data_files(folder);
  if (!paths) return problems.push_back(paths.error());
  for (const std::string& path : *paths) {
    const Result<std::string> text = read_text_file(path);
    const Status status = text ? add(*text, path) : Status(text.error());
    if (!status.ok()) problems.push_back(status.error());
  }
}

}  // namespace

Knowledge load_knowledge(const std::string& dialect_dir, const std::string& rules_dir, Proof proof) {
  Knowledge knowledge;
  const Proof of_dialects = dialect_dir.empty() ? proof : Proof::asked;
  const auto load = [](std::span<const EmbeddedFile> files, auto& set, Proof asked) {
    std::vector<Error> defects;
    for (const EmbeddedFile& file : files) {
      if (const Status status = set.add(file.text, file.path, asked); !status.ok()) defects.push_back(status.error());
    }
    return defects;
  };
  // Most of a short run is spent here, and neither needs the other.
  auto of_rules = std::async(std::launch::async, [&] { return load(embedded_rules(), knowledge.rules, proof); });
  knowledge.defects = load(embedded_dialects(), knowledge.dialects, of_dialects);
  const std::vector<Error> more = of_rules.get();
  knowledge.defects.insert(knowledge.defects.end(), more.begin(), more.end());
  knowledge.dialects.protect();
  load_folder(dialect_dir, knowledge.problems, [&](const std::string& text, const std::string& path) { return knowledge.dialects.add(text, path); });
  load_folder(rules_dir, knowledge.problems, [&](const std::string& text, const std::string& path) { return knowledge.rules.add(text, path); });
  return knowledge;
}

}  // namespace mcpscan::pipeline
