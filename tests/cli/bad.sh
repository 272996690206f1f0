# bad.sh - Tests damaged files and wrong usage. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT
mkdir -p directory.varve
: >empty.varve
echo 'hello, world' >foreign.varve
head -c 20000 "$make_sample" >program.varve
head -c 10000 sample.varve >short.varve
"$make_newer" sample.varve newer.varve
cp sample.varve damaged.varve
"${helper[@]}" flip damaged.varve "$("$varve" ls --tsv sample.varve:model |
    awk -F '\t' '$1 == "model/layers/0/kernel" { print $6 }')"
cp sample.varve index.varve
"${helper[@]}" flip index.varve -200
# A page shows intact values and reports damage.
ends 1 graph --html --statistics damaged.varve
valid page
has ',1,"damaged.varve: ' out
ends 0 graph --html damaged.varve

bad_files() {
    complains "$1" "varve: cannot open: $2: " ls "$2"
    complains "$1" "varve: cannot open: $2: " cat "$2" model
    complains "$1" "varve: cannot open: $2: " graph --dot "$2"
}
bad_files 3 missing.varve
bad_files 3 missing
bad_files 3 directory.varve
bad_files 4 empty.varve
bad_files 4 foreign.varve
bad_files 4 program.varve
bad_files 4 short.varve
bad_files 4 index.varve
bad_files 5 newer.varve
complains 3 'varve: cannot open: missing.varve: ' verify missing.varve
# A directory with single files only.
mkdir -p single
cp sample.varve single/net.varve
for directory in single single/; do
    complains 3 "varve: cannot open: $directory: the directory contains no" \
        ls "$directory"
    has 'only single files such as "net.varve"' err
    has 'hint: use varve ls single/net.varve' err
done
complains 4 'varve: cannot open: empty.varve: ' verify empty.varve
complains 4 'varve: cannot open: foreign.varve: ' verify foreign.varve
complains 5 'varve: cannot open: newer.varve: ' verify newer.varve
if [ "$(id -u)" != 0 ]; then
    cp sample.varve secret.varve
    chmod 0 secret.varve
    bad_files 3 secret.varve
fi

# Damage.
prints verify_damaged 1 verify damaged.varve
mkdir numbered
cp damaged.varve numbered/ckpt-4.varve
for argument in numbered numbered/ckpt; do
    ends 1 verify "$argument"
    has 'numbered/ckpt-4.varve: damaged ' out
    cp short.varve numbered/ckpt-5.varve
    ends 1 verify "$argument"
    [ "$(tail -n 1 out)" = 'numbered/ckpt-5.varve: damaged' ] ||
        fail "verify $argument: $(cat out)"
    rm numbered/ckpt-5.varve
done
rm -r numbered
prints verify_damaged_json 1 verify --json damaged.varve
for file in short.varve index.varve; do
    ends 1 verify "$file"
    has 'DAMAGED  (structure)' out
    [ "$(tail -n 1 out)" = "$file: damaged" ] || fail "summary of $file"
done
ends 4 verify sample.varve foreign.varve damaged.varve
has 'sample.varve: ok' out
has 'DAMAGED  model/layers/0/kernel' out
ends 0 verify -q sample.varve
[ ! -s out ] || fail 'verify -q printed something'
ends 0 verify sample.varve
[ ! -s err ] || fail 'progress without a terminal'
ends 0 ls damaged.varve
cp texts.varve damaged_text.varve
"${helper[@]}" flip damaged_text.varve "$("$varve" ls --tsv texts.varve |
    awk '$1 == "states/escaped" { print $6 }')"
ends 0 ls damaged_text.varve:states
has ' damaged' out
complains 4 'varve: cannot read: damaged.varve: ' \
    cat damaged.varve model/layers/0/kernel
ends 0 cat damaged.varve model/layers/0/bias
complains 4 'varve: cannot read: damaged.varve: ' \
    cat -o never damaged.varve model/layers/0/kernel
