#!/usr/bin/env bash
# run.sh - Runs the varve command on a sample and on damaged files and compares
# output and exit status with tests/cli/expected.
#
#     run.sh VARVE MAKE_SAMPLE MAKE_NEWER MAKE_GRAPHS
#     UPDATE=1 run.sh ...           writes the expected files
#
# SPDX-License-Identifier: MIT
set -eu

varve=$(realpath "$1")
make_sample=$(realpath "$2")
make_newer=$(realpath "$3")
make_graphs=$(realpath "${4:-$(dirname "$2")/make_graphs}")
make_lineages=$(realpath "$(dirname "$2")/make_lineages")
make_pieces=$(realpath "$(dirname "$2")/../golden/make_pieces")
here=$(cd "$(dirname "$0")" && pwd)
python=$(command -v python3)
! /usr/bin/python3 -c 'import jsonschema' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import jsonschema' 2>/dev/null ||
    echo 'python3-jsonschema is not installed: schemas are not checked'
helper=("$python" "$here/check_output.py")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export LC_ALL=C.UTF-8 TERM=dumb
unset NO_COLOR
ulimit -f 200000
count=0
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# ends EXIT ARGUMENTS...: runs the command; writes its output to out and err.
ends() {
    local expected=$1 status=0
    shift
    count=$((count + 1))
    timeout 60 "$varve" "$@" >out 2>err </dev/null || status=$?
    [ "$status" = "$expected" ] || {
        fail "varve $*: ended with $status, not $expected"
        cat err
    }
}

# prints NAME EXIT ARGUMENTS...: output equals expected/NAME.txt, without
# errors.
prints() {
    local file=$here/expected/$1.txt
    shift
    ends "$@"
    [ -z "${UPDATE-}" ] || cp out "$file"
    diff -u "$file" out || fail "varve ${*:2}: unexpected output"
    [ ! -s err ] || fail "varve ${*:2}: $(cat err)"
}

# complains EXIT TEXT ARGUMENTS...: the first line of standard error begins with
# TEXT, and standard output is empty.
complains() {
    local text=$2
    ends "$1" "${@:3}"
    [[ $(head -n 1 err) == "$text"* ]] ||
        fail "varve ${*:3}: expected '$text', found '$(head -n 1 err)'"
    [ ! -s out ] || fail "varve ${*:3}: printed $(head -c 80 out)"
}

# has TEXT FILE
has() {
    grep -qF -- "$1" "$2" || fail "expected '$1' in $(head -c 400 "$2")"
}

# valid KIND ...: checks the output with another program.
valid() {
    "${helper[@]}" "$@" <out || fail "not valid: $*"
}

"$make_sample" sample.varve
"$make_sample" many.varve 3000
"$make_sample" saved save
"$make_sample" texts.varve texts

for part in \
    good \
    bad \
    pictures \
    machine \
    convert \
    foreign \
    layers \
    compressed \
    memory \
    runs \
    lineages \
    prune \
    hostile \
    show \
    diff \
    plan \
    shells; do
    . "$here/$part.sh"
done

echo "$count runs, $failures failures"
[ "$failures" = 0 ]
