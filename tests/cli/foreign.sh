# foreign.sh - Tests listing and converting files of other formats. Sourced by
# run.sh.
#
# SPDX-License-Identifier: MIT
golden=$here/../golden/foreign

# differs NAME FILE OTHER KIND: the outputs of ls differ as in
# expected/NAME.txt.
differs() {
    local file=$here/expected/$1.txt status=0
    for side in "$2" "$3"; do
        ends 0 ls --json "$side"
        "${helper[@]}" "$4" <out | sort >"$side.$4"
    done
    diff "$2.$4" "$3.$4" >out || status=$?
    [ "$status" -le 1 ] || fail "no comparison of $2 and $3"
    [ -z "${UPDATE-}" ] || cp out "$file"
    diff -u "$file" out || fail "$2 and $3 differ in an unexpected way"
}

# same FILE OTHER: the outputs of ls are equal.
same() {
    for side in "$1" "$2"; do
        ends 0 ls --json "$side"
        "${helper[@]}" listed <out >"$side.listed"
    done
    cmp -s "$1.listed" "$2.listed" || fail "$1 and $2 differ"
}

# there_and_back NAME FILE [OPTIONS]: converts the sample and converts it back.
there_and_back() {
    prints "to_$1" 0 convert "${@:3}" sample.varve "$2"
    prints "ls_$1" 0 ls --tsv "$2"
    ends 0 verify "$2"
    if [ "${2##*.}" = safetensors ]; then
        has ": readable, but the format has no checksums" out
    else
        has ": ok" out
    fi
    ends 0 ls --json "$2"
    valid json
    ends 0 graph --svg "$2"
    valid xml
    ends 0 graph --html "$2"
    valid page
    ends 0 convert "$2" "back_$1.varve"
    differs "back_$1" sample.varve "back_$1.varve" values
}
there_and_back safetensors sample.safetensors
there_and_back npz sample.npz
there_and_back tensorflow sample.index
there_and_back names names --to tensorflow-names
differs back_tensorflow_graph sample.varve back_tensorflow.varve listed

# Files without checksums are not reported as verified.
ends 0 verify --json sample.safetensors
has '"status":"no sums","checksums":false' out
has '"ok":false' out
ends 0 verify --json sample.npz
has '"status":"ok","checksums":true' out
has '"ok":true' out
[ "$("${helper[@]}" digest <out)" != None ] || fail 'no digest'

# A bool must be 0 or 1 in each format.
printf '\067\0\0\0\0\0\0\0%s\0\1\2' \
    '{"b":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}}' >bool.safetensors
prints verify_bool 1 verify bool.safetensors
complains 4 'varve: cannot read: bool.safetensors: b: ' cat bool.safetensors b
complains 4 'varve: cannot read: bool.safetensors: b: ' \
    convert bool.safetensors bool.varve

# Equal values have equal digests in other formats.
ends 0 convert --only model sample.varve part.npz --force
ends 0 convert --only model sample.varve part.safetensors --force
ends 0 convert --only model sample.varve digested.varve --force
for file in part.npz part.safetensors digested.varve; do
    ends 0 verify --json $file
    "${helper[@]}" digest <out
done | sort -u >digests
[ "$(wc -l <digests)" = 1 ] || fail "digests differ: $(cat digests)"
ends 0 ls --json digested.varve
[ "$("${helper[@]}" digest <out)" = "$(cat digests)" ] || fail 'digest of ls'

# Attributes of HDF5 that the reader skips are listed.
modules=$(dirname "$varve")/../lib/hdf5
if [ -e "$modules/varve-hdf5.so" ]; then
    export VARVE_MODULES=$modules
    ends 0 convert --only little "$golden/hdf5_types.h5" little.varve
    has 'not carried over:' out
    has '(1): @many' out
    ends 0 convert --json --force --only little "$golden/hdf5_types.h5" \
        little.varve
    has '"path":"@many"' out
    # A file with a Varve extension, or in a list, is not passed to libhdf5.
    mkdir strange
    cp "$golden/hdf5_types.h5" strange/ckpt-3.varve
    cp "$golden/hdf5_types.h5" strange/other-1.npz
    ends 0 log --json strange
    [ "$(grep -o '"damaged"' out | wc -l)" = 2 ] || fail "log: $(cat out)"
    complains 4 'varve: cannot open: strange/ckpt-3.varve: the name ends' \
        ls strange/ckpt-3.varve
    for command in ls stat verify graph show 'repair -o strange/a.varve'; do
        ends 4 $command --no-hdf5 "$golden/hdf5_types.h5"
        has 'disabled by varve_forbid_hdf5 or --no-hdf5' err
    done
    unset VARVE_MODULES
