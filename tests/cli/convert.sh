# convert.sh - Tests conversions and their reports of lost information. Sourced
# by run.sh.
#
# SPDX-License-Identifier: MIT

# listed FILE: prints the output of ls without file name and offsets.
listed() {
    ends 0 ls --json "$1"
    "${helper[@]}" listed <out
}

# A converted full checkpoint is the same file, also if it is numbered.
prints convert 0 convert sample.varve copy.varve
cmp -s sample.varve copy.varve || fail 'a copy differs'
ends 0 convert --to varve run-7.varve copy-of-7
cmp -s run-7.varve copy-of-7 || fail 'a copy differs'

# Tags that Varve would not have saved are reported.
"$make_graphs" tagged tagged.varve
"$make_newer" tagged.varve local.varve locav local
prints convert_local 0 convert -f local.varve without.varve
prints repair_local 0 repair -f local.varve -o without.varve

# Parts, names, casts.
prints convert_part 0 convert sample.varve:model part.varve
prints convert_part_ls 0 ls part.varve
prints convert_value 0 convert sample.varve:optimizer/step value.varve
prints convert_value_ls 0 ls value.varve
ends 0 convert 'sample.varve:optimizer/m(model/layers/0/bias)' slot.varve
ends 0 cat -o one sample.varve 'optimizer/m(model/layers/0/bias)'
ends 0 cat -o other slot.varve 'm%28model%2Flayers%2F0%2Fbias%29'
cmp -s one other || fail 'a converted slot variable differs'
prints convert_some 0 convert --only 'model|optimizer' \
    --except '**/bias|optimizer/model' \
    --rename 'net/layer_* -> model/layers/*' --rename 'opt -> optimizer' \
    sample.varve some.varve
prints convert_some_ls 0 ls --slots some.varve
for path in m v; do
    ends 0 cat -o one sample.varve "optimizer/$path(model/layers/0/kernel)"
    ends 0 cat -o other some.varve "opt/$path(net/layer_0/kernel)"
    cmp -s one other || fail "slot $path differs"
done
prints convert_list 0 convert --only 'model/layers/1' sample.varve list.varve
prints convert_list_ls 0 ls list.varve
prints convert_up 0 convert --rename '** -> model/**' --except types \
    sample.varve up.varve
prints convert_up_ls 0 ls up.varve
prints convert_down 0 convert --rename 'a/b/** -> **' --only model \
    sample.varve down.varve
prints convert_down_ls 0 ls down.varve
prints convert_swap 0 convert \
    --rename 'model/layers/1 -> model/layers/0' \
    --rename 'model/layers/0 -> model/layers/1' sample.varve swap.varve
