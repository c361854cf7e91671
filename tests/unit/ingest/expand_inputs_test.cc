// expand_inputs: folders, globs, archives, links, duplicates, bounds.
#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <filesystem>

#include "ingest/input_set.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::ingest;
using namespace mcpscan::tests;

namespace {

// Displays of the files, without the scratch folder.
std::vector<std::string> names(const InputSet& set, const ScratchFolder& folder) {
  std::vector<std::string> result;
  for (const InputFile& file : set.files) {
    std::string name = file.display;
    if (name.starts_with(folder.path())) name.erase(0, folder.path().size() + 1);
    result.push_back(name);
  }
  return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("named files come in the order given, and once", "[expand_inputs]") {
  const ScratchFolder folder;
  const std::string z = folder.write("z.txt", "1"), a = folder.write("a.txt", "2");
  std::filesystem::create_hard_link(a, folder.path("same.txt"));
  const InputSet set = expand_inputs({z, a, folder.path("../") + std::filesystem::path(folder.path()).filename().string() + "/z.txt", folder.path("same.txt")}, {});
  REQUIRE(names(set, folder) == Names{"z.txt", "a.txt"});
  REQUIRE(set.files[0].named);
  REQUIRE(set.problems.empty());
  const std::string logs = std::filesystem::path(folder.write("logs/in/b.log", "3")).parent_path().parent_path();
  const InputSet twice = expand_inputs({logs, logs + "/.", logs + "/in", folder.path()}, {});
  REQUIRE(twice.files.size() == 3);
  REQUIRE(twice.problems.empty());
}

TEST_CASE("a folder gives its files in byte order, through folders and links, without circles", "[expand_inputs]") {
  const ScratchFolder folder;
  folder.write("logs/b.log", "b"), folder.write("logs/B.log", "B"), folder.write("logs/in/c.log", "c"), folder.write("elsewhere/d.log", "d");
  std::filesystem::create_directory_symlink(folder.path("logs"), folder.path("logs/in/circle"));
  std::filesystem::create_directory_symlink(folder.path("elsewhere"), folder.path("logs/link"));
  std::filesystem::create_symlink(folder.path("gone"), folder.path("logs/dangling"));
  REQUIRE(mkfifo(folder.path("logs/pipe").c_str(), 0600) == 0);
  const InputSet set = expand_inputs({folder.path("logs")}, {});
  REQUIRE(names(set, folder) == Names{"logs/B.log", "logs/b.log", "logs/in/c.log", "logs/link/d.log"});
  REQUIRE(set.skipped_special == 2);
  REQUIRE_FALSE(set.files[0].named);
  REQUIRE(set.problems.size() == 1);
  REQUIRE_FALSE(set.problems[0].named);
  REQUIRE(set.problems[0].error.what.starts_with("2 of what it holds were not read"));
}

TEST_CASE("what is named and not there is a problem that names itself; an empty folder too", "[expand_inputs]") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path("empty"));
  const InputSet set = expand_inputs({folder.path("none.log"), folder.path("*.nothing"), folder.path("empty")}, {});
  REQUIRE(set.files.empty());
  REQUIRE(set.problems.size() == 3);
  for (const InputProblem& problem : set.problems) {
    REQUIRE(problem.named);
    REQUIRE(problem.error.code == ErrorCode::not_found);
    REQUIRE(problem.error.where == problem.display);
  }
}

TEST_CASE("patterns that the shell left alone are expanded", "[expand_inputs]") {
  const ScratchFolder folder;
  folder.write("a1.log", "1"), folder.write("a2.log", "2"), folder.write("b1.log", "3"), folder.write("what[1].log", "4");
  REQUIRE(names(expand_inputs({folder.path("a?.log")}, {}), folder) == Names{"a1.log", "a2.log"});
  REQUIRE(names(expand_inputs({folder.path("[ab]1.log")}, {}), folder) == Names{"a1.log", "b1.log"});
  REQUIRE(names(expand_inputs({folder.path("*2*")}, {}), folder) == Names{"a2.log"});
  REQUIRE(names(expand_inputs({folder.path("what[1].log")}, {}), folder) == Names{"what[1].log"});
  REQUIRE(expand_inputs({folder.path("a?.log")}, {}).files[0].named);
}

TEST_CASE("standard input and a named pipe are inputs, the first one once", "[expand_inputs]") {
  const ScratchFolder folder;
  REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  const InputSet set = expand_inputs({"-", folder.path("pipe"), "-"}, {});
  REQUIRE(names(set, folder) == Names{"-", "pipe"});
  REQUIRE(set.files[0].path.empty());
}

