#!/usr/bin/env python3
"""check_rename.py - Compiles a program written for 0.1 after applying
scripts/rename_0_1.sh.

    tests/install/check_rename.py SOURCE COMPILER

SPDX-License-Identifier: MIT
"""
import os
import shlex
import subprocess
import sys
import tempfile

# It uses each kind of name that has changed: functions, types, constants,
# members of options, and headers.
PROGRAM = r'''
#include <varve/varve.h>
#include <varve/layers.h>
#include <varve/private.h>
#include <varve/together.h>

struct net { int layers; };

static varve_status add(void *user, varve_node *mine, varve_reader *saved,
    const char *path, size_t count, varve_error *error)
{
    (void)user, (void)mine, (void)saved, (void)path, (void)error;
    return count ? VARVE_OK : VARVE_HALF_RESTORED;
}

int main(void)
{
    struct net net = { .layers = 3 };
    varve_error error;
    varve_fold *fold = add;
    varve_private_options own = { .fold = fold };
    varve_write_options write = { .layered = true,
        .layers = { .base = "a", .only_touched = true } };
    varve_read_options read = { .expect.unused = "b" };
    varve_run_options options = { .manager = { .as_noted = true },
        .heed_signals = true, .no_last_save = true };
    write.background.at_rest = true;
    write.many.files = 2;
    (void)write;
    varve_run *run = varve_run_new(NULL);
    varve_node *root = varve_run_root(run);
    varve_touch(varve_add_private(root, "own", NULL, &own));
    varve_run_open(run, "run", &options);
    varve_restoration *r = varve_plan(root, "c", &read, &error);
    varve_finding finding = { .kind = VARVE_ONLY_IN_FILE };
    if (!varve_run_goes_on(run) || finding.excused || finding.misfits)
        varve_clear_mistake(varve_run_graph(run), &error);
    return varve_finding_count(r, VARVE_WAITING) == 0 && net.layers == 3;
}
'''


def main(source, compiler):
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, 'program.c')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(PROGRAM)
        command = [*shlex.split(compiler), '-std=c11', '-Werror', '-Wall',
                   '-fsyntax-only', '-I', os.path.join(source, 'include'),
                   path]
        if subprocess.run(command, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            sys.exit('check_rename: the program compiles as it is')
        texts = []
        for _ in range(2):
            subprocess.run([os.path.join(source, 'scripts', 'rename_0_1.sh'),
                            path], check=True)
            with open(path, encoding='utf-8') as stream:
                texts.append(stream.read())
        subprocess.run(command, check=True)
        if texts[0] != texts[1] or 'int layers;' not in texts[0]:
            sys.exit('check_rename: changed too much:\n' + texts[1])
    print('check_rename: a program of 0.1 compiles')


main(*sys.argv[1:])
