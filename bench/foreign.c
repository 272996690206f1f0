/* foreign.c - P15: Measures the program's own arithmetic after a call compared
 * with before it: loops with SSE and AVX, and the C library's exp.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "raw.h"
#include "rows.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_AVX __builtin_cpu_supports("avx")
#else
#define HAS_AVX 0
#endif

enum {
    FLOATS = 1024,
    TURNS = 8000,
    POWERS = 100000,
    TRIES = 5,
    VARIABLES = 20
};

static const double most = 1.05;

static volatile float kept;
static float numbers[FLOATS];

/* --- What others compute -------------------------------------------------- */

static void run_sse(void)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < FLOATS; i++)
            numbers[i] = numbers[i] * 0.5f + 1;
    }
    kept = numbers[1];
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx")))
#endif
static void
run_avx(void)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < FLOATS; i++)
            numbers[i] = numbers[i] * 0.25f + 2;
    }
    kept = numbers[1];
}

static void run_expf(void)
{
    float sum = 0;
    for (int i = 0; i < POWERS; i++)
        sum += expf((float)(i & 1023) * -0.01f);
    kept = sum;
}

static void run_exp(void)
{
    double sum = 0;
    for (int i = 0; i < POWERS; i++)
        sum += exp((double)(i & 1023) * -0.01);
    kept = (float)sum;
}

static const struct loop {
    const char *name;
    void (*run)(void);
} loops[] = { { "SSE", run_sse }, { "AVX", run_avx }, { "expf", run_expf },
    { "exp", run_exp } };

enum { LOOPS = sizeof loops / sizeof *loops };

/* Returns the minimum of several runs: a persistent slowdown remains
 * visible. */
static double time_of(const struct loop *loop)
{
    double least = 1e9;
    for (int i = 0; i < TRIES; i++) {
        double begin = now();
        loop->run();
        double time = now() - begin;
        least = time < least ? time : least;
    }
    return least;
}

/* Resets the processor state that an earlier call may have left. */
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx"))) static void clear_registers(void)
{
    __builtin_ia32_vzeroupper();
}
#else
static void clear_registers(void)
{
}
#endif

/* --- Calls ------------------------------------------------------------------
 */

struct calls {
    struct job job;
    varve_snapshot *snapshot;
    varve_format format;
};

static void save(struct calls *c)
{
    run_save(&c->job);
}

static void save_incremental(struct calls *c)
{
    struct job job = c->job;
    job.save.incremental = true;
    run_save(&job);
}

/* Without Zstandard this is a plain save. */
static void save_packed(struct calls *c)
{
    struct job job = c->job;
    varve_error error;
    varve_write_options packed = { .compress = 1, .no_sync = true };
    if (varve_write(varve_graph_root(job.graph), job.path, &packed, &error))
        run_save(&job);
}

static void save_behind(struct calls *c)
{
    varve_error error;
    varve_job *job = varve_write_async(
        varve_graph_root(c->job.graph), c->job.path, &c->job.save, &error);
    must(job ? varve_job_wait(job, &error) : error.status, &error);
    varve_job_free(job);
}

static void restore(struct calls *c)
{
    run_restore(&c->job);
}

static void restore_once(struct calls *c)
{
    struct job job = c->job;
    job.restore.passes = VARVE_ONE_PASS;
    run_restore(&job);
}

static void verify(struct calls *c)
{
    varve_error error = { .status = VARVE_OK };
    varve_reader *reader = varve_reader_open(c->job.path, NULL, &error);
    must(reader ? varve_reader_verify(reader, NULL, &error) : error.status,
        &error);
    varve_reader_free(reader);
}

static void snapshot(struct calls *c)
{
    varve_error error;
    must(varve_snapshot_retake(c->snapshot, &error), &error);
    must(varve_snapshot_restore(c->snapshot, &error), &error);
}

/* Saves each format and reads it. */
static void save_format(struct calls *c)
{
    char path[PATH_SIZE + 8];
    struct job job = c->job;
    snprintf(path, sizeof path, "%s.other", c->job.path);
    job.path = path;
    job.save.format = c->format;
    run_save(&job);
    run_restore(&job);
}

static const struct call {
    const char *name;
    void (*run)(struct calls *calls);
    varve_format format;
} calls[] = { { "save", save, 0 }, { "restore", restore, 0 },
    { "restore, one pass", restore_once, 0 }, { "verification", verify, 0 },
    { "snapshot and back", snapshot, 0 },
    { "incremental save", save_incremental, 0 },
    { "packed save", save_packed, 0 },
    { "restore of compressed values", restore, 0 },
    { "asynchronous save", save_behind, 0 },
    { "TensorFlow, both ways", save_format, VARVE_FORMAT_TENSORFLOW },
    { "safetensors, both ways", save_format, VARVE_FORMAT_SAFETENSORS },
    { "npz, both ways", save_format, VARVE_FORMAT_NPZ } };

/* --- Rows
 * --------------------------------------------------------------------- */

static void compare(struct calls *c, const struct call *call,
    const struct loop *loop, unsigned rounds)
{
    struct contender before = { .name = "before" }, ratio = { .name = "after" };
    char text[80], swings[40];
    c->format = call->format;
    while (ratio.count < rounds) {
        clear_registers();
        double time = time_of(loop);
        call->run(c);
        before.samples[before.count++] = time;
        ratio.samples[ratio.count++] = time_of(loop) / time;
    }
    double swings_by = swing(&before);
    snprintf(swings, sizeof swings, "swings by %.0f %%", 100 * swings_by);
    snprintf(text, sizeof text, "%s after: %s", loop->name, call->name);
    report(&(struct row){ .id = "P15",
        .what = text,
        .ours = &ratio,
        .unit = "times",
        .scale = 1,
        .most = most,
        .instead = swings_by > MOST_SWING ? swings : NULL });
}

void bench_foreign(const struct wishes *wishes)
{
    char path[PATH_SIZE];
    struct calls c = { .job.save.no_sync = true };
    uint64_t size = wishes->size / 16;
    varve_error error;
    if (!is_wanted(wishes, "P15"))
        return;
    unsigned char *bytes = touched_memory(size);
    c.job.graph = model_of_variables(bytes, size, VARIABLES);
    c.job.path = scratch(wishes, "foreign", path);
    c.snapshot = varve_snapshot_new(varve_graph_root(c.job.graph), &error);
    must(c.snapshot ? VARVE_OK : error.status, &error);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        for (size_t j = 0; j < LOOPS; j++) {
            if (loops[j].run != run_avx || HAS_AVX)
                compare(&c, &calls[i], &loops[j], wishes->rounds);
        }
    }
    varve_snapshot_free(c.snapshot);
    varve_graph_free(c.job.graph);
    unlink(path);
    free(bytes);
}
