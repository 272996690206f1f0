/* test_shapes.c - Tests hostile files of a megabyte, each with one extreme
 * property: opening, listing, restoring and reporting must take little time and
 * memory, in proportion to the file size.
 *
 *     test_shapes [SHAPE]
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bytes.h"
#include "fuzz/fuzz.h"
#include "fuzz/program.h"
#include "fuzz/restore_flags.h"
#include "fuzz/shapes.h"
#include "support/proof.h"

/* --- Measuring ------------------------------------------------------------ */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

enum {
    MOST_BYTES = 4 << 20,
    LONGEST = 30 /* seconds; quadratic algorithms would take minutes */
};

static uint8_t file[MOST_BYTES];

/* Measures processor time. Under a sanitizer everything takes longer. */
static void measure(
    const char *shape, const char *what, fuzz_target *target, size_t size)
{
    double begin = seconds();
    target(file, size);
    double taken = seconds() - begin;
    fprintf(stderr, "%s, %zu bytes: %s: %.3f s\n", shape, size, what, taken);
    FUZZ_CHECK(taken < LONGEST, "%s takes too long", shape);
}

static void measure_restores(const char *shape, size_t size)
{
    static const uint32_t flags[] = { 0, RESTORE_ONLY | RESTORE_EXPECT,
        RESTORE_RENAMES | RESTORE_EXCEPT | RESTORE_DROP,
        RESTORE_LATE | RESTORE_REGRET };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        char what[64];
        vv_store32(file + size, flags[i]);
        snprintf(what, sizeof what, "restore, flags %#x", flags[i]);
        measure(shape, what, fuzz_restore, size + 4);
    }
}

int main(int argc, char **argv)
{
    const uint32_t part = (uint32_t)proof_size(8, 1);
    program_most_made = 1 << 20;
    uint64_t measured = 0;
    const char *name;
    for (size_t i = 0; (name = shape_name(i)); i++) {
        if (argc > 1 && strcmp(argv[1], name) != 0)
            continue;
        size_t size = shape_make(i, part, file, sizeof file - 4);
        FUZZ_CHECK(size, "%s: too large", name);
        measure(name, "index", fuzz_index, size);
        measure(name, "reader", fuzz_reader, size);
        measure_restores(name, size);
        measured++;
    }
    proof_count("fuzz.shapes", measured);
    return 0;
}
