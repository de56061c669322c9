#!/bin/sh
# Starts braid-engine with a LibTorch that is already on this machine.
# usage: braid-engine [--torch DIR] ARGS...     DIR: the folder that holds torch/ of a PyTorch 2.11 wheel
set -u

self=$(readlink -f -- "$0")
home=$(dirname -- "$(dirname -- "$self")")/lib/braid
wanted=2.11.0

holds_torch() { [ -n "$1" ] && [ -e "$1/torch/lib/libtorch_cpu.so" ]; }

has_wanted_version() { grep -qs "^__version__ = '$wanted" "$1/torch/version.py"; }

# Where python3 would import torch from; nothing is imported.
python_torch() {
    command -v python3 >/dev/null 2>&1 || return 0
    python3 -c 'import importlib.util as u, os
spec = u.find_spec("torch")
if spec and spec.origin: print(os.path.dirname(os.path.dirname(spec.origin)))' 2>/dev/null
}

torch=
case "${1-}" in
    --torch)
        [ $# -ge 2 ] || { echo "braid-engine: --torch: give a folder" >&2; exit 2; }
        torch=$2
        shift 2
        ;;
    --torch=*)
        torch=${1#--torch=}
        shift
        ;;
esac

if [ -n "$torch" ]; then
    case "$torch" in */torch) holds_torch "$torch" || torch=$(dirname -- "$torch") ;; esac
    holds_torch "$torch" || { echo "braid-engine: --torch $torch: no torch/lib/libtorch_cpu.so in it" >&2; exit 1; }
elif [ -n "${BRAID_TORCH_DIR:-}" ]; then
    torch=$BRAID_TORCH_DIR
    holds_torch "$torch" || { echo "braid-engine: BRAID_TORCH_DIR=$torch: no torch/lib/libtorch_cpu.so in it" >&2; exit 1; }
else
    torch=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/braid/torch-$wanted-cu130
    holds_torch "$torch" || torch=$(python_torch)
    holds_torch "$torch" || {
        if [ -x "${self%/*}/braid-libtorch" ]; then
            remedy="Fetch it with braid-libtorch (0.5 GB, once per user)"
        else
            remedy="Install it (pip install torch==$wanted)"
        fi
        # Records can be read without it; for all else the program says this.
        export BRAID_NO_LIBTORCH="no PyTorch $wanted for this user. $remedy, or name the folder that holds torch/ with --torch DIR or BRAID_TORCH_DIR"
        LD_LIBRARY_PATH=$home${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$home/braid-engine" "$@"
    }
fi
has_wanted_version "$torch" || {
    echo "braid-engine: $torch holds PyTorch $(sed -n "s/^__version__ = '\(.*\)'/\1/p" "$torch/torch/version.py" 2>/dev/null)," >&2
    echo "this engine needs $wanted" >&2
    exit 1
}

path=$home:$torch/torch/lib
for neighbour in "$torch"/nvidia/*/lib; do
    [ ! -d "$neighbour" ] || path=$path:$neighbour
done
LD_LIBRARY_PATH=$path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$home/braid-engine" "$@"
