# hostile.sh - Tests that no command prints control characters in names of
# files, directories and values. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT

# ESC, DEL, a newline, C1 controls, bidirectional overrides, invalid UTF-8.
hostile=$(printf 'a\033[31m\177\nEVIL\302\233\342\200\256\342\201\246')
raw=$(printf '%s\233\377' "$hostile")

# tame EXIT ARGUMENTS...: runs a command that may exit with up to EXIT.
tame() {
    local most=$1 status=0
    shift
    count=$((count + 1))
    timeout 60 "$varve" "$@" >out 2>err </dev/null || status=$?
    [ "$status" -le "$most" ] || fail "varve ${*@Q}: ended with $status"
    [ -s out ] || [ -s err ] || fail "varve ${*@Q}: no output"
    for said in out err; do
        ! LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' $said ||
            fail "varve ${*@Q}: control characters: $(od -c <$said | head -n 4)"
        ! LC_ALL=C grep -aqP '\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]' $said ||
            fail "varve ${*@Q}: bidirectional override"
        ! grep -aq '^EVIL' $said ||
            fail "varve ${*@Q}: a name caused an additional line"
        iconv -f UTF-8 -t UTF-8 $said >/dev/null 2>&1 ||
            fail "varve ${*@Q}: invalid UTF-8: $(od -c <$said | head -n 4)"
    done
}

folder=hostile/$raw
file=$folder/$raw-1.varve
mkdir -p "$folder"
ends 0 convert -q --rename "$hostile -> model" sample.varve "$file"
cp "$file" "$folder/$raw-2.varve"
cp "$file" "$folder/$raw-3.varve"
"${helper[@]}" flip "$folder/$raw-3.varve" 4096

for file in "$folder/$raw-1.varve" "$folder/$raw-3.varve"; do
    for form in '' --tsv --json --jsonl --markdown --long; do
        tame 4 ls $form "$file"
        tame 4 stat $form "$file"
        tame 4 log $form "$folder"
    done
    for form in '' --json; do
        tame 4 show $form "$file:$hostile"
        tame 4 show $form "$file"
        tame 4 verify $form "$file"
        tame 4 diff $form "$file" sample.varve
        tame 4 diff $form sample.varve "$file"
        tame 4 cat $form "$file:$hostile" "$hostile"
        tame 4 cat $form "$file" "$hostile/none"
        tame 4 convert $form -f "$file" "$folder/$raw.npz"
        tame 4 convert $form "$file" "$folder/$raw-2.varve"
        tame 4 repair $form -f "$file" -o "$folder/$raw-4.varve"
        tame 4 plan $form "$file" sample.varve
        tame 4 plan $form sample.varve "$file"
    done
    for form in '' --dot --mermaid --svg --html --json; do
        tame 4 graph $form "$file"
    done
    tame 4 repack -f "$file" -o "$folder/$raw-5.varve"
    tame 4 verify "$file.none"
    tame 4 convert --rename "$hostile -> $hostile/x" -f "$file" \
        "$folder/$raw-6.varve"
    tame 4 convert --only "$hostile" -f "$file" "$folder/$raw-7.varve"
done
tame 4 pin "$folder/$raw-1.varve"
tame 4 unpin "$folder/$raw-1.varve"
tame 4 prune -n --keep-last 1 "$folder"
tame 4 prune --keep-last 1 "$folder"
tame 4 prune "$folder/none"
tame 4 "$hostile"
tame 4 ls "--$hostile"
tame 4 ls "$folder@$hostile"
rm -r hostile
