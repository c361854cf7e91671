# Warnings are errors; sanitizers come from the preset.
add_library(mcpscan_options INTERFACE)
target_compile_options(mcpscan_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
if(MCPSCAN_SANITIZE)
  target_compile_options(mcpscan_options INTERFACE -fsanitize=${MCPSCAN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(mcpscan_options INTERFACE -fsanitize=${MCPSCAN_SANITIZE})
endif()
if(MCPSCAN_FUZZ)
  target_compile_options(mcpscan_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
