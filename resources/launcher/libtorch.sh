# shellcheck shell=bash
# LibTorch: a per-user cache keyed by version, filled from PyPI wheels with fixed hashes.
#
# DIR/torch, DIR/nvidia      as pip unpacks the wheels
# DIR/.braid/SET.sizes       "size path" of every library of a set, written last: the set is complete. A set is
#                            one requirements file: libtorch, and libtorch-cuda where there is a GPU.
# DIR.lock, DIR.part         one launcher at a time fills DIR.part, then moves it into place

readonly TORCH_VERSION=2.11.0
TORCH_CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/braid/torch-$TORCH_VERSION-cu130"
TORCH_DIR="$(realpath -m -- "${BRAID_TORCH_DIR:-$TORCH_CACHE}")"
readonly TORCH_CACHE TORCH_DIR

requirements() { printf '%s/%s.txt' "$BRAID_LAUNCHER" "$1"; }

has_nvidia_driver() {
    case "${BRAID_GPU:-auto}" in
        yes) return 0 ;;
        no) return 1 ;;
        *) [[ -e /proc/driver/nvidia/version || -e /dev/nvidiactl || -e /dev/dxg ]] ;;
    esac
}

# set_is_complete SET: every library recorded for the set is there with its size (a few milliseconds).
set_is_complete() {
    local record="$TORCH_DIR/.braid/$1.sizes"
    [[ -s "$record" ]] || return 1
    # shellcheck disable=SC2016  # expanded by the inner shell
    cut -d' ' -f2- "$record" | (cd -- "$TORCH_DIR" && xargs -d '\n' stat -c '%s %n' 2>/dev/null) | cmp -s - "$record"
}

# verify_set SET: compares every file with the wheels' own record; writes the sizes record if all is well.
verify_set() {
    local record="$TORCH_DIR/.braid/$1.sizes"
    mkdir -p -- "$TORCH_DIR/.braid"
    "$(system_python)" "$BRAID_LAUNCHER/verify_wheels.py" "$TORCH_DIR" "$(requirements "$1")" \
        >"$record.part" || {
        rm -f -- "$record.part"
        return 1
    }
    mv -- "$record.part" "$record"
}

system_python() {
    local python
    for python in /usr/bin/python3 python3; do
        if "$python" -m pip --version >/dev/null 2>&1; then
            printf '%s' "$python"
            return 0
        fi
    done
    fail "no python3 with pip: install python3 and python3-pip (needed to fetch LibTorch)"
}

# Sums of a set's downloads and of its files, from the numbers noted in its requirements file.
set_download_bytes() { awk '/#/ && /==/ {sum += $(NF-1)} END {printf "%d", sum}' "$(requirements "$1")"; }
set_disk_bytes() { awk '/#/ && /==/ {sum += $NF} END {printf "%d", sum}' "$(requirements "$1")"; }

readonly BUILD_BYTES=2500000000 # what building and testing the tree takes beside LibTorch

check_space() {
    local needed="$1" free
    mkdir -p -- "$(dirname -- "$TORCH_CACHE")" || fail "cannot make $(dirname -- "$TORCH_CACHE")," \
        "the folder for LibTorch: set XDG_CACHE_HOME to a folder you may write to"
    if [[ -n "$BRAID_BUILD" && ! -e "$BRAID_BUILD/bin" &&
        "$(file_system_of "$TORCH_CACHE")" == "$(file_system_of "$BRAID_BUILD")" ]]; then
        needed=$((needed + BUILD_BYTES))
    fi
    free="$(free_bytes "$TORCH_CACHE")"
    ((free >= needed)) || fail "not enough space: fetching LibTorch (and building) needs $(human "$needed")," \
        "the file system of $(tilde "$TORCH_CACHE") has $(human "$free") left. Make room, or set" \
        "XDG_CACHE_HOME to a folder with more, and try again."
}

# pip_for_wheels VERB ARGS...: pip, told to take exactly the wheels of a requirements file whatever Python runs it.
pip_for_wheels() {
    local verb="$1" glibc python
    local -a platforms=()
    shift
    python="$(system_python)" || exit 1
    for glibc in 2_28 2_27 2_25 2_18 2_17 2_12 2_5; do platforms+=(--platform "manylinux_${glibc}_x86_64"); done
    for glibc in 2014 2010 1; do platforms+=(--platform "manylinux${glibc}_x86_64"); done
    PIP_USER=no PIP_REQUIRE_VIRTUALENV=no PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
        "$python" -m pip "$verb" --no-deps --only-binary=:all: --require-hashes --no-cache-dir --retries 2 \
        --python-version 3.11 --implementation cp --abi cp311 "${platforms[@]}" "$@" >&2
}

# fetch_wheels DIR: the wheels for a machine without network; all sets, since that machine may have a GPU.
fetch_wheels() {
    local set
    [[ -n "${1-}" ]] || fail_usage "wheels: give the folder to put the wheels into"
    for set in libtorch libtorch-cuda; do
        say "Downloading $(human "$(set_download_bytes "$set")") ($set) into $1"
        pip_for_wheels download --progress-bar on -d "$1" -r "$(requirements "$set")" || fail "pip failed; its reason is above"
    done
}

