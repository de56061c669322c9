#!/bin/bash
# Makes the pictures of README.md anew, from real runs:
#
#   resources/screenshots/remake.sh BUILD_BIN WORK_FOLDER
#
# BUILD_BIN holds braid and braid-engine. WORK_FOLDER gets three projects, which are trained where they do not
# exist yet (about twenty-five minutes on two cores). Needs xvfb, xdotool and imagemagick.
set -e
bin=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
engine="$bin/braid-engine"

# The example study.
if [ ! -d "$work/laziness" ]; then
    cp -r "$here/../../projects/laziness" "$work/laziness"
    "$engine" study run laziness --project "$work/laziness"
fi

# The same with five seeds, investigated.
if [ ! -d "$work/five-seeds" ]; then
    cp -r "$here/../../projects/laziness" "$work/five-seeds"
    "$engine" study run laziness --seeds 1-5 --project "$work/five-seeds"
fi
"$engine" study investigate laziness --project "$work/five-seeds"

# Four hybrids on needles, scored within and beyond the context they were trained with.
if [ ! -d "$work/needles" ]; then
    mkdir -p "$work/needles/architectures"
    echo '{"schema_version": 1, "title": "Needles"}' > "$work/needles/project.json"
    python3 - "$work/needles/architectures/all-five.json" <<'ARCHITECTURE'
import json, sys
mixers = [{"mixer": "full"}, {"mixer": "swa", "window": 512}, {"mixer": "lightning"}, {"mixer": "mamba2"}, {"mixer": "gdn"}]
layers = [{"id": i + 1, **mixers[i % 5]} for i in range(10)]
json.dump({"schema_version": 1, "name": "all-five", "d_model": 384, "ffn_width": 960, "head_dim": 64, "heads": 6,
           "kv_heads": 2, "vocab": 73448, "layers": layers}, open(sys.argv[1], "w"), indent=2)
ARCHITECTURE
    while IFS='|' read -r pattern name; do
        "$engine" train "$pattern" --scale tiny --data niah --tokens 3M --set trace_checkpoints=40 --name "$name" --project "$work/needles" --quiet
    done <<'RUNS'
FS[w=16] x2|full and window 16
S[w=16] x4|window 16 alone
LS[w=16] x2|Lightning and window 16
GS[w=16] x2|Gated DeltaNet and window 16
RUNS
    for run in "$work"/needles/runs/*; do
        "$engine" eval niah "$(basename "$run")" --lengths 64,96,128,192,256 --depths 6 --samples 20 \
            --project "$work/needles" --quiet
        for kind in probe gradient restrict; do
            "$engine" measure "$kind" "$(basename "$run")" --project "$work/needles" --quiet
        done
        for kind in heads trace entropy; do  # refused without heads of full attention
            "$engine" measure "$kind" "$(basename "$run")" --project "$work/needles" --quiet || [ $? = 2 ]
        done
        "$engine" capture "$(basename "$run")" --project "$work/needles"
    done
fi

# picture NAME PROJECT THEME WORKSPACE ["X Y" ...]: the window of 1440x900 after these clicks.
picture() {
    local name=$1
    shift
    out="$here/$name.png" bin="$bin" xvfb-run -a -s "-screen 0 1440x900x24" bash -s "$@" <<'INNER'
project=$1 theme=$2 workspace=$3
shift 3
"$bin/braid" --project "$project" --theme "$theme" --workspace "$workspace" --size 1440x900 --safe-mode &
window=$!
sleep 6
for place in "$@"; do
    xdotool mousemove "${place% *}" "${place#* }" click 1
    sleep 1.5
done
xdotool mousemove 720 895
sleep 1
import -window root "$out"
kill "$window"
INNER
    # The needle map keeps all its shades.
    local colours=(-dither None -colors 250)
    [ "$name" != scores ] || colours=()
    local part=1440x900+0+0
    [ "$name" != runs-by-scores ] || part=1440x270+0+0
    convert "$here/$name.png" -crop "$part" +repage -strip "${colours[@]}" -define png:compression-level=9 "$here/$name.png"
}

picture study "$work/laziness" light train "130 112"
picture study-dark "$work/laziness" dark train "130 112"
picture design "$work/needles" light design "130 112"
picture scores "$work/needles" light train "493 53" "420 249"
picture runs-by-scores "$work/needles" light train "400 53" "1423 53"
picture probe "$work/needles" light probe
picture investigate "$work/five-seeds" light train "655 53"
"$bin/braid" figure far-recall --project "$work/laziness" --size single --out "$here/far-recall.png" --no-data

# Speeds that were measured on a GPU machine; growth.json says by which command.
mkdir -p "$work/growth/figures"
cp "$here/growth.json" "$work/growth"
echo '{"schema_version": 1, "title": "Growth"}' > "$work/growth/project.json"
cat > "$work/growth/figures/growth.json" <<'FIGURE'
{"schema_version": 1, "kind": "growth", "title": "Speed of a training step", "source": {"growth": "growth.json"},
 "panels": [{"metric": "tokens_per_s/context"}, {"metric": "tokens_per_s/parameters"}]}
FIGURE
"$bin/braid" figure growth --project "$work/growth" --size double --font-pt 6 --out "$here/growth.png" --no-data
