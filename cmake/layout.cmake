# How clang lays the program out. cmake/mcpscan.profdata says which functions ran, and which way their branches went, when the training set was
# read (tests/bench/train.py); and what only the linker sees together is optimised once more. Both are hints, no needs: a function that has
# changed since the training is built without its counts, and another compiler does without all of this. `./dev profile` trains anew.
# Objects hold machine code as well, so that the tests link without the linker's optimisation: it takes longer than they do.
include(CheckLinkerFlag)

set(MCPSCAN_LAYOUT trained CACHE STRING "trained: by cmake/mcpscan.profdata; train: count while running; off: as any compiler does")
set(profile ${CMAKE_CURRENT_LIST_DIR}/mcpscan.profdata)

add_library(mcpscan_layout INTERFACE)          # for the modules
add_library(mcpscan_program_layout INTERFACE)  # for the program
target_link_libraries(mcpscan_program_layout INTERFACE mcpscan_layout)
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19 AND NOT MCPSCAN_SANITIZE AND NOT MCPSCAN_LAYOUT STREQUAL off)
  # The functions of a file are told by its name, wherever the tree stands.
  target_compile_options(mcpscan_layout INTERFACE "SHELL:-mllvm -static-func-full-module-prefix=false")
  if(MCPSCAN_LAYOUT STREQUAL train)
    target_compile_options(mcpscan_layout INTERFACE -fprofile-generate)
    target_link_options(mcpscan_program_layout INTERFACE -fprofile-generate)
  else()
    # Objects of two trainings do not link: each has a name of its own, so that a new one builds all anew.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${profile})
    file(SHA256 ${profile} training)
    string(SUBSTRING ${training} 0 12 training)
    file(COPY_FILE ${profile} ${CMAKE_BINARY_DIR}/training-${training}.profdata ONLY_IF_DIFFERENT)
    target_compile_options(mcpscan_layout INTERFACE -fprofile-use=${CMAKE_BINARY_DIR}/training-${training}.profdata -Wno-profile-instr-out-of-date
                                                    -Wno-profile-instr-unprofiled -Wno-backend-plugin)
    check_linker_flag(CXX -fuse-ld=lld MCPSCAN_HAS_LLD)
    if(MCPSCAN_HAS_LLD)
      target_compile_options(mcpscan_layout INTERFACE -flto=thin -ffat-lto-objects)
      target_link_options(mcpscan_program_layout INTERFACE -fuse-ld=lld -flto=thin -ffat-lto-objects -Wl,--thinlto-cache-dir=${CMAKE_BINARY_DIR}/link-time)
    endif()
  endif()
endif()