prints convert_swap_ls 0 ls swap.varve:model
ends 0 convert --rename 'model -> optimizer' sample.varve merged.varve
ends 0 cat -o one sample.varve 'optimizer/m(model/layers/0/kernel)'
ends 0 cat -o other merged.varve 'model/m(model/layers/0/kernel)'
cmp -s one other || fail 'a slot of merged objects differs'
cat >renames <<'END'
# program -> file, in the format of varve_read
model/blocks/*  -> model/layers/*
it -> nothing/like/it
END
ends 0 convert --rename-file renames sample.varve blocks.varve
warning='varve: warning: renames: no path matches: nothing/like/it'
[ "$(cat err)" = "$warning" ] ||
    fail "unexpected warning for a line without effect: $(cat err)"
ends 0 ls blocks.varve:model/blocks/1/kernel
ends 1 ls blocks.varve:model/layers
for quiet in --json --quiet; do
    ends 0 convert --force $quiet --rename-file renames sample.varve \
        blocks.varve
    [ ! -s err ] || fail "convert $quiet warned"
done
printf 'model/layers/%s\n' '1 -> model/layers/0' '0 -> model/layers/1' >swap
ends 0 convert --rename-file swap sample.varve swapped.varve
[ ! -s err ] || fail "a swap: $(cat err)"
cmp -s swap.varve swapped.varve || fail 'a file of renames differs'
prints convert_cast 0 convert --verbose --cast bfloat16 \
    --cast 'optimizer/step|types/int16=float64' --cast 'types/float64=float64' \
    sample.varve cast.varve
prints convert_cast_ls 0 ls --tsv cast.varve
prints convert_cast_few 0 convert --cast int8 sample.varve cast8.varve
ends 0 cat --json cast8.varve types/int16
has '"values":[127,127,-128]' out

# Cast and renamed, and back.
ends 0 convert --cast 'model=float64' --rename 'm -> model' sample.varve \
    there.varve
ends 0 convert --cast 'm=float32' --rename 'model -> m' there.varve back.varve
listed sample.varve >one
listed back.varve >other
diff one other || fail 'converting back gives a different file'

# JSON.
prints convert_json 0 convert --json --cast 'types/special=float16' \
    --only 'types|model/layers/1/kernel' sample.varve json.varve
valid json
ends 0 convert --quiet sample.varve quiet.varve
[ ! -s out ] || fail 'convert -q printed something'

# Paths of more than 4,095 bytes, of which only the ends are shown.
name=$(printf 'n%.0s' {1..200})
long=$(printf "$name/%.0s" {1..25})
long=${long%/}
moved() {
    ends 0 cat -o one sample.varve "$1"
    ends 0 cat -o other "$2" "$3"
    cmp -s one other || fail "$1 in $2 differs"
}
ends 0 convert --rename "$long/** -> **" sample.varve far.varve
moved model/layers/1/kernel far.varve "$long/model/layers/1/kernel"
ends 0 convert --rename "** -> $long/**" far.varve near.varve
listed sample.varve >other
listed near.varve >one
diff one other || fail 'converting a long path back gives a different file'
ends 0 convert --rename "x -> $long/model/layers/0/kernel" \
    --rename "y/* -> $long/types/*" --cast '**/types/int16=float64' \
    far.varve moved.varve
moved model/layers/0/kernel moved.varve x
moved types/float64 moved.varve y/float64
ends 0 cat --json moved.varve y/int16
has float64 out
ends 1 ls "moved.varve:$long/types/float64"
ends 0 convert --only "$long/model/layers/1|**/step" far.varve few.varve
has '  3 values ' out
moved model/layers/1/bias few.varve "$long/model/layers/1/bias"
moved optimizer/step few.varve "$long/optimizer/step"
ends 0 convert --force --except "$long/optimizer/model" far.varve few.varve
moved model/layers/1/bias few.varve "$long/model/layers/1/bias"
ends 1 ls "few.varve:$long/optimizer/model"
ends 0 convert "far.varve:$long/model" part-of-far.varve
cmp -s part.varve part-of-far.varve || fail 'a part with a long path differs'

# Requested paths that do not exist.
ends 0 convert --force --only 'types|modle|types/**' \
    --except 'nothing|types/bool' sample.varve one.varve
cat >other <<'END'
varve: warning: --only: no path matches: modle (did you mean 'model'?)
varve: warning: --except: no path matches: nothing
END
diff err other || fail 'a pattern without a match is not reported'
for quiet in --json --quiet; do
    ends 0 convert --force $quiet --only 'types|modle' sample.varve one.varve
    [ ! -s err ] || fail "convert $quiet warned"
done

# A damaged value with two paths: not selected, or excluded.
complains 4 'varve: cannot read: damaged.varve: model/layers/0/kernel: ' \
    convert damaged.varve never.varve
has 'hint: --salvage leaves out damaged values' err
ends 0 convert --except '**/layers/0/kernel' damaged.varve most.varve
ends 0 convert --except '**/layers/0/kernel' sample.varve other.varve
cmp -s most.varve other.varve || fail 'values after a damaged one differ'
ends 0 verify most.varve
for part in sample damaged; do
    ends 0 convert $part.varve:optimizer/step $part-step.npy
    ends 0 convert --only types $part.varve $part-types.npz
    ends 0 convert --except 'layers/*/kernel' $part.varve:model \
        $part-model.safetensors
