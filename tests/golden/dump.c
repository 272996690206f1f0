/* dump.c - Prints the description of a file for check_golden.py.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/varve.h>

#include "golden/describe.h"

int main(int argc, char **argv)
{
    varve_error error = { .status = VARVE_OK };
    varve_reader *reader =
        argc == 2 ? varve_reader_open(argv[1], NULL, &error) : NULL;
    varve_status status =
        reader ? describe(stdout, reader, &error) : error.status;
    if (!reader || status)
        fprintf(stderr, "%s\n", argc == 2 ? error.message : "usage: dump FILE");
    varve_reader_free(reader);
    return !reader || status;
}