fi
for command in log ls show stat cat verify repair repack prune pin unpin \
    graph convert diff plan completion; do
    ends 0 $command --no-hdf5 --help
done

# Names given by a program, compared with foreign names.
ends 0 convert --force "$golden/keras_adam.index" given.varve
ends 0 ls -l given.varve
has "GLOBAL NAME" out
has "hidden/kernel" out
ends 0 convert --names=global --to=npz given.varve given.npz
ends 0 ls --json given.npz
"${helper[@]}" globals <out >one
ends 0 ls --json given.varve
"${helper[@]}" globals <out >other
diff one other || fail 'global names are not those of the archive'

# The bytes of a value are the same in each format.
for file in sample.safetensors sample.npz sample.index names; do
    for path in model/layers/0/kernel types/special types/float64 \
        types/empty 'optimizer/v(model/layers/0/bias)'; do
        ends 0 cat -o one sample.varve "$path"
        ends 0 cat -o other "$file" "$path"
        cmp -s one other || fail "$path of $file differs"
    done
done

# A second conversion loses nothing more.
for ending in safetensors index; do
    once=back_${ending/index/tensorflow}.varve
    ends 0 convert "$once" "again.$ending"
    ends 0 convert "again.$ending" "again_$ending.varve"
    same "$once" "again_$ending.varve"
done
cmp -s sample.safetensors again.safetensors ||
    fail 'equal values give different files'
cmp -s sample.data-00000-of-00001 again.data-00000-of-00001 ||
    fail 'equal values give different data'

# From one foreign format to another, with the slots.
ends 0 convert sample.safetensors via.npz
ends 0 convert via.npz via.index
ends 0 convert via.index via.varve
differs via back_safetensors.varve via.varve values
ends 0 ls --slots via.varve:optimizer
has 'm(model/layers/0/kernel)' out

# The save counter is kept in formats that can store it.
for file in saved.varve saved.safetensors saved.index; do
    ends 0 convert --force saved-1.varve "$file"
    ends 0 ls "$file"
    has '· save 1' out
    ends 0 convert --force "$file" counted.varve
    ends 0 ls counted.varve
    has '· save 1' out
done
ends 0 convert saved-1.varve saved.npz
has 'the save counter (1): /' out

# A single array.
prints to_npy 0 convert sample.varve:model/layers/0/kernel kernel.npy
prints ls_npy 0 ls kernel.npy
ends 0 convert --rename 'model/kernel -> arr_0' kernel.npy kernel.varve
ends 0 cat -o one sample.varve model/layers/0/kernel
ends 0 cat -o other kernel.varve model/kernel
cmp -s one other || fail 'a single array differs'
complains 3 'varve: cannot write: never.npy: an npy file stores' \
    convert sample.varve:model never.npy

# New names can be read by other readers.
for to in safetensors npz tensorflow-names; do
    ends 0 convert --rename 'net -> model/layers' --to $to sample.npz new.$to
    ends 0 ls --tsv new.$to
    has $'net/0/kernel\t' out
    has $'optimizer/m(net/0/kernel)\t' out
    ends 1 ls new.$to:model
done

ends 0 convert --rename 'a/b/c/d -> model/layers/0' sample.varve deep.npz
has 'another path to a node (3): ' out
ends 0 ls deep.npz:a/b/c/d/bias

# Several files.
ends 0 convert --shard-size 4KiB sample.varve parts.safetensors
[ -e parts.safetensors.index.json ] || fail 'no index of several files'
[ ! -e parts.safetensors ] || fail 'a single file in addition to several'
ends 0 convert parts.safetensors.index.json parts.varve
same parts.varve back_safetensors.varve
complains 3 'varve: cannot write: parts.safetensors.index.json: the file' \
    convert --shard-size 4KiB sample.varve parts.safetensors
ends 0 convert --shard-size 4KiB sample.varve shards.index
for member in shards shards.index shards.data-00001-of-00006; do
    ends 0 convert --force $member parts.varve
    same parts.varve back_tensorflow.varve
done
complains 3 'varve: cannot write: shards.index: the file already exists' \
    convert --to tensorflow sample.varve shards

# Files written by other programs.
for file in "$golden"/keras*.index "$golden"/containers.index; do
    ends 0 convert --force "$file" ours.varve
    ends 0 convert --force ours.varve theirs.index
    ends 0 convert --force theirs.index again.varve
    same ours.varve again.varve
done
cp "$golden"/keras_adam.* .
prints ls_keras 0 ls --slots keras_adam.index