done
for part in step.npy types.npz model.safetensors; do
    cmp -s sample-$part damaged-$part ||
        fail "$part differs although it is intact"
done

# An existing file is not lost.
cp sample.varve kept.varve
complains 3 'varve: cannot write: kept.varve: the file already exists' \
    convert sample.varve:model kept.varve
has 'hint: use --force to replace it' err
cmp -s sample.varve kept.varve || fail 'a file was replaced without --force'
ends 0 convert --force sample.varve:model kept.varve
cmp -s part.varve kept.varve || fail 'a file was not replaced with --force'
ends 0 convert --force kept.varve kept.varve
cmp -s part.varve kept.varve || fail 'a file cannot be its own destination'

# A file that could not be read back is not kept, and the old file is not
# replaced.
deep=$(printf 'a/%.0s' {1..2000})
ends 0 convert --rename "$deep** -> **" value.varve deep.varve
ends 0 convert value.varve kept.safetensors
cp kept.safetensors kept
complains 3 'varve: cannot open the new file: kept.safetensors: ' \
    convert --force deep.varve kept.safetensors
cmp -s kept kept.safetensors ||
    fail 'an intact file was replaced by an invalid one'
complains 3 'varve: cannot open the new file: never.npz: ' \
    convert deep.varve never.npz
[ ! -e never.npz ] || fail 'an unreadable file was left'
ends 0 convert --to tensorflow --shard-size 1KiB sample.varve:model parts
ends 0 verify parts.index
[ -z "$(find . -name '.varve-*')" ] || fail 'a temporary file was left'
ends 0 convert --rename "$deep$deep** -> **" value.varve deeper.varve
complains 4 'varve: cannot write: kept.safetensors: ...a/a/a/' \
    convert --force deeper.varve kept.safetensors
has 'the limit is 4095 bytes' err
cmp -s kept kept.safetensors ||
    fail 'an intact file was lost because of a path that is too long'

complains 3 'varve: cannot write: foreign.varve: the file exists and is not' \
    convert --force sample.varve foreign.varve
complains 4 'varve: cannot read: damaged.varve: ' \
    convert damaged.varve never.varve
complains 3 'varve: cannot write: /dev/null/no/such.varve: ' \
    convert sample.varve /dev/null/no/such.varve
error 3 VARVE_EXISTS convert --json sample.varve kept.varve
error 3 VARVE_NOT_FOUND convert --json missing.varve never.varve
error 1 VARVE_NOT_FOUND convert --json sample.varve:nonsense never.varve
complains 1 'varve: --rename: no path matches: model/layer' \
    convert --rename 'x -> model/layer' sample.varve never.varve
complains 1 'varve: --rename: no path matches: model/layer' \
    convert --rename ' -> model/layer' sample.varve never.varve
wrong_way="varve: the rename is reversed: write 'NEW -> OLD': "
complains 2 "${wrong_way}model/layers/* -> x/*" \
    convert --rename 'model/layers/* -> x/*' sample.varve never.varve
complains 2 "${wrong_way}** -> x/**" \
    convert --rename '** -> x/**' sample.varve never.varve
error 2 USAGE convert --json --rename 'model -> x' sample.varve never.varve
printf 'opt -> optimizer\nmodel -> x\n' >reversed
complains 2 "${wrong_way}reversed: model -> x" \
    convert --rename-file reversed sample.varve never.varve
complains 1 'varve: --rename: no path matches: types/int16' convert \
    --only model --rename 'model -> types/int16' sample.varve never.varve
complains 1 'varve: --cast: no value matches: modle' \
    convert --cast 'modle=float32' sample.varve never.varve
