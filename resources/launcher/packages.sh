# shellcheck shell=bash
# Debian packages: which of packages.txt are missing, and how they get installed.

# package_names GROUP... -> one name a line
package_names() {
    local group name wanted=" $* "
    while read -r group name; do
        [[ "$wanted" == *" $group "* ]] && printf '%s\n' "$name"
    done <"$BRAID_LAUNCHER/packages.txt"
    return 0
}

missing_packages() {
    local -A installed=()
    local -a names
    local name state
    mapfile -t names < <(package_names "$@")
    while read -r name state; do
        [[ "$state" == ?i ]] && installed[$name]=1
    done < <(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "${names[@]}" 2>/dev/null)
    for name in "${names[@]}"; do
        [[ -n "${installed[$name]:-}" ]] || printf '%s\n' "$name"
    done
}

# apt_install PREFIX NAME...: PREFIX is "" or "sudo -n".
apt_install() {
    local prefix="$1" lists
    shift
    local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0)
    [[ -z "$prefix" ]] || apt=(sudo -n "${apt[@]}")
    local -a install=("${apt[@]}" install --no-install-recommends -y -- "$@")
    # A new machine has no package lists and an old one has stale ones; either way one update cures it.
    lists="$(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -mtime -7 -print -quit 2>/dev/null || true)"
    if [[ -n "$lists" ]] && "${install[@]}" >&2; then return 0; fi
    "${apt[@]}" update >&2 && "${install[@]}" >&2
}

# ensure_packages GROUP...: returns at once where nothing is missing.
ensure_packages() {
    [[ "${BRAID_NO_PACKAGES:-}" != 1 ]] || return 0
    local -a missing
    local command
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "Braid needs these, by their Debian 12 names:"
        package_names "$@" | fmt -w 100 >&2
        fail "this system has no apt-get, so install them its own way, then run" \
            "BRAID_NO_PACKAGES=1 ./braid ..."
    fi
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} > 0)) || return 0
    command="apt-get install --no-install-recommends -y ${missing[*]}"
    if ((EUID == 0)); then
        say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
        apt_install "" "${missing[@]}" || fail_packages "$command"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        say "Installing ${#missing[@]} Debian packages with sudo: ${missing[*]}"
        apt_install sudo "${missing[@]}" || fail_packages "sudo $command"
    else
        say "${#missing[@]} Debian packages are missing. As root, run"
        say ""
        say "    $command"
        say ""
        say "and then ./braid again. (If apt-get does not know a name, run 'apt-get update' first.)"
        exit 1
    fi
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} == 0)) || fail "apt-get succeeded, yet these are still missing: ${missing[*]}"
}

fail_packages() {
    say ""
    fail "the Debian packages could not be installed; apt-get's reason is above. Without network nothing" \
        "can be fetched; a broken mirror or a full disk shows there too. Once cured, run ./braid again, or" \
        "install them yourself: $1"
}
