# shellcheck shell=bash
# Configure, build, test, clean.

# ccache finds its entries from any clone of this tree, also for the precompiled headers.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$BRAID_SOURCE}"
export CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}"

find_nvcc() {
    local nvcc
    for nvcc in "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
        if [[ -n "$nvcc" && -x "$nvcc" ]]; then
            printf '%s' "$nvcc"
            return
        fi
    done
}

# A file that uses LibTorch takes 1.3 GB to compile: as many jobs as processors, but no more than memory holds.
build_jobs() {
    local available jobs
    available="$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)"
    jobs=$((available / 1500000))
    ((jobs <= $(nproc))) || jobs="$(nproc)"
    ((jobs >= 1)) || jobs=1
    printf '%d' "${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}"
}

# What configuring depends on besides the tree itself; ninja notices changes of the tree.
configuration() { printf 'libtorch %s\nnvcc %s\n' "$TORCH_DIR" "$(find_nvcc)"; }

configure() {
    local wanted nvcc record="$BRAID_BUILD/launcher-configuration.txt"
    wanted="$(configuration)"
    [[ ! -e "$BRAID_BUILD/build.ninja" || "$(cat -- "$record" 2>/dev/null)" != "$wanted" ]] || return 0
    nvcc="$(find_nvcc)"
    rm -f -- "$record" "$BRAID_BUILD/CMakeCache.txt"
    say "Configuring ${BRAID_BUILD#"$BRAID_SOURCE"/}"
    if ! (cd -- "$BRAID_SOURCE" && CUDACXX="${CUDACXX:-$nvcc}" cmake --preset release \
        ${BRAID_TORCH_DIR:+"-DBRAID_TORCH_DIR=$TORCH_DIR"}) >"$BRAID_BUILD/configure.log" 2>&1; then
        tail -n 40 -- "$BRAID_BUILD/configure.log" >&2
        fail "the build could not be configured (all of it: $BRAID_BUILD/configure.log)"
    fi
    printf '%s\n' "$wanted" >"$record"
}

# A build of the same targets, from the same commit, with the same surroundings, since which no file has changed,
# need not be asked about: asking ninja takes longer and always prints something.
build_state() {
    printf '%s\n' "$*"
    git -C "$BRAID_SOURCE" rev-parse HEAD 2>/dev/null || true
    configuration
    stat -c %Y /var/lib/dpkg/status 2>/dev/null || true
}

built_stamp() { printf '%s/launcher-built-%s.txt' "$BRAID_BUILD" "${*//[^A-Za-z0-9_.-]/_}"; }

is_built() {
    local stamp changed
    stamp="$(built_stamp "$*")"
    [[ -e "$stamp" && "$(cat -- "$stamp")" == "$(build_state "$@")" ]] || return 1
    # By change time: an older file may have been moved here.
    changed="$(find "$BRAID_SOURCE" -path "$BRAID_SOURCE/build" -prune -o -path "$BRAID_SOURCE/.git" -prune \
        -o -path "$BRAID_SOURCE/dist" -prune -o -cnewer "$stamp" -print -quit)"
    [[ -z "$changed" ]]
}

# build TARGET...: silent where nothing is to be done.
build() {
    local stamp
    stamp="$(built_stamp "$*")"
    is_built "$@" && return 0
    { mkdir -p -- "$BRAID_BUILD" && true >>"$BRAID_BUILD/launcher.lock"; } 2>/dev/null ||
        fail "cannot write to $BRAID_BUILD: build in a clone of your own"
    configure
    (
        flock -n 9 || {
            say "Another launcher is building; waiting for it."
            flock 9
        }
        build_state "$@" >"$stamp.part"
        say "Building ($(build_jobs) jobs at a time)"
        # No errexit here, in a command that is tested with ||.
        ninja -C "$BRAID_BUILD" -j "$(build_jobs)" "$@" >&2 && mv -- "$stamp.part" "$stamp"
    ) 9>"$BRAID_BUILD/launcher.lock" || fail "the build failed; the first error is above"
}

build_targets() {
    ensure_packages build
    ensure_libtorch
    if (($# > 0)); then build "$@"; else build programs; fi
}

build_programs() { build_targets programs; }

# run_tests CTEST-ARGS...: the quick ones first, so that a broken value type shows before a training run starts.
run_tests() {
    local -a ctest=(ctest --test-dir "$BRAID_BUILD" --output-on-failure --no-tests=error -j "$(nproc)")
    # Window tests need a display of a known size, whatever the developer's own is.
    local -a display=(xvfb-run -a -s "-screen 0 1600x1000x24")
    ensure_packages build test
    ensure_libtorch
    build all
    if (($# > 0)); then
        exec "${display[@]}" "${ctest[@]}" "$@"
    fi
    "${display[@]}" "${ctest[@]}" -L quick || fail "quick tests failed; the others were not run"
    # Several of the others wait more than they compute: for Slurm's timers, for processes that are killed.
    exec "${display[@]}" "${ctest[@]}" -LE quick -j "$(( $(nproc) + 1 ))"
}

clean() {
    case "${1-}" in
        "") rm -rf -- "$BRAID_SOURCE/build" ;;
        --libtorch)
            rm -rf -- "$BRAID_SOURCE/build" "$TORCH_CACHE" "$TORCH_CACHE.part"
            say "Removed build/ and $(tilde "$TORCH_CACHE")"
            ;;
        *) fail_usage "clean: unknown option '$1' (known: --libtorch)" ;;
    esac
}
