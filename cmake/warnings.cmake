# Warnings are errors; sanitizers come from the preset.
add_library(mcpscan_options INTERFACE)
target_compile_options(mcpscan_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)  # std::stable_sort of libstdc++ 12 uses what the same library deprecates; g++ still tells ours
  target_compile_options(mcpscan_options INTERFACE -Wno-deprecated-declarations)
endif()
if(MCPSCAN_SANITIZE)
  target_compile_options(mcpscan_options INTERFACE -fsanitize=${MCPSCAN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(mcpscan_options INTERFACE -fsanitize=${MCPSCAN_SANITIZE})
endif()
if(MCPSCAN_FUZZ)
  target_compile_options(mcpscan_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
