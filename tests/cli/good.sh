# good.sh - Tests the output for intact files. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT
prints ls 0 ls sample.varve
prints ls_texts 0 ls texts.varve
prints ls_ascii 0 ls --ascii --depth=2 sample
prints ls_slots 0 ls --slots sample.varve:optimizer
prints ls_include 0 ls -I 'model/**/kernel' sample.varve
prints ls_exclude 0 ls -X types -X 'optimizer' -I 'optimizer/step' sample.varve
prints ls_limit 0 ls --limit=3 sample.varve:types
prints ls_flat 0 ls --flat sample.varve
prints ls_bytes 0 ls --sort=bytes --limit=3 --units=iec sample.varve
prints ls_offset 0 ls --flat --sort=offset -I types sample.varve
prints ls_tsv 0 ls --tsv sample.varve:model
prints ls_json 0 ls --json sample.varve
prints ls_si 0 ls --units=si sample.varve:model/layers/0
cp "$here"/../golden/foreign/keras2_functional.* .
cp "$here"/../golden/foreign/keras3_adam.* .
prints ls_values 0 ls --values keras2_functional.index
prints ls_numbers 0 ls --all keras3_adam.index
prints ls_folded 0 ls keras3_adam.index
prints ls_folded_part 0 ls -I 'optimizer/_*' keras3_adam.index:optimizer
prints ls_nothing 0 ls keras3_adam.index:model/_functional/_losses
prints cat_special 0 cat --json sample.varve types/special
prints cat_string 0 cat --json sample.varve types/string
prints cat_largest 0 cat --json sample.varve:types/largest
prints cat_empty 0 cat --json sample.varve types/empty
prints cat_slot 0 cat --json sample.varve 'optimizer/m(model/layers/0/bias)'
prints cat_odd 0 cat --json sample.varve 'odd names/a%2Fb <c> & "d"'
prints verify 0 verify sample.varve many.varve
prints verify_json 0 verify --json sample.varve many.varve
prints help 0 help
tools=$here/../../tools
# is_made FILE ARGUMENTS...: the committed file equals the output.
is_made() {
    ends 0 "${@:2}"
    [ -z "${UPDATE-}" ] || cp out "$1"
    cmp -s "$1" out || fail "$1 is not what varve ${*:2} prints"
}
is_made "$tools/man/varve.1" help --man
for shell in bash zsh fish; do
    is_made "$tools/shells/varve.$shell" completion $shell
done
ends 0 help
commands=$(sed -n 's/^  \([a-z]*\) .*/\1/p' out | grep -vx -e help -e version)
for command in $commands; do
    is_made "$tools/man/varve-$command.1" help --man "$command"
    grep -q "'-$command'" "$tools/meson.build" ||
        fail "tools/meson.build does not install varve-$command.1"
    prints "help_$command" 0 help "$command"
    cp out help
    ends 0 "$command" --help
    cmp -s out help || fail "varve $command --help is not varve help $command"
done
ends 0 version
has "varve " out
ends 0 --version

# Every element type is decoded as by independent code.
for dtype in bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 \
    bfloat16 float32 float64 complex64 complex128 float8_e4m3fn float8_e5m2; do
    ends 0 cat -o bytes sample.varve "types/$dtype"
    ends 0 cat --json sample.varve "types/$dtype"
    "${helper[@]}" elements bytes <out || fail "$dtype is decoded wrongly"
done

# A part of a value.
ends 0 cat --json sample.varve model/layers/0/kernel
cp out whole.json
for part in : 5 -1 0:0 -99999:2,3 63:99999,: 3:2 1:3,-1 :,0:20 2,5 -3:,-4:-2 \
    ::2 1::7 ::-1 10:2:-3 -1:-60:-9,::-4 ...,3 5,... ... 1:9:3,...,::5 \
    -0:-0 :-0 99:1:99,0 3:3:-1 :,::-99999999999999999999 2:,...; do
    ends 0 cat --json --slice="$part" sample.varve model/layers/0/kernel
    "${helper[@]}" slice "$part" whole.json <out || fail "--slice=$part"
done
ends 0 cat --slice=63 -o row sample.varve model/layers/0/kernel
"$varve" cat -f sample.varve model/layers/0/kernel | tail -c 80 | cmp - row ||
    fail 'the bytes of a row'

# A numbered prefix refers to its newest file.
cp sample.varve run-7.varve
cp many.varve run-12.varve
ends 0 ls --depth=0 run
has run-12.varve out

# A file name with a colon, and a path in that file.
cp sample.varve a:b.varve
ends 0 ls a:b.varve:model
has 'layers' out
ends 0 ls a:b.varve
has 'optimizer' out

# Other locales and terminals.
LC_ALL=C ends 0 ls sample.varve
has '|- model' out
ends 0 ls --color=always sample.varve
has $'\033[' out
ends 0 ls --color=auto sample.varve
if grep -q $'\033' out; then fail 'colors in a file'; fi
ends 0 ls --color=always --json sample.varve
if grep -q $'\033' out; then fail 'colors in JSON'; fi
"${helper[@]}" terminal "$varve" || fail 'on a terminal'

# Patterns.
for pattern in model '/model/' '*/layers/[0-9]/bias' '**/kernel' '**/kern' \
    '**/layers/**/[!b]*' 'types/?int16' 'types/*int*8' 'types/f*[0-9]_*' \
    'optimizer/m*' '**/*(model/layers/0/bias)' 'odd*/[' '*' 'model/*' ''; do
    case $pattern in
        '**/kern' | 'odd*/[') ends 1 ls --tsv -I "$pattern" sample.varve ;;
        *) ends 0 ls --tsv -I "$pattern" sample.varve ;;
    esac
    echo "== $pattern"
    cut -f 1 out | tail -n +2
done >patterns
[ -z "${UPDATE-}" ] || cp patterns "$here/expected/patterns.txt"
diff -u "$here/expected/patterns.txt" patterns || fail 'patterns'

# Checkpoints that share data.
ends 0 verify "$here/../golden/version-1-layers.varve"
has '2 values' out
for i in 1 2; do
    "$make_sample" incremental/run layers
    "$make_sample" full/run save
done
ends 0 verify incremental/run-1.varve incremental/run-2.varve
ends 0 repack -o alone.varve incremental/run-2.varve
has 'wrote alone.varve' out
cmp alone.varve full/run-2.varve || fail 'repack wrote a different file'
complains 3 'varve: cannot write: alone.varve: the file already exists' \
    repack -o alone.varve incremental/run-2.varve
rm incremental/run-1.varve
ends 0 prune incremental
ends 0 verify incremental/run-2.varve
mkdir moved
cp incremental/run-2.varve moved
complains 4 'varve: cannot open: moved/run-2.varve: ' ls moved/run-2.varve
has '1 is missing: moved/layers/' err
ends 0 repack -q incremental/run-2.varve
cmp incremental/run-2.varve full/run-2.varve || fail 'repacked in place'
echo damaged >incremental/other.varve
complains 4 'varve: cannot prune: incremental: ' prune incremental
[ -n "$(ls incremental/layers)" ] ||
    fail 'data files were deleted although a file is damaged'
rm incremental/other.varve
ends 0 prune incremental
[ -z "$(ls incremental/layers)" ] || fail 'data files were left'
complains 2 'varve: repack: -o takes one FILE' repack -o x a b
