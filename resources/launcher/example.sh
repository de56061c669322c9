# shellcheck shell=bash
# The example study without a window: train, draw, say where things are.

# example_project [--project DIR | DIR]
example_project() {
    local project="${XDG_DATA_HOME:-$HOME/.local/share}/braid/projects/laziness"
    while (($# > 0)); do
        case "$1" in
            --project)
                [[ -n "${2-}" ]] || fail_usage "--project: give a folder"
                project="$2"
                shift 2
                ;;
            --project=*)
                project="${1#--project=}"
                shift
                ;;
            -*) fail_usage "example: unknown option '$1' (known: --project DIR)" ;;
            *)
                project="$1"
                shift
                ;;
        esac
    done
    realpath -m -- "$project"
}

# A copy, so that the source tree stays clean; an existing one is kept with its runs.
copy_example() {
    local project="$1"
    [[ ! -e "$project/project.json" ]] || return 0
    if [[ -d "$project" && -n "$(ls -A -- "$project")" ]]; then
        fail "$project is neither empty nor a Braid project; give another folder with --project DIR"
    fi
    mkdir -p -- "$(dirname -- "$project")"
    rm -rf -- "$project.part"
    cp -r -- "$BRAID_SOURCE/projects/laziness" "$project.part"
    rm -rf -- "$project.part/runs" "$project.part"/index.db*  # of somebody who opened it in place
    [[ ! -d "$project" ]] || rmdir -- "$project"
    mv -- "$project.part" "$project"
}

run_example() {
    local project figure format out status=0
    project="$(example_project "$@")" || exit $?
    build_programs
    copy_example "$project"
    "$BRAID_BUILD/bin/braid-engine" study run laziness --project "$project" || status=$?
    if ((status == 130)); then
        say "Interrupted; finished runs and checkpoints are kept. Run the same command again to go on."
        exit 130
    fi
    ((status == 0)) || fail "the study did not finish (exit code $status). Its runs are in $project/runs;" \
        "run the same command again to go on."
    out="$project/figures/exported"
    mkdir -p -- "$out"
    say ""
    for figure in far-recall tokens-to-0.9; do
        for format in pdf svg png; do
            "$BRAID_BUILD/bin/braid" figure "$figure" --project "$project" --out "$out/$figure.$format" >/dev/null
        done
    done
    printf 'Figures:  %s\n' "$out"/*.{pdf,svg,png}
    printf 'Runs:     %s\n' "$project/runs"
    printf 'Window:   ./braid %q\n' "$project"
}
