# Modules, embedded data files and registries are collected by glob: a new dialect, rule, detector or report format is
# one new file and no edit elsewhere.

# mcpscan_module(NAME FOLDERS dir... [DEPENDS module...] [USES library...]): the static library mcpscan_NAME.
function(mcpscan_module name)
  cmake_parse_arguments(arg "" "" "FOLDERS;DEPENDS;USES" ${ARGN})
  set(sources)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cc)
    list(APPEND sources ${found})
  endforeach()
  if(NOT sources)
    message(FATAL_ERROR "module ${name} has no sources in ${arg_FOLDERS}")
  endif()
  add_library(mcpscan_${name} STATIC ${sources})
  target_include_directories(mcpscan_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/parsers ${CMAKE_SOURCE_DIR}/rules
                                                    ${CMAKE_SOURCE_DIR})
  target_link_libraries(mcpscan_${name} PRIVATE mcpscan_options mcpscan_layout)
  foreach(module IN LISTS arg_DEPENDS)
    target_link_libraries(mcpscan_${name} PUBLIC mcpscan_${module})
  endforeach()
  foreach(library IN LISTS arg_USES)
    if(DEFINED mcpscan_use_${library})
      target_link_libraries(mcpscan_${name} PUBLIC ${mcpscan_use_${library}})
    else()
      target_link_libraries(mcpscan_${name} PUBLIC ${library})
    endif()
  endforeach()
endfunction()

# mcpscan_embed(MODULE NAME name GLOB pattern): the matching files as EmbeddedFile entries, mcpscan::embedded_<name>().
function(mcpscan_embed module)
  cmake_parse_arguments(arg "" "NAME;GLOB" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/${arg_GLOB})
  list(SORT files)
  set(output ${CMAKE_BINARY_DIR}/generated/${module}/embedded_${arg_NAME}.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DNAME=${arg_NAME} -DROOT=${CMAKE_SOURCE_DIR} "-DFILES=${files}" -DOUTPUT=${output}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    VERBATIM)
  target_sources(mcpscan_${module} PRIVATE ${output})
endfunction()

# mcpscan_registry(MODULE TYPE Type FOLDER dir [GLOB pattern]): each <stem>.cc defines `extern const <Type>Entry k<Stem>`;
# mcpscan::<module>::registered_<type>s() lists them sorted by file name.
function(mcpscan_registry module)
  cmake_parse_arguments(arg "" "TYPE;FOLDER;GLOB" "" ${ARGN})
  if(NOT arg_GLOB)
    set(arg_GLOB *.cc)
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${arg_FOLDER}/${arg_GLOB})
  list(SORT files)
  set(externs "")
  set(entries "")
  set(count 0)
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WE)
    string(REPLACE "_" ";" words ${stem})
    set(constant "k")
    foreach(word IN LISTS words)
      string(SUBSTRING ${word} 0 1 head)
      string(SUBSTRING ${word} 1 -1 tail)
      string(TOUPPER ${head} head)
      string(APPEND constant ${head}${tail})
    endforeach()
    string(APPEND externs "extern const ${arg_TYPE}Entry ${constant};\n")
    string(APPEND entries "    &${constant},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" snake ${arg_TYPE})
  string(TOLOWER ${snake} snake)
  set(output ${CMAKE_BINARY_DIR}/generated/${module}/${snake}_registry.cc)
  set(body "// Generated from the files of ${arg_FOLDER} by cmake/collect.cmake.\n#include <array>\n\n#include \"${module}/${snake}_registry.h\"\n\nnamespace mcpscan::${module} {\n${externs}\nstd::span<const ${arg_TYPE}Entry* const> registered_${snake}s() {\n  static const std::array<const ${arg_TYPE}Entry*, ${count}> kEntries{\n${entries}  };\n  return kEntries;\n}\n}  // namespace mcpscan::${module}\n")
  file(GENERATE OUTPUT ${output} CONTENT "${body}")
  target_sources(mcpscan_${module} PRIVATE ${output})
endfunction()
