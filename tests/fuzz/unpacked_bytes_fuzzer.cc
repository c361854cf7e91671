// module: ingest
// Decompression, archives and the probe on any bytes: no crash, no endless read, failures told.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "ingest/archive_shelf.h"
#include "ingest/input_set.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mcpscan;
  ingest::probe_format({reinterpret_cast<const char*>(data), size});
  const int descriptor = memfd_create("input", MFD_CLOEXEC);
  if (descriptor < 0 || write(descriptor, data, size) != static_cast<ssize_t>(size)) std::abort();
  lseek(descriptor, 0, SEEK_SET);
  Limits limits;
  limits.expansion_floor_bytes = 1u << 20;
  limits.expansion_ratio = 20;
  ingest::OpenArchive file(std::make_unique<ingest::RawFile>(descriptor), limits);
  std::string buffer(64 * 1024, '\0');
  std::uint64_t total = 0;
  if (!file.is_archive()) {
    while (const std::size_t got = file.read_unpacked(buffer)) total += got;
    if (total > (8u << 20) + size) std::abort();
    return 0;
  }
  for (int members = 0; members < 100 && file.next();) {
    ++members;
    for (int reads = 0; reads < 100 && file.read(buffer) > 0; ++reads) {
    }
  }
  file.failures();
  return 0;
}
