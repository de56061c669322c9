#!/bin/bash
# Fetches LibTorch into the user's cache, for an installed Braid. A source tree has ./braid for this.
# usage: braid-libtorch          BRAID_WHEELS=DIR, BRAID_GPU=yes|no and XDG_CACHE_HOME as for ./braid
set -euo pipefail

case "${1-}" in
    "") ;;
    *)
        sed -n '2,3s/^# //p' -- "${BASH_SOURCE[0]}"
        [[ "$1" == -h || "$1" == --help ]]
        exit
        ;;
esac

BRAID_LAUNCHER="$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")/share/braid/launcher"
BRAID_BUILD=""
# shellcheck disable=SC2034  # used by libtorch.sh
readonly BRAID_LAUNCHER BRAID_BUILD
for part in common libtorch; do
    # shellcheck source=/dev/null
    source "$BRAID_LAUNCHER/$part.sh"
done

ensure_libtorch
printf '%s\n' "$TORCH_DIR"
