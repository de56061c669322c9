# Writes the commit of SOURCE_DIR into OUTPUT (a header) where it has changed; run at every build:
#   cmake -DSOURCE_DIR=... -DOUTPUT=... -P commit.cmake
set(commit "unknown")
find_program(git git)
if(git)
    execute_process(COMMAND "${git}" -C "${SOURCE_DIR}" rev-parse --short=12 HEAD
                    OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE rc)
    if(rc EQUAL 0)
        set(commit "${head}")
        execute_process(COMMAND "${git}" -C "${SOURCE_DIR}" diff --quiet HEAD -- RESULT_VARIABLE changed
                        ERROR_QUIET)
        if(NOT changed EQUAL 0)
            string(APPEND commit "+")
        endif()
    endif()
endif()
set(text "#pragma once\n#define BRAID_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
endif()