[ ! -e never ] || fail 'cat left a file with damaged bytes'

# Repair.
prints repair 1 repair damaged.varve -o repaired.varve
ends 0 verify repaired.varve
ends 0 repair sample.varve -o repaired_again.varve
cmp -s sample.varve repaired_again.varve ||
    fail 'repairing an intact file changed it'
ends 1 repair -q damaged.varve -o repaired_quiet.varve
[ ! -s out ] || fail 'repair -q printed something'
cmp -s repaired.varve repaired_quiet.varve ||
    fail 'a second repair wrote a different file'
prints repair_json 1 repair --json -f damaged.varve -o repaired.varve
prints repair_ls 0 ls repaired.varve:model/layers/0
complains 3 'varve: cannot write: repaired.varve: the file already exists' \
    repair damaged.varve -o repaired.varve
complains 3 'varve: cannot write: damaged.varve: the file already exists' \
    repair damaged.varve -o damaged.varve
cp damaged.varve in_place.varve
ends 1 repair -f in_place.varve -o in_place.varve
cmp -s repaired.varve in_place.varve ||
    fail 'repairing in place wrote a different file'

# One end of the file is lost; the index is found from the other.
cp sample.varve headless.varve
dd if=/dev/zero of=headless.varve bs=64 count=1 conv=notrunc 2>err
head -c -40 sample.varve >cut.varve
cat sample.varve foreign.varve >longer.varve
for file in headless.varve cut.varve longer.varve; do
    complains 4 "varve: cannot open: $file: " ls "$file"
    ends 0 repair "$file" -f -o whole.varve
    has "DAMAGED  $file: no" out
    cmp -s sample.varve whole.varve ||
        fail "repairing $file wrote a different file"
    ends 0 convert -f --salvage --json "$file" whole.varve
    has '"damage":"' out
    ends 0 repair "$file" -f -o "$file"
    cmp -s sample.varve "$file" ||
        fail "repairing $file in place wrote a different file"
done
ends 4 ls short.varve
has 'recover the rest with varve repair' err
ends 4 repair short.varve -o never.varve
has 'hint: the file is incomplete' err
head -c -40 headless.varve | tail -c +65 >endless.varve

for file in short.varve index.varve empty.varve foreign.varve endless.varve; do
    complains 4 "varve: cannot open: $file: " repair "$file" -o never.varve
done
[ ! -e never.varve ] ||
    fail 'a file was written although nothing could be recovered'
complains 2 'varve: repair: -o OUT, the name of the new file' \
    repair damaged.varve
ends 1 convert --salvage --only model damaged.varve repaired_part.safetensors
has 'LOST  model/layers/0/kernel' out
ends 0 convert --salvage --only types damaged.varve repaired_part.varve
ends 0 verify repaired_part.varve repaired_part.safetensors

# Slices that do not exist.
for part in 64 -65 , 1,2,3 1::0 x 1-2 '' 1:2:3:4 ...,... 1,2,...,3 .. ....; do
    complains 2 'varve: --slice: ' \
        cat --slice="$part" sample.varve model/layers/0/kernel
done
complains 2 'varve: --slice: 64: expected an index of 64 elements in dim' \
    cat --slice=64 sample.varve model/layers/0/kernel
complains 2 'varve: --slice: 0: expected at most 0 dimensions' \
    cat --slice=0 sample.varve optimizer/step
complains 1 'varve: no value: sample.varve: model: ' \
    cat --slice=0 sample.varve model
complains 4 'varve: cannot read: damaged.varve: ' \
    cat --slice=0 damaged.varve model/layers/0/kernel

# Paths that do not exist.
complains 1 'varve: no such path: sample.varve: model/layres/0/kernel' \
    ls sample.varve:model/layres/0/kernel
has "hint: did you mean 'model/layers/0/kernel'?" err
complains 1 'varve: no such path: sample.varve: model/layers/7' \
    cat sample.varve model/layers/7
