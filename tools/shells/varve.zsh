#compdef varve
# Completion of varve for zsh, made by: varve completion zsh
_varve() {
  local -a names
  names=(
    'log:the checkpoints of a directory, newest first'
    'ls:objects and values of a checkpoint'
    'stat:sizes, types, and statistics of values'
    'cat:the bytes of one value, or its elements as JSON'
    'verify:check every byte of checkpoints'
    'repair:a good file of what is intact of a damaged one'
    'repack:one file of a checkpoint with layers'
    'prune:delete what no policy keeps, or layers that nothing names'
    'pin:keep checkpoints for ever'
    'unpin:keep them no longer than others'
    'graph:the saved graph as a picture'
    'convert:a checkpoint, or a part of it, in another format'
    'completion:what a shell needs to complete options'
    'help:what a command does'
    'version:which varve this is'
  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
  log) _arguments '--json[print JSON]' '--jsonl[print the items of that, one on each line]' '--markdown[print a table in Markdown]' '--tsv[print a table with tabs, for other programs]' '--limit=[at most the newest N]:limit: ' '--keep-last=[the newest N]:keep-last: ' '--keep-best=[the N with the least metric]:keep-best: ' '--greatest[the greatest metric is the best]' '--metric=[the metric of that name]:metric: ' '--keep-every-steps=[the first at or after each multiple of N steps]:keep-every-steps: ' '--keep-every-seconds=[one that is so much later than the one before it]:keep-every-seconds: ' '--keep-bytes=[the newest that together are no larger]:keep-bytes: ' '--units=[how to print sizes]:units:(iec si bytes)' '--ascii[draw with ASCII only]' '--color=[colours (also\: NO_COLOR)]:color:(auto always never)' '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  ls) _arguments '-l[a table of values instead of the tree]' '--flat[a table of values instead of the tree]' '--json[print JSON]' '--jsonl[print the items of that, one on each line]' '--markdown[print a table in Markdown]' '--tsv[print a table with tabs, for other programs]' '--sort=[order of the table (bytes\: largest first)]:sort:(path bytes offset)' '--limit=[at most N lines or items]:limit: ' '--depth=[at most N levels below the root]:depth: ' '-I[only paths that match PAT and what is below]:include: ' '--include=[only paths that match PAT and what is below]:include: ' '-X[not these; the last pattern that matches wins]:exclude: ' '--exclude=[not these; the last pattern that matches wins]:exclude: ' '--slots[each slot variable in the tree]' '--values[only what has a value or leads to one]' '--units=[how to print sizes]:units:(iec si bytes)' '--ascii[draw with ASCII only]' '--color=[colours (also\: NO_COLOR)]:color:(auto always never)' '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  stat) _arguments '-v[read the values\: a row of statistics for each]' '--values[read the values\: a row of statistics for each]' '--strict[end with 1 where a value has NaN or infinities]' '--bins=[histograms of N bins, 1 to 64 (8)]:bins: ' '--json[print JSON]' '--jsonl[print the items of that, one on each line]' '--markdown[print a table in Markdown]' '--tsv[print a table with tabs, for other programs]' '--sort=[order of the rows (bytes\: largest first)]:sort:(path bytes offset)' '--limit=[at most N rows]:limit: ' '--depth=[subtrees N levels below the root (1), or values no deeper]:depth: ' '-I[only paths that match PAT and what is below]:include: ' '--include=[only paths that match PAT and what is below]:include: ' '-X[not these; the last pattern that matches wins]:exclude: ' '--exclude=[not these; the last pattern that matches wins]:exclude: ' '-j[at most N values at once]:threads: ' '--threads=[at most N values at once]:threads: ' '--units=[how to print sizes]:units:(iec si bytes)' '--ascii[draw with ASCII only]' '--color=[colours (also\: NO_COLOR)]:color:(auto always never)' '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  cat) _arguments '--json[print JSON]' '-o[write to FILE]:output:_files' '--output=[write to FILE]:output:_files' '--slice=[only a part, as NumPy writes it\: 10\:20,\:,-1]:slice: ' '-f[print bytes even to a terminal]' '--force[print bytes even to a terminal]' '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  verify) _arguments '--json[print JSON]' '-j[at most N threads at once]:threads: ' '--threads=[at most N threads at once]:threads: ' '-q[print nothing about whole files]' '--quiet[print nothing about whole files]' '--progress=[a bar on standard error]:progress:(auto always never)' '--units=[how to print sizes]:units:(iec si bytes)' '--ascii[draw with ASCII only]' '--color=[colours (also\: NO_COLOR)]:color:(auto always never)' '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  repair) _arguments '-o[the good file; its ending is its format]:output:_files' '--output=[the good file; its ending is its format]:output:_files' '--to=[the format, where the name does not say it]:to:(varve tensorflow tensorflow-names safetensors npy npz)' '-f[replace a checkpoint that is there]' '--force[replace a checkpoint that is there]' '-v[all that the format cannot hold, not a few]' '--verbose[all that the format cannot hold, not a few]' '-q[print nothing but errors]' '--quiet[print nothing but errors]' '--json[print JSON]' '--progress=[a bar on standard error]:progress:(auto always never)' '--units=[how to print sizes]:units:(iec si bytes)' '--ascii[draw with ASCII only]' '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  repack) _arguments '-o[write to OUT, and leave FILE as it is]:output:_files' '--output=[write to OUT, and leave FILE as it is]:output:_files' '-f[replace a checkpoint that is there]' '--force[replace a checkpoint that is there]' '-q[print nothing but errors]' '--quiet[print nothing but errors]' '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  prune) _arguments '--keep-last=[the newest N]:keep-last: ' '--keep-best=[the N with the least metric]:keep-best: ' '--greatest[the greatest metric is the best]' '--metric=[the metric of that name]:metric: ' '--keep-every-steps=[the first at or after each multiple of N steps]:keep-every-steps: ' '--keep-every-seconds=[one that is so much later than the one before it]:keep-every-seconds: ' '--keep-bytes=[the newest that together are no larger]:keep-bytes: ' '--as-noted[what the last manager there kept, by its ledger]' '-n[say what would go, and delete nothing]' '--dry-run[say what would go, and delete nothing]' '-q[print nothing but errors]' '--quiet[print nothing but errors]' '--units=[how to print sizes]:units:(iec si bytes)' '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  pin) _arguments '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  unpin) _arguments '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  graph) _arguments '--svg=-[draw a tree (also without it), or the bytes]::svg:(tree icicle)' '--dot[text for graphviz]' '--html[a page for a browser\: search, fold, filter]' '--json[print JSON]' '-o[write to FILE]:output:_files' '--output=[write to FILE]:output:_files' '--depth=[at most N levels below the root]:depth: ' '-I[only paths that match PAT and what is below]:include: ' '--include=[only paths that match PAT and what is below]:include: ' '-X[not these; the last pattern that matches wins]:exclude: ' '--exclude=[not these; the last pattern that matches wins]:exclude: ' '--slots[each slot variable in the tree]' '--values[only what has a value or leads to one]' '--units=[how to print sizes]:units:(iec si bytes)' '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  convert) _arguments '--to=[the format, where the name does not say it]:to:(varve tensorflow tensorflow-names safetensors npy npz)' '--only=[nothing else is taken]:only: ' '--except=[these are not taken]:except: ' '--rename=[other paths; repeatable]:rename: ' '--rename-file=[a line for each rename; # is a comment]:rename-file:_files' '--cast=[another element type, or PATS=TYPE; repeatable]:cast: ' '--names=[what safetensors and npz call a value; global names where there are]:names:(path global)' '--shard-size=[begin another file before this, as 2GiB]:shard-size: ' '--salvage[leave out what is damaged, and tell it]' '-f[replace a checkpoint that is there]' '--force[replace a checkpoint that is there]' '-v[all that was lost or cast, not a few]' '--verbose[all that was lost or cast, not a few]' '-q[print nothing but errors]' '--quiet[print nothing but errors]' '--json[print JSON]' '--progress=[a bar on standard error]:progress:(auto always never)' '--units=[how to print sizes]:units:(iec si bytes)' '--ascii[draw with ASCII only]' '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  completion) _arguments '-h[say what the command does]' '--help[say what the command does]' '*:file:_files' ;;
  *) _files ;;
  esac
}
if [ "$funcstack[1]" = _varve ]; then
  _varve "$@"
else
  compdef _varve varve
fi
