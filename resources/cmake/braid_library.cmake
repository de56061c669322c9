# braid_library(NAME SOURCES ... EDGES ... [LINK ...] [PRIVATE_LINK ...] [TORCH] [QT])
# declares the static library braid_NAME and the Braid libraries it may use. An edge that the architecture does
# not allow stops the configuration; tests/architecture scans the includes for the same rule.
set(BRAID_ALLOWED_EDGES_base "")
set(BRAID_ALLOWED_EDGES_spec "base")
set(BRAID_ALLOWED_EDGES_mixers "base;spec")
set(BRAID_ALLOWED_EDGES_data "base;spec")
set(BRAID_ALLOWED_EDGES_record "base;spec")
set(BRAID_ALLOWED_EDGES_analysis "base;spec")
set(BRAID_ALLOWED_EDGES_attention "base")
set(BRAID_ALLOWED_EDGES_launch "base;spec;record")
set(BRAID_ALLOWED_EDGES_kernels "")
set(BRAID_ALLOWED_EDGES_mixers_torch "base;spec;mixers;kernels")
set(BRAID_ALLOWED_EDGES_engine "base;spec;mixers;mixers_torch;data;record;kernels")
set(BRAID_ALLOWED_EDGES_measure "base;spec;mixers;mixers_torch;data;record;kernels;engine;analysis;attention")
set(BRAID_ALLOWED_EDGES_widgets "base;spec;mixers;record;analysis;attention")
set(BRAID_ALLOWED_EDGES_app_workbench "base;spec;mixers;record;analysis;attention;launch;widgets")
set(BRAID_ALLOWED_EDGES_app_engine
    "base;spec;mixers;data;record;analysis;attention;kernels;mixers_torch;engine;measure;launch")

function(braid_library NAME)
    cmake_parse_arguments(ARG "TORCH;QT" "LAYER" "SOURCES;EDGES;LINK;PRIVATE_LINK" ${ARGN})
    set(layer "${NAME}")
    if(ARG_LAYER)
        set(layer "${ARG_LAYER}")  # several libraries of one layer, such as the folders of widgets/
    endif()
    if(NOT DEFINED BRAID_ALLOWED_EDGES_${layer})
        message(FATAL_ERROR "braid_library(${NAME}): unknown layer '${layer}'; add it to braid_library.cmake")
    endif()
    add_library(braid_${NAME} STATIC ${ARG_SOURCES})
    set_target_properties(braid_${NAME} PROPERTIES BRAID_LAYER "${layer}")
    target_include_directories(braid_${NAME} PUBLIC "${CMAKE_SOURCE_DIR}")
    foreach(edge IN LISTS ARG_EDGES)
        get_target_property(edge_layer braid_${edge} BRAID_LAYER)
        if(NOT edge_layer STREQUAL layer AND NOT edge_layer IN_LIST BRAID_ALLOWED_EDGES_${layer})
            message(FATAL_ERROR "braid_library(${NAME}): the edge ${layer} -> ${edge_layer} is not allowed; "
                                "allowed: ${BRAID_ALLOWED_EDGES_${layer}}")
        endif()
        target_link_libraries(braid_${NAME} PUBLIC braid_${edge})
    endforeach()
    target_link_libraries(braid_${NAME} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
    if(ARG_TORCH)
        braid_use_torch(braid_${NAME})
    endif()
    if(ARG_QT)
        braid_use_qt(braid_${NAME})
    endif()
endfunction()

# The ids of a list of kinds, lines MACRO(id) of a .def file; a change of the file configures anew.
function(braid_listed_ids OUT FILE MACRO)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${FILE}")
    file(STRINGS "${FILE}" ids REGEX "^${MACRO}\\(")
    list(TRANSFORM ids REPLACE "^${MACRO}\\(([a-z0-9_]+)\\).*" "\\1")
    set(${OUT} "${ids}" PARENT_SCOPE)
endfunction()

# Where tests find the tree and the build. They share the cores: threads of one must not spin where another could work
# (app/engine/main.cpp).
set(braid_test_environment "BRAID_SOURCE_DIR=${CMAKE_SOURCE_DIR}" "BRAID_BINARY_DIR=${CMAKE_BINARY_DIR}"
    "GOMP_SPINCOUNT=5000")

# braid_test(NAME SOURCES ... LINK ... [LABELS ...] [TIMEOUT s] [QT] [TORCH] [SERIAL])
# declares one GoogleTest executable; every TEST in it becomes a CTest of its own.
function(braid_test NAME)
    cmake_parse_arguments(ARG "QT;TORCH;SERIAL;WHOLE" "TIMEOUT" "SOURCES;LINK;LABELS;ENVIRONMENT" ${ARGN})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 60)
    endif()
    add_executable(${NAME} ${ARG_SOURCES})
    target_include_directories(${NAME} PRIVATE "${CMAKE_SOURCE_DIR}")
    if(ARG_TORCH)
        braid_use_torch(${NAME})  # first: torch_cpu has to come before any other BLAS on the link line
    endif()
    target_link_libraries(${NAME} PRIVATE ${ARG_LINK} GTest::gmock)
    if(ARG_QT)
        braid_use_qt(${NAME})
        target_link_libraries(${NAME} PRIVATE Qt6::Test GTest::gtest)
        list(APPEND ARG_ENVIRONMENT "QT_QPA_PLATFORM=offscreen")
    else()
        target_link_libraries(${NAME} PRIVATE GTest::gtest_main)
    endif()
    set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    list(APPEND ARG_ENVIRONMENT ${braid_test_environment})
    if(ARG_WHOLE)
        # One process for the whole file: where starting the process costs more than the tests.
        add_test(NAME ${NAME} COMMAND ${NAME})
        # What may take longest begins first.
        set_tests_properties(${NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
            ENVIRONMENT "${ARG_ENVIRONMENT}" RUN_SERIAL "${ARG_SERIAL}")
    else()
        # gtest_discover_tests() flattens lists: a test that needs more than the folder of the sources is WHOLE, and a
        # property without a value would take the next one's name for it.
        if(ARG_QT OR ARG_TORCH)
            message(FATAL_ERROR "braid_test(${NAME}): Qt and Torch tests are WHOLE")
        endif()
        set(labels "")
        if(ARG_LABELS)
            set(labels LABELS "${ARG_LABELS}")
        endif()
        gtest_discover_tests(${NAME} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES
            TIMEOUT ${ARG_TIMEOUT} ${labels} RUN_SERIAL "${ARG_SERIAL}"
            ENVIRONMENT "BRAID_SOURCE_DIR=${CMAKE_SOURCE_DIR}")
    endif()
endfunction()

# braid_script_test(NAME SCRIPT [TIMEOUT s] [LABELS ...] [ARGS ...] [SERIAL])
# declares one CTest of a Python script in the current folder; it finds the build in $BRAID_BINARY_DIR.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(braid_script_test NAME SCRIPT)
    cmake_parse_arguments(ARG "SERIAL" "TIMEOUT" "LABELS;ARGS" ${ARGN})
    add_test(NAME ${NAME} COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/${SCRIPT}" ${ARG_ARGS})
    set_tests_properties(${NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
        ENVIRONMENT "${braid_test_environment};PYTHONDONTWRITEBYTECODE=1")
    if(ARG_SERIAL)
        set_tests_properties(${NAME} PROPERTIES RUN_SERIAL TRUE)
    endif()
endfunction()
