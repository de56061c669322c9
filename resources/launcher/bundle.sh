# shellcheck shell=bash
# What goes to other machines: a bundle and a Debian package.
#
# The bundle is a relocatable engine: bin/braid-engine (a script that finds LibTorch), lib/braid/ with the program, the
# CUDA plugin and every library that a plain host does not have.

readonly BUNDLE_LIMIT=$((64 << 20))

# Libraries the host has to bring: glibc, and the C++ runtime that its own LibTorch needs as well.
is_host_library() {
    case "$1" in
        linux-vdso.so.* | ld-linux-x86-64.so.* | libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libutil.so.*) return 0 ;;
        libstdc++.so.* | libgcc_s.so.*) return 0 ;;
        # LibTorch's wheel and its neighbours bring these; a CUDA toolkit here must not be packed (1 GB).
        libtorch* | libc10* | libgomp.so.* | libcu* | libnv* | libnccl*) return 0 ;;
        *) return 1 ;;
    esac
}

# bundled_libraries FILE... -> paths of the libraries to pack
bundled_libraries() {
    local name path torch
    torch="$(realpath -- "$TORCH_DIR")"
    while read -r name path; do
        is_host_library "$name" && continue
        [[ "$(realpath -- "$path")" == "$torch"/* ]] || printf '%s\n' "$path"
    done < <(LD_LIBRARY_PATH="$TORCH_DIR/torch/lib" ldd -- "$@" | awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' | sort -u)
}

# The newest glibc version that any of the files asks for.
needed_glibc() { objdump -T -- "$@" 2>/dev/null | grep -o 'GLIBC_2\.[0-9]*' | sort -V | tail -n 1 | cut -d_ -f2; }

make_bundle() {
    local out="" version name stage library size
    local -a binaries packed
    while (($# > 0)); do
        case "$1" in
            --out)
                [[ -n "${2-}" ]] || fail_usage "--out: give a file name"
                out="$2"
                shift 2
                ;;
            --out=*)
                out="${1#--out=}"
                shift
                ;;
            *) fail_usage "bundle: unknown argument '$1' (known: --out FILE)" ;;
        esac
    done
    ensure_packages build bundle
    build_programs
    version="$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$BRAID_BUILD/CMakeCache.txt")"
    name="braid-engine-$version-x86_64"
    out="$(realpath -m -- "${out:-$BRAID_SOURCE/dist/$name.tar.gz}")"
    stage="$(mktemp -d)"
    # shellcheck disable=SC2064  # the folder of now
    trap "rm -rf -- '$stage'" EXIT

    local root="$stage/$name"
    cmake --install "$BRAID_BUILD" --prefix "$root" --component engine >/dev/null
    mapfile -t binaries < <(find "$root/lib/braid" -type f)
    bundled_libraries "${binaries[@]}" >"$stage/libraries.txt"
    while read -r library; do
        install -m 644 -- "$library" "$root/lib/braid/$(basename -- "$library")"
    done <"$stage/libraries.txt"
    mapfile -t packed < <(find "$root/lib/braid" -type f)
    strip --strip-unneeded -- "${packed[@]}"
    cp -- "$BRAID_SOURCE/LICENSE" "$root"

    "$root/bin/braid-engine" --torch "$TORCH_DIR" --help >/dev/null ||
        fail "the packed engine does not start; nothing was written"
    mkdir -p -- "$(dirname -- "$out")"
    tar -C "$stage" --owner=0 --group=0 --numeric-owner -cz -f "$out.part" -- "$name"
    size="$(stat -c %s -- "$out.part")"
    ((size < BUNDLE_LIMIT)) || fail "the bundle takes $(human "$size"), more than 64 MiB; see $out.part"
    mv -- "$out.part" "$out"
    say "Needs: x86-64, glibc >= $(needed_glibc "${packed[@]}"), a PyTorch $TORCH_VERSION wheel (--torch DIR," \
        "BRAID_TORCH_DIR, or one that python3 finds)."
    printf '%s (%s)\n' "$out" "$(human "$size")"
}

# A Debian package; its dependencies come from the libraries that the programs were linked with.
make_deb() {
    local log="$BRAID_BUILD/package.log" package
    (($# == 0)) || fail_usage "deb: takes no arguments, got '$1'"
    ensure_packages build bundle
    build_programs
    if ! (cd -- "$BRAID_BUILD" && cpack) >"$log" 2>&1; then
        tail -n 20 -- "$log" >&2
        fail "the package could not be made (all of it: $log)"
    fi
    package="$(sed -n 's/^CPack: - package: \(.*\) generated\.$/\1/p' "$log")"
    say "Install it with: apt-get install $package"
    printf '%s (%s)\n' "$package" "$(human "$(stat -c %s -- "$package")")"
}
