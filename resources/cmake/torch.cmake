# LibTorch as one imported target. TorchConfig.cmake is not used: it demands a CUDA toolkit.
if(NOT BRAID_TORCH_DIR)
    set(cache_home "$ENV{XDG_CACHE_HOME}")
    if(NOT cache_home)
        set(cache_home "$ENV{HOME}/.cache")
    endif()
    set(BRAID_TORCH_DIR "${cache_home}/braid/torch-2.11.0-cu130")
endif()
if(NOT EXISTS "${BRAID_TORCH_DIR}/torch/lib/libtorch_cpu.so")
    message(FATAL_ERROR "No LibTorch in ${BRAID_TORCH_DIR}. ./braid installs it, or give "
                        "-DBRAID_TORCH_DIR=DIR, the folder that holds torch/ of a PyTorch 2.11 wheel.")
endif()
set(BRAID_TORCH_LIB "${BRAID_TORCH_DIR}/torch/lib")

add_library(torch_headers INTERFACE)
# -idirafter: torch ships fmt and protobuf headers that must not shadow Debian's.
target_compile_options(torch_headers INTERFACE
    "SHELL:-idirafter ${BRAID_TORCH_DIR}/torch/include"
    "SHELL:-idirafter ${BRAID_TORCH_DIR}/torch/include/torch/csrc/api/include"
    -Wno-pedantic)
# ATen headers then include the operations they need instead of all of them.
target_compile_definitions(torch_headers INTERFACE AT_PER_OPERATOR_HEADERS)

add_library(torch_cpu INTERFACE)
target_link_libraries(torch_cpu INTERFACE torch_headers
    "${BRAID_TORCH_LIB}/libtorch_cpu.so" "${BRAID_TORCH_LIB}/libc10.so")
# CMake itself adds the run path to torch/lib in the build tree, and takes it out when installing.
target_link_options(torch_cpu INTERFACE -Wl,--allow-shlib-undefined)

add_library(torch_cuda INTERFACE)
target_link_libraries(torch_cuda INTERFACE torch_cpu
    "${BRAID_TORCH_LIB}/libtorch_cuda.so" "${BRAID_TORCH_LIB}/libc10_cuda.so")

function(braid_use_torch TARGET)
    target_link_libraries(${TARGET} PRIVATE torch_cpu)
    # A file that includes it takes about 5 s to parse it otherwise.
    braid_precompile(${TARGET} <ATen/core/Tensor.h>)
endfunction()
