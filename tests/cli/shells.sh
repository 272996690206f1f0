# shells.sh - Tests shell completion. Sourced by run.sh.
#
# SPDX-License-Identifier: MIT
complains 2 'varve: completion: the shell must be bash, zsh or fish' \
    completion ksh

# completes WORDS... = ANSWER...: in bash, the first completions are these.
completes() {
    local answer
    answer=$(
        . "$tools/shells/varve.bash"
        COMP_WORDS=()
        while [ "$1" != gives ]; do
            COMP_WORDS+=("$1")
            shift
        done
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _varve
        shift
        [ "${COMPREPLY[*]}" = "$*" ] ||
            echo "expected $*, found ${COMPREPLY[*]}"
    )
    [ -z "$answer" ] || fail "completion of $*: $answer"
}
completes varve l gives log ls
completes varve help gives help
completes varve ls --s gives --sort --slots
completes varve ls --sort = gives path bytes offset
completes varve ls --sort = by gives bytes
completes varve prune --keep-e gives --keep-every-steps --keep-every-seconds
completes varve ls file gives

# Other shells, if they are installed.
! command -v zsh >/dev/null || zsh -n "$tools/shells/varve.zsh" ||
    fail 'varve.zsh is not for zsh'
if command -v fish >/dev/null; then
    fish -c 'source $argv; complete -C "varve ls --sort=b"' \
        "$tools/shells/varve.fish" >out
    has '--sort=bytes' out
fi
