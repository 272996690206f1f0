# pictures.sh - Tests the output formats dot, mermaid and svg. Sourced by
# run.sh.
#
# SPDX-License-Identifier: MIT
prints graph_dot 0 graph --dot sample.varve
prints graph_dot_slots 0 graph --dot --slots sample.varve:optimizer
prints graph_mermaid 0 graph --mermaid sample.varve:model
prints graph_depth 0 graph --dot --depth=1 sample.varve
prints graph_tree 0 graph --svg sample.varve
prints graph_tree 0 graph sample.varve
prints graph_slots 0 graph --slots sample.varve:optimizer
prints graph_values 0 graph --values --dot sample.varve
prints graph_icicle 0 graph --svg=icicle sample.varve:optimizer
prints graph_icicle_all 0 graph --svg=icicle sample.varve
for file in sample.varve many.varve sample.varve:types/empty 'sample:odd names'
do
    ends 0 graph --svg=tree "$file"
    valid xml
    ends 0 graph --svg=icicle "$file"
    valid xml
    ends 0 graph --dot "$file"
    if [ "$file" != many.varve ] && command -v dot >/dev/null; then
        dot -Tsvg out >picture || fail "dot rejects the output for $file"
        [ ! -s err ] || fail "graph --dot $file: $(cat err)"
    fi
done
# A very long name of a node and of an additional edge.
long=$(printf 'y%.0s' {1..60000})
ends 0 convert --rename "$long -> model" --rename \
    "optimizer/$long -> optimizer/model" sample.varve long.varve
for kind in --json --dot --mermaid --svg --svg=icicle; do
    ends 0 graph $kind long.varve
    [ "$(wc -c <out)" -lt 100000 ] || fail "graph $kind does not shorten names"
done
ends 0 graph --dot long.varve
[ "$(grep -c "label=\"${long:0:255}\.\.\.[\"\\]" out)" = 2 ] ||
    fail 'graph --dot does not shorten names'
ends 0 graph --svg many.varve
has 'varve: note: a picture of 3002 nodes' err
ends 0 graph --svg --depth=1 many.varve
[ ! -s err ] || fail 'a note for a small picture'
ends 0 graph --svg -o picture.svg sample.varve
[ ! -s out ] || fail 'graph -o printed something'
ends 0 graph --svg sample.varve
cmp -s out picture.svg || fail 'graph -o wrote different output'
ends 0 graph --dot -o /dev/null sample.varve
# Pages.
for file in sample.varve many.varve sample.varve:model long.varve; do
    ends 0 graph --html "$file"
    valid page
    [ ! -s err ] || fail "graph --html $file: $(cat err)"
done
ends 0 graph --html sample.varve:model/layers
has '"chosen":"model/layers",' out
ends 0 graph --html -o page.html sample.varve
[ ! -s out ] || fail 'graph --html -o printed something'
ends 0 graph --html sample.varve
cmp -s out page.html || fail 'graph --html -o wrote different output'
for option in --depth=1 --slots --values '-I model' '-X model'; do
    complains 2 'varve: graph: --html cannot be combined' \
        graph --html $option sample.varve
done
complains 2 'varve: graph: --svg, --dot, --mermaid, --html and --json' \
    graph --dot --html sample.varve

# Checks boxes, lines and text with a separate program.
looks() {
    python3 "$here/check_picture.py" "$@" || fail "a picture: $*"
}
for kind in gan tangled; do
    "$make_graphs" $kind $kind.varve
done
"$make_graphs" names hostile.varve
cp sample.varve drawn.varve
for seed in 1 2 3 4 5; do
    "$make_graphs" random random$seed.varve $seed
done
for file in gan tangled drawn random{1..5}; do
    ends 0 graph --json -o $file.json $file.varve
    ends 0 graph -o $file.svg $file.varve
    looks tree $file.svg $file.json
    ends 0 graph --mermaid $file.varve
    looks mermaid $file.json <out
done
looks fits gan.svg 1280 800
ends 0 graph --dot tangled.varve
[ "$(grep -c 'style=bold, color="#be185d"' out)" = 7 ] ||
    fail 'graph --dot: expected 7 edges that close cycles'
ends 0 graph --slots -o slots.svg gan.varve
looks apart slots.svg
ends 0 graph --depth=2 -o depth.svg gan.varve
looks apart depth.svg
"$make_graphs" layers sixty.varve 60
ends 0 graph -o sixty.svg sixty.varve
looks apart sixty.svg
ends 0 graph -o hostile.svg hostile.varve
looks apart hostile.svg
ends 0 graph --json -o hostile.json hostile.varve
ends 0 graph --mermaid hostile.varve
looks mermaid hostile.json <out
"${helper[@]}" steering steered
ends 0 graph -o steered.svg steered.safetensors
looks apart steered.svg
if command -v chromium >/dev/null; then
    looks browser gan.svg tangled.svg hostile.svg drawn.svg steered.svg
else
    echo 'chromium is not installed: pictures are not tested in a browser'
fi

# Very deep and very wide graphs.
"$make_graphs" chain chain.varve 10000
"$make_graphs" layers layers.varve 10000
for file in chain layers; do
    for kind in --svg --dot --mermaid; do
        ends 0 graph $kind -o large $file.varve
        has 'nodes is large; use --depth N' err
    done
done
ends 0 graph --depth=2 layers.varve
[ ! -s err ] || fail 'a note for a small picture'
has '+30000' out
complains 2 'varve: graph: --statistics needs --html' \
    graph --dot --statistics sample.varve
ends 0 graph --html --statistics sample.varve
valid page
has '"marks":[["damaged",' out
