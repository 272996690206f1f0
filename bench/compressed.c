/* compressed.c - P13: Measures saves with and without compression, of weights
 * and of noise: time, file size, and a warm restore.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "raw.h"
#include "rows.h"

enum { VARIABLES = 100 };

static uint32_t next(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* Fills with numbers like those of a network: nearly normal around 0, with all
 * mantissa bits used. */
static void fill_with_weights(unsigned char *bytes, size_t size)
{
    float *weights = (float *)(void *)bytes;
    uint32_t random = 1;
    for (size_t i = 0; i < size / sizeof *weights; i++) {
        float sum = 0;
        for (int k = 0; k < 4; k++)
            sum += (float)next(&random) / (1 << 24) - 0.5f;
        weights[i] = 0.02f * sum;
    }
}

static void fill_with_noise(unsigned char *bytes, size_t size)
{
    uint32_t random = 1;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(next(&random) >> 16);
}

static struct contender bytes_of(const struct job *job)
{
    struct stat s;
    must_system(stat(job->path, &s) == 0, job->path);
    return (struct contender){
        .name = "size of the file", .count = 1, .samples = { (double)s.st_size }
    };
}

static void race_saves(const struct wishes *wishes, const char *what,
    struct job *packed, struct job *plain)
{
    struct contender contenders[] = {
        { .name = "compressed", .run = run_save, .user = packed },
        { .name = "uncompressed", .run = run_save, .user = plain },
    };
    race(contenders, 2, wishes->rounds);
    report(&(struct row){ .id = "P13",
        .what = what,
        .ours = &contenders[0],
        .raw = &contenders[1] });
    const struct contender ours = bytes_of(packed), raw = bytes_of(plain);
    report(&(struct row){ .id = "P13",
        .what = "  size of the file",
        .ours = &ours,
        .raw = &raw,
        .unit = "MiB",
        .scale = 1.0 / (1 << 20) });
}

static void race_restores(
    const struct wishes *wishes, struct job *packed, struct job *plain)
{
    for (int i = 0; i < 2; i++) {
        packed->restore.passes = plain->restore.passes =
            i > 0 ? VARVE_ONE_PASS : VARVE_TWO_PASSES;
        struct contender contenders[] = {
            { .name = "compressed", .run = run_restore, .user = packed },
            { .name = "uncompressed", .run = run_restore, .user = plain },
        };
        race(contenders, 2, wishes->rounds);
        report(&(struct row){ .id = "P13",
            .what = i ? "  warm restore, one pass" : "  warm restore",
            .ours = &contenders[0],
            .raw = &contenders[1] });
    }
}

static bool can_compress(const struct job *job)
{
    varve_error error = { 0 };
    varve_status status = varve_write(
        varve_graph_root(job->graph), job->path, &job->save, &error);
    return status != VARVE_TOO_NEW;
}

void bench_compressed(const struct wishes *wishes)
{
    char path[PATH_SIZE], other[PATH_SIZE];
    if (!is_wanted(wishes, "P13"))
        return;
    unsigned char *bytes = touched_memory(wishes->size);
    struct job plain = {
        .graph = model_of_variables(bytes, wishes->size, VARIABLES),
        .path = scratch(wishes, "plain.varve", path),
    };
    struct job packed = {
        .graph = plain.graph,
        .path = scratch(wishes, "packed.varve", other),
        .save = { .compress = 1 },
    };
    for (int i = 0; i < 2 && can_compress(&packed); i++) {
        (i ? fill_with_noise : fill_with_weights)(bytes, wishes->size);
        race_saves(wishes,
            i ? "durable save of noise, compressed"
              : "durable save of weights, compressed",
            &packed, &plain);
        race_restores(wishes, &packed, &plain);
    }
    varve_graph_free(plain.graph);
    free(bytes);
    unlink(path);
    unlink(other);
}