complains 1 'varve: --cast: no value was converted: int8' \
    convert --only model/layers/0/kernel --cast int8 sample.varve never.varve
has "hint: a TYPE alone converts only values of the same kind" err
has "use --cast 'PATS=int8'" err
[ ! -e never.varve ] || fail 'a cast without effect wrote a file'
complains 1 'varve: nothing to convert: --only and --except leave no value' \
    convert --only 'modle|model/layers/0/kernal' sample.varve never.varve
has "no path matches modle (did you mean 'model'?), model/layers/0/kernal" err
has "(did you mean 'model/layers/0/kernel'?)" err
complains 1 'varve: nothing to convert: ' \
    convert --only lay sample.varve:model never.varve
has "no path matches lay (did you mean 'layers'?)" err
error 1 VARVE_NOT_FOUND convert --json --only modle sample.varve never.varve
has "did you mean 'model'?" err
complains 1 'varve: nothing to convert: ' \
    convert --only model --except '**' sample.varve never.varve
[ "$(wc -l <err)" = 1 ] || fail "unexpected hint: $(cat err)"
complains 3 'varve: cannot cast: types/string: ' \
    convert --cast 'types/string=float32' sample.varve never.varve
complains 2 "varve: convert: --rename: there would be two values at 'random'" \
    convert --rename 'random -> optimizer/step' sample.varve never.varve
complains 2 'varve: convert: --rename: there would be two values' \
    convert --rename 'optimizer/rate/x -> random' sample.varve never.varve
complains 2 "varve: convert: --rename: expected 'NEW -> OLD' with" \
    convert --rename 'b -> a/*' sample.varve never.varve
printf '# comment\na > b\n' >wrong
complains 2 "varve: convert: wrong:2: expected 'NEW -> OLD'" \
    convert --rename-file wrong sample.varve never.varve
complains 2 'varve: convert: --cast: must be TYPE or PATTERN=TYPE with a' \
    convert --cast float sample.varve never.varve
complains 2 'varve: convert: --shard-size is only for TensorFlow and' \
    convert --shard-size 2KiB sample.varve never.npz
complains 2 'varve: convert: --names=global is only for safetensors, npz and' \
    convert --names=global sample.varve never.varve
complains 2 'varve: convert: --shard-size: must be a size such as 500MB or' \
    convert --shard-size 2XB sample.varve never.varve
complains 2 "varve: convert: 'never': the name must end in .varve," \
    convert sample.varve never
complains 2 'varve: convert: --to: must be varve|tensorflow' \
    convert --to onnx sample.varve never
[ -z "$(ls never* 2>/dev/null)" ] || fail 'convert left something behind'

# A symbolic link is kept; its target is replaced and keeps its mode.
stays() { # LINK FILE
    [ -L "$1" ] || fail "$1 is no longer a link"
    [ "$(stat -c %a "$2")" = 600 ] || fail "the mode of $2 has changed"
}
mkdir far
cp sample.varve far/real.varve
echo older >far/value
chmod 600 far/real.varve far/value
ln -s far/real.varve link.varve
ln -s far/value link_to_value
complains 3 'varve: cannot write: link.varve: the file already exists' \
    convert run-7.varve link.varve
ends 0 convert -f run-7.varve link.varve
stays link.varve far/real.varve
cmp -s far/real.varve copy-of-7 ||
    fail 'the target of the link was not replaced'
ends 0 repack link.varve
stays link.varve far/real.varve
ends 0 cat -o link_to_value sample.varve optimizer/step
stays link_to_value far/value
ends 0 cat -o new_value sample.varve optimizer/step
cmp -s far/value new_value || fail 'the target of the link was not replaced'
ln -s far/none link_to_none
complains 3 'varve: cannot write: link_to_none' \
    cat -o link_to_none sample.varve optimizer/step
[ -z "$(find . -name '*.tmp')" ] || fail 'a temporary file was left'