# fetch_set SET: downloads, checks the hashes, unpacks beside the cache, then moves it into place.
fetch_set() {
    local part="$TORCH_CACHE.part" download disk
    download="$(set_download_bytes "$1")"
    disk="$(set_disk_bytes "$1")"
    # pip keeps the wheels until all are unpacked
    check_space $((download + disk + 100000000))
    say "Fetching LibTorch $TORCH_VERSION ($1), once per user: $(human "$download") to download," \
        "$(human "$disk") on disk, into $(tilde "$TORCH_CACHE")"
    rm -rf -- "$part"
    mkdir -p -- "$part/tmp" || fail "cannot write to $(dirname -- "$TORCH_CACHE")"
    local -a source=()
    [[ -z "${BRAID_WHEELS:-}" ]] || source=(--no-index --find-links "$BRAID_WHEELS")
    if ! TMPDIR="$part/tmp" pip_for_wheels install --progress-bar on --target "$part/new" --no-compile \
        "${source[@]}" -r "$(requirements "$1")"; then
        rm -rf -- "$part"
        say ""
        say "braid: LibTorch could not be fetched; pip's reason is above. Nothing is half done. To go on:"
        say "  - with network: run ./braid again;"
        say "  - without: on a machine with network run './braid wheels DIR' in a copy of this tree, bring DIR here,"
        say "    and run BRAID_WHEELS=DIR ./braid;"
        say "  - or, with the folder that holds torch/ of a PyTorch $TORCH_VERSION wheel: BRAID_TORCH_DIR=DIR ./braid"
        exit 1
    fi
    if [[ -e "$TORCH_CACHE" ]]; then
        # Repair, or new neighbours. Links replace files one by one, so that a running engine keeps its own.
        rm -f -- "$TORCH_CACHE/.braid/$1.sizes"
        cp -rlf -- "$part/new/." "$TORCH_CACHE/" || fail "could not repair $(tilde "$TORCH_CACHE")"
    else
        mv -- "$part/new" "$TORCH_CACHE" || fail "could not make $(tilde "$TORCH_CACHE")"
    fi
    rm -rf -- "$part"
    verify_set "$1" || fail "LibTorch does not match its own record right after it was fetched: is the disk" \
        "of $(tilde "$TORCH_CACHE") sound?"
}

# ensure_set SET: adopts what is there if it is sound, fetches it otherwise. Holds the lock.
ensure_set() {
    set_is_complete "$1" && return 0 # another launcher has just done it
    if [[ -e "$TORCH_CACHE" && -d "$TORCH_CACHE/torch" ]]; then
        if [[ -e "$TORCH_CACHE/.braid/$1.sizes" ]]; then
            say "The LibTorch cache is damaged; checking every file of $1:"
            verify_set "$1" && return 0
        elif [[ "$1" == libtorch ]]; then
            say "Found LibTorch in $(tilde "$TORCH_CACHE"); checking it once:"
            verify_set "$1" && return 0
        # Neighbours somebody put there by hand are welcome; that they are missing is no news.
        elif verify_set "$1" 2>/dev/null; then
            return 0
        fi
    fi
    fetch_set "$1"
}

ensure_libtorch() {
    local -a sets=(libtorch)
    local set
    if [[ -n "${BRAID_TORCH_DIR:-}" ]]; then
        [[ -e "$TORCH_DIR/torch/lib/libtorch_cpu.so" && -e "$TORCH_DIR/torch/include/ATen/ATen.h" ]] ||
            fail "BRAID_TORCH_DIR=$TORCH_DIR does not hold torch/lib/libtorch_cpu.so and torch/include:" \
                "give the folder that holds torch/ (a site-packages) of a PyTorch $TORCH_VERSION wheel"
        grep -qs "^__version__ = '$TORCH_VERSION" "$TORCH_DIR/torch/version.py" ||
            fail "BRAID_TORCH_DIR=$TORCH_DIR is not PyTorch $TORCH_VERSION: $(grep -s ^__version__ "$TORCH_DIR/torch/version.py")"
        return 0
    fi
    ! has_nvidia_driver || sets+=(libtorch-cuda)
    for set in "${sets[@]}"; do
        set_is_complete "$set" && continue
        mkdir -p -- "$(dirname -- "$TORCH_CACHE")" || fail "cannot make $(dirname -- "$TORCH_CACHE"):" \
            "set XDG_CACHE_HOME to a folder you may write to"
        true 2>/dev/null >>"$TORCH_CACHE.lock" || fail "cannot write to $(dirname -- "$TORCH_CACHE"):" \
            "set XDG_CACHE_HOME to a folder you may write to"
        (
            flock -n 9 || {
                say "Another launcher is fetching LibTorch; waiting for it."
                flock 9
            }
            ensure_set "$set"
        ) 9>"$TORCH_CACHE.lock" || exit $?
    done
}
