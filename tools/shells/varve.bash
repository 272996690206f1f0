# Completion of varve for bash, made by: varve completion bash
_varve()
{
    local word=${COMP_WORDS[COMP_CWORD]} option= words=
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W 'log ls show stat cat verify repair repack prune pin unpin graph convert diff plan completion help version' -- "$word"))
        return
    fi
    if [ "$word" = = ]; then
        option=${COMP_WORDS[COMP_CWORD-1]} word=
    elif [ "${COMP_WORDS[COMP_CWORD-1]}" = = ]; then
        option=${COMP_WORDS[COMP_CWORD-2]}
    fi
    case "${COMP_WORDS[1]} $option" in
    'log --units') words='iec si bytes' ;;
    'log --color') words='auto always never' ;;
    'ls --sort') words='path bytes offset' ;;
    'ls --units') words='iec si bytes' ;;
    'ls --color') words='auto always never' ;;
    'show --units') words='iec si bytes' ;;
    'show --color') words='auto always never' ;;
    'stat --sort') words='path bytes offset' ;;
    'stat --units') words='iec si bytes' ;;
    'stat --color') words='auto always never' ;;
    'verify --progress') words='auto always never' ;;
    'verify --units') words='iec si bytes' ;;
    'verify --color') words='auto always never' ;;
    'repair --to') words='varve tensorflow tensorflow-names safetensors npy npz torch gguf hdf5' ;;
    'repair --progress') words='auto always never' ;;
    'repair --units') words='iec si bytes' ;;
    'repack --progress') words='auto always never' ;;
    'prune --units') words='iec si bytes' ;;
    'graph --svg') words='tree icicle' ;;
    'graph --progress') words='auto always never' ;;
    'graph --units') words='iec si bytes' ;;
    'convert --to') words='varve tensorflow tensorflow-names safetensors npy npz torch gguf hdf5' ;;
    'convert --names') words='path global' ;;
    'convert --progress') words='auto always never' ;;
    'convert --units') words='iec si bytes' ;;
    'diff --progress') words='auto always never' ;;
    'diff --color') words='auto always never' ;;
    'plan --units') words='iec si bytes' ;;
    'plan --color') words='auto always never' ;;
    esac
    [[ -z $option && $word == -* ]] && case ${COMP_WORDS[1]} in
    log) words='--json --jsonl --markdown --tsv --limit --keep-last --keep-best --greatest --metric --keep-every-steps --keep-every-seconds --keep-bytes --units --ascii --color --no-hdf5 --max-memory --help' ;;
    ls) words='--flat --json --jsonl --markdown --tsv --sort --limit --depth --include --exclude --slots --values --all --units --ascii --color --dots --follow-links --no-hdf5 --max-memory --help' ;;
    show) words='--json --slice --all --include --exclude --full --precision --width --statistics --histogram --bins --units --ascii --color --no-hdf5 --max-memory --help' ;;
    stat) words='--values --strict --bins --json --jsonl --markdown --tsv --sort --limit --depth --include --exclude --threads --units --ascii --color --dots --follow-links --no-hdf5 --max-memory --help' ;;
    cat) words='--json --output --parents --slice --force --dots --follow-links --no-hdf5 --max-memory --help' ;;
    verify) words='--json --threads --quiet --progress --units --ascii --color --follow-links --no-hdf5 --max-memory --help' ;;
    repair) words='--output --to --force --parents --verbose --quiet --json --progress --units --ascii --no-hdf5 --max-memory --help' ;;
    repack) words='--output --force --parents --quiet --progress --no-hdf5 --max-memory --help' ;;
    prune) words='--keep-last --keep-best --greatest --metric --keep-every-steps --keep-every-seconds --keep-bytes --as-noted --dry-run --quiet --units --no-hdf5 --max-memory --help' ;;
    pin) words='--no-hdf5 --max-memory --help' ;;
    unpin) words='--no-hdf5 --max-memory --help' ;;
    graph) words='--svg --dot --html --statistics --title --notes --mermaid --json --output --parents --depth --include --exclude --slots --values --all --progress --units --dots --follow-links --no-hdf5 --max-memory --help' ;;
    convert) words='--output --to --only --except --dots --follow-links --rename --rename-file --cast --names --shard-size --compress --salvage --force --parents --verbose --quiet --json --progress --units --ascii --no-hdf5 --max-memory --help' ;;
    diff) words='--rename --rename-file --include --exclude --tolerance --relative --cast --nan-differs --values --equal --strict --page --quiet --json --jsonl --markdown --tsv --progress --color --dots --follow-links --no-hdf5 --max-memory --help' ;;
    plan) words='--into --rename --rename-file --allow-missing --allow-unexpected --cast --write-map --parents --page --verbose --quiet --json --jsonl --markdown --tsv --units --color --dots --follow-links --no-hdf5 --max-memory --help' ;;
    completion) words='--no-hdf5 --max-memory --help' ;;
    esac
    [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -o bashdefault -F _varve varve
