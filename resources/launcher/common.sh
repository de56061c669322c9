# shellcheck shell=bash
# Messages and small questions. Everything the launcher says goes to stderr: stdout belongs to the programs.

say() { printf '%s\n' "$*" >&2; }

fail() {
    printf 'braid: %s\n' "$*" >&2
    exit 1
}

fail_usage() {
    printf 'braid: %s\n' "$*" >&2
    exit 2
}

# human BYTES -> "1.2 GB"
human() {
    if (($1 >= 1000000000)); then
        printf '%d.%d GB' $(($1 / 1000000000)) $(($1 / 100000000 % 10))
    else
        printf '%d MB' $((($1 + 999999) / 1000000))
    fi
}

# The nearest existing folder at or above a path.
existing_parent() {
    local path="$1"
    while [[ ! -d "$path" ]]; do path="$(dirname -- "$path")"; done
    printf '%s' "$path"
}

free_bytes() { df --output=avail -B1 -- "$(existing_parent "$1")" | tail -n 1; }

file_system_of() { stat -c %d -- "$(existing_parent "$1")"; }

tilde() {
    # shellcheck disable=SC2088  # shown to a person, not expanded
    case "$1" in
        "${HOME:-/nonexistent}"/*) printf '~/%s' "${1#"$HOME"/}" ;;
        *) printf '%s' "$1" ;;
    esac
}

# HOME can be missing under cron, CI runners and containers.
if [[ -z "${HOME:-}" ]]; then
    HOME="$(getent passwd "$(id -u)" | cut -d: -f6)"
    export HOME
fi