complains 1 'varve: no such path: sample.varve: nonsense' \
    graph --dot sample.varve:nonsense
has "hint: '/' has model, odd names, optimizer, random, types" err
complains 1 'varve: no value: sample.varve: model: ' cat sample.varve model
complains 1 '{"schema":"varve.error/1","code":"VARVE_NOT_FOUND","exit":1' \
    cat --json sample.varve model/scratch

# Usage.
ends 0 help help
ends 0 help version
ends 0 version --help
ends 2
has 'usage: varve' err
complains 2 "varve: usage: unknown command \"lss\"" lss
complains 2 "varve: usage: unknown command \"lss\"" help lss
complains 2 'varve: ls: FILE[:PATH] is required' ls
complains 2 'varve: ls: --nonsense is not an option' ls --nonsense sample.varve
complains 2 'varve: ls: -z is not an option' ls -z sample.varve
complains 2 'varve: ls: --limit needs an argument' ls sample.varve --limit
complains 2 'varve: ls: -I needs an argument' ls sample.varve -I
complains 2 'varve: ls: --flat=2 takes no argument' ls --flat=2 sample.varve
complains 2 'varve: ls: --limit: must be a number' ls --limit=-1 sample.varve
complains 2 'varve: ls: --limit: must be a number' ls --limit=9x sample.varve
complains 2 'varve: ls: --sort: must be path|bytes|offset' \
    ls --sort=size sample.varve
complains 2 'varve: graph: --svg: must be tree|icicle' \
    graph --svg=pie sample.varve
complains 2 'varve: ls: unexpected argument' ls sample.varve many.varve
complains 2 'varve: prune: --keep-last: must be a number N of at least 1' \
    prune --keep-last=0 .
complains 2 'varve: prune: --keep-bytes: must be a size' prune --keep-bytes=0 .

complains 3 'varve: cannot open: managed@newest: no checkpoint has this ' \
    ls managed@newest
has 'hint: DIRECTORY@ must be followed by latest, latest-valid, best' err

# Patterns that match nothing.
complains 1 'varve: no path matches: sample.varve: modle' \
    ls -I modle sample.varve
complains 1 'varve: no path matches: sample.varve: modle' \
    ls -I model -I modle sample.varve
complains 1 'varve: no path matches: sample.varve: modle' \
    show --all -I modle sample.varve
complains 1 'varve: no path matches: sample.varve: modle' \
    stat -I modle sample.varve
complains 1 'varve: no path matches: sample.varve: modle' \
    stat --values -I modle sample.varve
complains 1 'varve: no path matches: sample.varve: modle' \
    graph --dot -I modle sample.varve
ends 1 diff -I modle sample.varve sample.varve
has 'varve: no path matches: modle' err
ends 0 ls -X modle sample.varve
complains 2 'varve: graph: --svg, --dot, --mermaid, --html and --json' \
    graph --dot --svg sample.varve
has 'hint: varve help graph' err

# Output that cannot be written.
complains 3 'varve: cannot write: no/such/file' \
    graph --dot -o no/such/file sample.varve
complains 3 'varve: cannot write: directory.varve' \
    graph --dot -o directory.varve sample.varve
(
    trap '' XFSZ
    ulimit -f 1
    status=0
    "$varve" graph --svg -o large.svg many.varve 2>/dev/null || status=$?
    exit $status
) && fail 'a file above the size limit was written'
[ -z "$(ls large.svg* 2>/dev/null)" ] || fail 'a partial picture was left'
if [ -w /dev/full ]; then
    for arguments in 'ls sample.varve' 'ls --json many.varve' \
        'cat sample.varve model/layers/0/kernel' 'graph --svg many.varve' \
        'graph --html many.varve'; do
        status=0
        "$varve" $arguments >/dev/full 2>err || status=$?
        [ "$status" = 3 ] || fail "$arguments on a full disk ended with $status"
        has 'cannot ' err
    done
fi
