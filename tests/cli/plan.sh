# plan.sh - Tests dry runs of a restore into another program. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT
prints plan_same 0 plan sample.varve --into sample.varve
prints plan 1 plan sample.varve --into changed.varve
prints plan_json 1 plan --json sample.varve --into changed.varve
valid json
prints plan_tsv 1 plan --tsv -v sample.varve --into renamed.varve
ends 1 plan -q sample.varve --into changed.varve
[ ! -s out ] || fail 'plan -q printed something'
ends 1 plan -q --page page.html sample.varve --into changed.varve
cp page.html out
valid page
has '"marks":[["would arrive",' out
has 'type or shape differs; the program has ' out
ends 0 plan -q --page page.html sample.varve --into sample.varve
rm page.html
mkdir page.html
complains 3 'varve: cannot write: page.html: ' \
    plan --page page.html sample.varve --into sample.varve
rmdir page.html

# A written map completes the plan, and the library reads through it.
prints plan_map 1 plan sample.varve --into renamed.varve --write-map plan.map
ends 0 plan sample.varve --into renamed.varve --rename-file plan.map
"$(dirname "$make_sample")/read_mapped" sample.varve renamed.varve plan.map ||
    fail 'the library cannot read with the map'
cp plan.map out
[ -z "${UPDATE-}" ] || cp out "$here/expected/plan_map_file.txt"
diff -u "$here/expected/plan_map_file.txt" out || fail 'another map'
ends 0 plan -q sample.varve --into renamed.varve \
    --rename 'net -> model/layers' --rename 'adam -> optimizer'
complains 3 'varve: cannot write: none/plan.map: ' plan sample.varve \
    --into renamed.varve --write-map none/plan.map

# The program given as a list of values.
ends 0 ls --tsv sample.varve
cp out listed.tsv
ends 0 plan sample.varve --into listed.tsv
ends 0 ls --tsv renamed.varve
cp out listed.tsv
ends 1 plan sample.varve --into listed.tsv
cat >listed.txt <<'END'
# values of a program
  model/layers/0/kernel   float32 [64, 20]

model/layers/0/bias float32[20]
random state
optimizer/step int64 []
optimizer/m(model/layers/0/kernel) float32 [64,20]
name with spaces float64 [3]
END
prints plan_listing 1 plan sample.varve --into listed.txt \
    --allow-unexpected 'types|odd names' --allow-unexpected 'optimizer/*(**)'
ends 1 plan -q sample.varve --into listed.txt --allow-unexpected '**'
ends 0 plan sample.varve --into listed.txt --allow-unexpected '**' \
    --allow-missing 'name*'

# listing EXIT TEXT LINES: checks the message for an invalid list.
listing() {
    printf "$3" >wrong.txt
    complains "$1" "varve: cannot read: wrong.txt:$2" plan sample.varve \
        --into wrong.txt
}
listing 4 "1: expected 'path dtype [shape]' or 'path state'" 'a float33 [2]\n'
listing 4 "2: expected 'path dtype [shape]' or 'path state'" '#\na float32 [2\n'
listing 4 "1: expected 'path dtype [shape]' or 'path state'" 'float32 [2]\n'
listing 4 '1: a slot must have the path owner/slot(variable), and its' \
    'o/m(x) float32 []\n'
listing 4 '2: ' 'a float32 []\na float32 []\n'
listing 4 '2: ' 'a float32 []\na/b float32 []\n'
complains 2 'varve: plan: --into is required' plan sample.varve
complains 3 'varve: cannot open: missing.varve: ' \
    plan sample.varve --into missing.varve
complains 4 'varve: cannot open: empty.varve: ' \
    plan sample.varve --into empty.varve
complains 3 'varve: cannot open: missing.varve: ' \
    plan missing.varve --into sample.varve

# Values are not read, even if they are damaged.
ends 0 plan damaged.varve --into sample.varve
ends 0 plan sample.varve --into damaged.varve

# Other formats, a part, hostile names, many values.
ends 1 plan "$golden/keras_adam.index" --into "$golden/keras2_root.index"
ends 0 plan "$golden/keras_adam.npz" --into "$golden/keras_adam.npz"
ends 1 plan sample.varve:model --into sample.varve
ends 0 plan sample.varve:model --into sample.varve:model
ends 0 plan steers.safetensors --into steers.safetensors
ends 1 plan --json -v steers.safetensors --into steers.npy
valid harmless
ends 0 ls --tsv many.varve
sed 's#^items/#things/#' out >many.tsv
ends 1 plan many.varve --into many.tsv --write-map many.map
[ "$(tail -n 2 out | head -n 1)" = '0 matched, 3000 suggested' ] ||
    fail "plan of very many values: $(tail -n 2 out)"
ends 0 plan many.varve --into many.tsv --rename-file many.map

# Random renames.
python3 "$here/check_plan.py" "$varve" \
    "$(dirname "$make_sample")/read_mapped" 7 40 || fail 'random plans'

# A guess is a comment in the map and has no effect until it is uncommented.
printf 'dense/kernel float32 [3]\nother/kernel float32 [2]\n' >guess.txt
"$python" "$here/make_names.py" names.safetensors dense/kernel:3 hram_io:2
ends 1 plan names.safetensors --into guess.txt --write-map guess.map
has "1 rename in it is a guess, written as a comment: remove '#? '" out
cp guess.map out
has '#? other/kernel -> hram_io' out
ends 1 plan names.safetensors --into guess.txt --rename-file guess.map
sed 's/^#? //' guess.map >accepted.map
ends 0 plan names.safetensors --into guess.txt --rename-file accepted.map

# If the search is aborted, the message suggests how to continue.
seq -f 'model.layer.%g:2' 1 1500 >names.txt
xargs "$python" "$here/make_names.py" names.safetensors <names.txt
seq -f 'layer.%g float32 [2]' 1 1500 >crowd.txt
ends 1 plan names.safetensors --into crowd.txt
has 'names of 1500 values were not compared: too many have the same type' out
has '1500 suggestions were left out' out
has 'use --rename or --dots, or rename objects in --rename-file' out
ends 1 plan --json names.safetensors --into crowd.txt
has '"uncompared":1500,"left_out":1500' out