# Files written by torch.save: a pickle is parsed and never executed.
cp "$golden"/torch_*.pt .
prints ls_torch 0 ls --slots torch_training.pt
ends 0 ls --depth 1 torch_unnamed.pt
has '"model" has several variables of [4]' err
ends 0 ls --json torch_unnamed.pt
has '"left_out":[{"path":"optimizer","what":"moments as slots: ' out
ends 0 cat --json torch_state.pt view.transposed
has '[0,6,12,18,1,7,13,19,2,8,14,20,3,9,15,21,4,10,16,22,5,11,17,23]' out
for file in torch_*.pt; do
    ends 0 verify "$file"
    has ': ok' out
    ends 0 convert --force "$file" ours.varve
    ends 0 diff "$file" ours.varve
done
mkdir hub
cp torch_new.pt hub/pytorch_model.bin
ends 0 ls hub
has 'hub/pytorch_model.bin · torch' out

# Files written by Flax; GGUF, which has no checksums either.
cp "$golden"/flax_*.msgpack .
prints ls_flax 0 ls --slots flax_state.msgpack
for file in flax_*.msgpack; do
    ends 0 verify "$file"
    has 'has no checksums' out
    ends 0 convert --force "$file" ours.varve
    ends 0 diff "$file" ours.varve
done
ends 0 convert flax_chunked.msgpack pieces.gguf
ends 0 ls pieces.gguf
has 'pieces.gguf · gguf · 2 values' out
ends 0 diff flax_chunked.msgpack pieces.gguf
cp flax_chunked.msgpack hub/flax_model.msgpack
rm hub/pytorch_model.bin
ends 0 ls hub
has 'hub/flax_model.msgpack · flax' out

# No value is hidden, and hidden nodes are counted.
for file in "$golden"/*.index "$golden"/saved_model; do
    "$varve" ls "$file" >out 2>&1 || continue
    ends 0 graph --json -o folded.json "$file"
    ends 0 graph --slots -o folded.svg "$file"
    looks folded folded.svg folded.json
    looks apart folded.svg
    ends 0 graph --slots --all -o folded.svg "$file"
    looks all folded.svg folded.json
done
ends 0 graph --dot keras3_adam.index
has 'label="11 objects without values are folded; --all shows them"' out
ends 0 graph --mermaid keras3_adam.index
has '"11 objects without values are folded; --all shows them"' out

# Known formats that cannot be read.
script='expected a checkpoint, found a TorchScript program'
"${helper[@]}" archive model.pt archive/data.pkl archive/constants.pkl
complains 4 "varve: cannot open: model.pt: $script" ls model.pt
shard=model-00001-of-00001.safetensors
cp model.pt $shard
echo "{\"weight_map\": {\"w\": \"$shard\"}}" >model.safetensors.index.json
index=model.safetensors.index.json
complains 4 "varve: cannot open: $index: $shard: $script" ls $index
mkdir orbax
cp model.pt orbax/_METADATA
complains 4 'varve: cannot open: orbax: expected a checkpoint, found an Orbax' \
    ls orbax

# A distributed checkpoint of two processes.
mkdir distributed
cp "$golden/dcp/.metadata" "$golden/dcp"/* distributed
ends 0 verify distributed
ends 0 cat --json --slice=1,: distributed/__1_0.distcp model/w.rows
has '[3,4,5]' out
rm distributed/__1_0.distcp
complains 3 'varve: cannot open: distributed: ' ls distributed
has 'the file "__1_0.distcp" is missing' err
rm distributed/.metadata
complains 3 'varve: cannot open: distributed/__0_0.distcp: ' \
    ls distributed/__0_0.distcp

# Damaged files.
cp sample.npz damaged.npz
"${helper[@]}" flip damaged.npz 3300
ends 1 verify damaged.npz
has 'DAMAGED' out
complains 4 'varve: cannot read: damaged.npz: ' convert damaged.npz never.varve
for file in shards.index shards.data-*; do
    cp "$file" "${file/shards/ruined}"
done
"${helper[@]}" flip ruined.data-00002-of-00006 100
ends 1 verify ruined
has 'DAMAGED' out
complains 4 'varve: cannot read: ruined.index: ' convert ruined never.varve
rm ruined.data-00001-of-00006
complains 3 'varve: cannot open: ruined: ' convert ruined never.varve
has 'ruined.data-00001-of-00006: this data shard is missing' err
head -c 3000 sample.safetensors >short.safetensors
complains 4 'varve: cannot open: short.safetensors: ' ls short.safetensors
[ -z "$(ls never* 2>/dev/null)" ] || fail 'convert left something behind'