TEST_CASE("an archive gives its files, told by content, rotated ones oldest first", "[expand_inputs]") {
  const ScratchFolder folder;
  const Members members = {{"x/app.log", "1\n"}, {"x/app.log.1", "0\n"}, {"x/other", "2\n"}};
  for (const std::string& bytes : {tar(members), gzip(tar(members)), zstd(tar(members)), zip(members)}) {
    const InputSet set = expand_inputs({folder.write("bundle.dat", bytes)}, {});
    REQUIRE(names(set, folder) == Names{"bundle.dat!/x/app.log.1", "bundle.dat!/x/app.log", "bundle.dat!/x/other"});
    REQUIRE(set.files[0].set_key == set.files[1].set_key);
    REQUIRE(set.files[0].member == "x/app.log.1");
    REQUIRE(set.files[0].named);
  }
}

TEST_CASE("a member without a name is not the archive itself", "[expand_inputs]") {
  const ScratchFolder folder;
  const InputSet set = expand_inputs({folder.write("logs.tar", tar({{"a.log", "1"}, {"", "2"}}))}, {});
  REQUIRE(names(set, folder) == Names{"logs.tar!/a.log", "logs.tar!/unnamed"});
  std::string bytes(8, '\0');
  auto opened = open_input(set.files[1], 1, {});
  REQUIRE(opened.ok());
  REQUIRE((*opened)->read(bytes) == 1);
  REQUIRE(bytes[0] == '2');
}

TEST_CASE("an archive inside an archive is told and left", "[expand_inputs]") {
  const ScratchFolder folder;
  const std::string inner = tar({{"i", "i"}});
  const InputSet set = expand_inputs({folder.write("outer.tar", tar({{"a.log", "a"}, {"in.tar", inner}, {"in.tgz", gzip(inner)}, {"b.log", "b"}}))}, {});
  REQUIRE(names(set, folder) == Names{"outer.tar!/a.log", "outer.tar!/b.log"});
  REQUIRE(set.problems.size() == 2);
  REQUIRE(set.problems[0].display.ends_with("outer.tar!/in.tar"));
  REQUIRE_FALSE(set.problems[0].named);
}

TEST_CASE("a damaged archive is a problem; what stands before the damage is read", "[expand_inputs]") {
  const ScratchFolder folder;
  std::string bytes = tar({{"a.log", "a"}, {"b.log", "b"}});
  bytes.replace(1024, 512, std::string(512, 'x'));
  const InputSet set = expand_inputs({folder.write("bad.tar", bytes)}, {});
  REQUIRE(names(set, folder) == Names{"bad.tar!/a.log"});
  REQUIRE(set.problems.size() == 1);
  REQUIRE_FALSE(set.problems[0].named);
}

TEST_CASE("bounds hold: archive_members, input_files, folder_depth", "[expand_inputs]") {
  const ScratchFolder folder;
  Limits limits;
  limits.archive_members = 2;
  const InputSet members = expand_inputs({folder.write("many.tar", tar({{"a", "1"}, {"b", "2"}, {"c", "3"}}))}, limits);
  REQUIRE(members.files.size() == 2);
  REQUIRE(members.problems.at(0).error.code == ErrorCode::limit);

  for (const char* name : {"f/1", "f/2", "f/3", "f/d/4"}) folder.write(name, "x");
  limits.input_files = 2;
  const InputSet files = expand_inputs({folder.path("f")}, limits);
  REQUIRE(files.files.size() == 2);
  REQUIRE(files.problems.size() == 1);
  REQUIRE(files.problems.at(0).error.code == ErrorCode::limit);

  limits = {};
  limits.folder_depth = 0;
  const InputSet flat = expand_inputs({folder.path("f")}, limits);
  REQUIRE(flat.files.size() == 3);
  REQUIRE(flat.skipped_special == 1);
}

TEST_CASE("rotated sets over several arguments come oldest first, others in the order given", "[expand_inputs]") {
  const ScratchFolder folder;
  const std::string live = folder.write("app.log", "3"), one = folder.write("app.log.1", "2"), two = folder.write("app.log.2.gz", gzip("1")), other = folder.write("b", "x");
  REQUIRE(names(expand_inputs({live, other, one, two}, {}), folder) == Names{"app.log.2.gz", "app.log.1", "app.log", "b"});
}
