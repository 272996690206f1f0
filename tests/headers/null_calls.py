#!/usr/bin/env python3
"""null_calls.py - Generates calls of every public function with NULL for each
of its nodes.

    tests/headers/null_calls.py INCLUDE OUTPUT DEPFILE

Also generates calls of every public function that takes another handle, which
a failed call may have returned as NULL, with zero for each argument except the
error. Writes the calls as C for null_nodes.c, which makes them and checks the
results. A new function is included automatically; a new type of argument is an
error here until a value is defined for it.

SPDX-License-Identifier: MIT
"""
import itertools
import os
import re
import sys

# Argument types without `const` and a value for each. The name of a parameter
# decides if its type is ambiguous.
BY_TYPE = {
    'varve_graph *': 'g->graph',
    'varve_node **': 'NULL',
    'char *': '"name"',
    'varve_tensor': 'varve_array(g->memory, 2)',
    'varve_dtype': 'VARVE_FLOAT32',
    'varve_libc_generator': 'VARVE_LIBC_DRAND48',
    'varve_shape': 'VARVE_SHAPE(2)',
    'varve_box *': '&(varve_box){ { 0 }, { 2 } }',
    'varve_visit *': 'visit',
    'varve_on_demand *': 'offer',
    'varve_initializer *': 'NULL',
    'varve_state_callbacks *': '&callbacks',
    'varve_field *': 'fields',
    'varve_migrating *': '(&(varve_migrating){ 0 })',
    'varve_refresh *': 'NULL',
    'varve_resizing *': 'NULL',
    'varve_random *': '&g->stream',
    'varve_records *': 'g->records',
    'varve_events *': 'NULL',
    'FILE *': 'stderr',
    'int': '2',  # a descriptor
    'varve_output_callbacks *': '(&(varve_output_callbacks){ 0 })',
    'varve_saver *': 'g->saver',
    'varve_restoration *': 'g->restoration',
    'varve_restoration *': 'NULL',
    'varve_error *': '&o->error',
    'varve_comm *': '&alone',
    'void *': 'g',
    'size_t': '1',
    'size_t *': 'NULL',
    'uint64_t': '0',
    'uint64_t *': 'NULL',
}
BY_NAME = {
    'path': 'g->path',
    'prefix': 'g->path',
    'directory': 'g->path',
    'index': '0',
    'start': '(uint64_t[]){ 0 }',
    'list': 'g->list',
    'variable': 'g->variable',
    'other': 'g->variable',
}
NODE = 'varve_node *'


def functions(header):
    """Yields result, name and parameters (type, name) of all functions that
    take a node."""
    for each in header.declared():
        parameters = [(kind.replace('const ', ''), name)
                      for kind, name in each.parameters]
        if each.kind == 'function' and any(
                kind == NODE for kind, _ in parameters):
            yield each.result, each.name, parameters


def argument(function, kind, name, is_null):
    if kind == NODE:
        return 'NULL' if is_null else BY_NAME.get(name, 'g->good')
    if kind.endswith(('_options *', '_select *')):
        return 'NULL'
    if name in BY_NAME:
        return BY_NAME[name]
    if kind not in BY_TYPE:
        sys.exit(f'{function}: no value for the type "{kind}"; '
                 'add it to null_calls.py')
    return BY_TYPE[kind]


# Types returned by calls that may fail. A communicator is a struct, but some
# functions return a pointer to one.
HANDLES = ('comm', 'events', 'job', 'lease', 'manager', 'mapped', 'page',
           'processes', 'reader', 'records', 'report', 'restoration', 'ring',
           'saver', 'snapshot', 'watch')


# For these NULL is valid: nothing is recorded, or no save is pending.
TAKE_NULL = ('varve_events_flush', 'varve_job_is_done')


def handles(all_headers):
    """Yields result, name and parameters of all functions whose first
    argument is a handle."""
    for header in all_headers:
        if header.name == 'mpi.h': # a separate library
            continue
        for each in header.declared():
            if each.kind != 'function' or not each.parameters \
                    or each.name in TAKE_NULL:
                continue
            kind = each.parameters[0][0].replace('const ', '')
            if kind in [f'varve_{handle} *' for handle in HANDLES]:
                yield each.result, each.name, each.parameters


def nothing(kind):
    if kind == 'varve_error *':
        return '&o->error'
    kind = kind.replace('const ', '')
    return 'NULL' if kind.endswith('*') else f'({kind}){{ 0 }}'


def role(result, name, parameters):
    """Returns the expected kind of result; null_nodes.c defines them."""
    if any(kind == 'varve_error *' for kind, _ in parameters):
        return 'FAILS'
    if re.search(r'_find(?!_or_add)|_pending|_at$', name):
        return 'ASKS'
    if result == NODE:
        return 'BUILDS'
    return 'CHANGES' if result == 'void' else 'ASKS'


def keep(result):
    """Returns the assignment of the result."""
    if result == 'void':
        return ''
    if result == NODE:
        return 'o->node = '
    if result == 'varve_status':
        return 'o->status = '
    if result.endswith('*'):
        return 'o->pointer = '
    return 'o->number = (uint64_t)'


def calls(all_headers):
    for header in all_headers:
        for result, name, parameters in functions(header):
            nodes = [p for p in parameters if p[0] == NODE]
            for nulls in itertools.product((True, False), repeat=len(nodes)):
                if any(nulls):
                    yield result, name, parameters, nulls


def main(include, output, depfile):
    sys.path.insert(0, os.path.join(os.path.dirname(include), 'docs', 'site'))
    import headers  # parses the declarations of a header
    found = sorted(headers.read_all(include), key=lambda each: each.name)
    table = []
    with open(output, 'w', encoding='utf-8') as out:
        for result, name, parameters, nulls in calls(found):
            left = list(nulls)
            given = ', '.join(
                argument(name, kind, each, kind == NODE and left.pop(0))
                for kind, each in parameters)
            run = f'run_{len(table)}'
            print(f'static void {run}(struct given *g, struct outcome *o)\n'
                  f'{{\n    (void)g;\n    (void)o;\n'
                  f'    {keep(result)}{name}({given});\n}}\n', file=out)
            shown = ', '.join('NULL' if null else 'node' for null in nulls)
            table.append(f'    {{ "{name}({shown})", {run}, '
                         f'{role(result, name, parameters)}, '
                         f'{str(not nulls[0]).lower()} }},')
        print('static const struct call calls[] = {', *table, '};',
              sep='\n', file=out)
        table = []
        for result, name, parameters in handles(found):
            given = ', '.join(nothing(kind) for kind, _ in parameters)
            if name == 'varve_reader_digest': # has an array without its length
                given = 'NULL, (uint8_t[16]){ 0 }, &o->error'
            run = f'run_handle_{len(table)}'
            print(f'static void {run}(struct given *g, struct outcome *o)\n'
                  f'{{\n    (void)g;\n    (void)o;\n'
                  f'    {keep(result)}{name}({given});\n}}\n', file=out)
            table.append(f'    {{ "{name}", {run}, '
                         f'{role(result, name, parameters)}, false }},')
        print('static const struct call handle_calls[] = {', *table, '};',
              sep='\n', file=out)
    with open(depfile, 'w', encoding='utf-8') as out:
        print(f'{output}:', headers.__file__, *(
            os.path.join(include, 'varve', each.name) for each in found),
            file=out)


main(*sys.argv[1:])
