/* test_growth.c - Tests that four times as many elements take at most four
 * times the time and memory, for rank-local nodes, nodes that claim values of
 * others, slices, and struct members. Each call is timed separately.
 *
 *     test_growth [SHAPE]
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <varve/rank_local.h>
#include <varve/slice.h>
#include <varve/varve.h>

#include "fuzz/fuzz.h"
#include "support/proof.h"

enum {
    FEW = 4000,
    TIMES = 4,
    MOST_TIMES = 9, /* quadratic growth would give 16 */
    MOST_STEPS = 8,
    TRIES = 5
};

/* Shorter times cannot be distinguished from noise. */
static const double least = 4e-3;

static char path[200];
static uint64_t measured;

/* --- Memory --------------------------------------------------------------- */

static size_t bytes, peak;

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    bytes += new_size - old_size;
    peak = bytes > peak ? bytes : peak;
    if (new_size)
        return realloc(old, new_size);
    free(old);
    return NULL;
}

static const varve_allocator allocator = { .function = allocate };

/* --- Steps ---------------------------------------------------------------- */

/* The shortest time of a step. */
struct step {
    const char *name;
    double seconds;
    size_t bytes;
};

struct run {
    int count;
    double *values;
    double begin;
    struct step steps[MOST_STEPS];
    int step_count;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void begin_step(struct run *r)
{
    peak = bytes;
    r->begin = seconds();
}

static void end_step(struct run *r, const char *name)
{
    double taken = seconds() - r->begin;
    FUZZ_CHECK(r->step_count < MOST_STEPS, "steps");
    r->steps[r->step_count++] = (struct step){ name, taken, peak };
}

/* --- Building ------------------------------------------------------------- */

static void add_many(
    struct run *r, varve_node *parent, bool are_private, double *values)
{
    for (int i = 0; i < r->count; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        varve_node *own = are_private
                              ? varve_add_rank_local(parent, name, NULL, NULL)
                              : parent;
        varve_add_variable(
            own, are_private ? "x" : name, varve_scalar(&values[i]));
    }
}

static void save(struct run *r, varve_node *root)
{
    const varve_write_options options = { .no_sync = true };
    varve_error error;
    begin_step(r);
    FUZZ_CHECK(!varve_write(root, path, &options, &error), "%s", error.message);
    end_step(r, "write");
}

static varve_restoration *load(
    struct run *r, varve_node *root, const varve_read_options *options)
{
    varve_error error;
    begin_step(r);
    varve_restoration *restoration = varve_read(root, path, options, &error);
    FUZZ_CHECK(restoration, "%s", error.message);
    end_step(r, "read");
    return restoration;
}

static void end(struct run *r, varve_restoration *restoration)
{
    begin_step(r);
    varve_report *report = varve_report_new(restoration, NULL);
    FUZZ_CHECK(report && varve_report_text(report), "report");
    varve_report_free(report);
    end_step(r, "report");
    varve_restoration_free(restoration);
}

static void remove_it(struct run *r, varve_node *node, const char *what)
{
    begin_step(r);
    varve_remove(node);
    end_step(r, what);
}

/* --- Shapes --------------------------------------------------------------- */

static void private_nodes(struct run *r, varve_node *root)
{
    varve_node *all = varve_add_object(root, "a");
    add_many(r, all, true, r->values);
    save(r, root);
    varve_restoration *restoration = load(r, root, NULL);
    remove_it(r, all, "remove");
    end(r, restoration);
}

/* Restores "a", whose values "b" claims too. */
static varve_restoration *load_claims(struct run *r, varve_node *root,
    varve_node **a, varve_node **b, const char *except)
{
    static const varve_rename rename = { "b", "a" };
    const varve_read_options options = {
        .rename = { .list = &rename, .count = 1 }, .except = except };
    *a = varve_add_object(root, "a");
    add_many(r, *a, false, r->values);
    save(r, root);
    *b = varve_add_object(root, "b");
    add_many(r, *b, false, r->values + r->count);
    return load(r, root, &options);
}

static void claims(struct run *r, varve_node *root)
{
    varve_node *a, *b;
    varve_restoration *restoration = load_claims(r, root, &a, &b, NULL);
    remove_it(r, b, "remove claimants");
    end(r, restoration);
}

/* Values whose holder is removed go to the next claimant. */
static void heirs(struct run *r, varve_node *root)
{
    varve_node *a, *b;
    varve_restoration *restoration = load_claims(r, root, &a, &b, "**");
    remove_it(r, a, "remove holders");
    remove_it(r, b, "remove heirs");
    end(r, restoration);
}

/* Removes each node by a separate call. */
static void claims_one_by_one(struct run *r, varve_node *root)
{
    varve_node *a, *b;
    varve_restoration *restoration = load_claims(r, root, &a, &b, NULL);
    begin_step(r);
    for (int i = 0; i < r->count; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        varve_remove(varve_find(b, name));
    }
    end_step(r, "remove each");
    end(r, restoration);
}

static void slices(struct run *r, varve_node *root)
{
    static const uint64_t start[1] = { 0 };
    varve_node *all = varve_add_object(root, "a");
    for (int i = 0; i < r->count; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        varve_add_slice(all, name, varve_array(&r->values[i], 1),
            VARVE_SHAPE(1), start);
    }
    save(r, root);
    varve_restoration *restoration = load(r, root, NULL);
    remove_it(r, all, "remove");
    end(r, restoration);
}

struct part {
    double x;
    double y;
};

static const varve_field fields[] = {
    VARVE_FIELD(struct part, x),
    VARVE_FIELD(struct part, y),
    VARVE_FIELDS_END,
};

static void structs(struct run *r, varve_node *root)
{
    varve_node *all = varve_add_object(root, "a");
    begin_step(r);
    for (int i = 0; i < r->count; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        varve_add_struct(
            all, name, fields, (struct part *)(void *)&r->values[2 * i]);
    }
    end_step(r, "add");
    save(r, root);
    varve_restoration *restoration = load(r, root, NULL);
    remove_it(r, all, "remove");
    end(r, restoration);
}

/* --- All shapes ----------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(struct run *r, varve_node *root);
} shapes[] = {
    { "private", private_nodes },
    { "claims", claims },
    { "claims-one-by-one", claims_one_by_one },
    { "heirs", heirs },
    { "slices", slices },
    { "structs", structs },
};

static void run_once(size_t shape, struct run *r)
{
    varve_graph *graph = varve_graph_new(&allocator);
    FUZZ_CHECK(graph, "graph");
    r->step_count = 0;
    shapes[shape].run(r, varve_graph_root(graph));
    begin_step(r);
    varve_graph_free(graph);
    end_step(r, "free");
    FUZZ_CHECK(bytes == 0, "%zu bytes were not freed", bytes);
}

/* Keeps the fastest of several tries. */
static void run_many(size_t shape, struct run *best)
{
    best->values = calloc((size_t)best->count, 2 * sizeof *best->values);
    FUZZ_CHECK(best->values, "the machine is out of memory");
    struct run next = *best;
    run_once(shape, best);
    for (int i = 1; i < TRIES; i++) {
        run_once(shape, &next);
        for (int k = 0; k < best->step_count; k++) {
            if (next.steps[k].seconds < best->steps[k].seconds)
                best->steps[k] = next.steps[k];
        }
    }
    free(best->values);
}

static void compare(const char *shape, const struct step *few,
    const struct step *many)
{
    double most = MOST_TIMES * (few->seconds > least ? few->seconds : least);
    fprintf(stderr, "%s: %s: %.2f and %.2f ms, %zu and %zu KiB\n", shape,
        few->name, few->seconds * 1e3, many->seconds * 1e3, few->bytes >> 10,
        many->bytes >> 10);
    FUZZ_CHECK(many->seconds < most, "%s: %s takes %.1f times as long for %d "
        "times as many", shape, few->name, many->seconds / few->seconds, TIMES);
    FUZZ_CHECK(many->bytes < MOST_TIMES * few->bytes,
        "%s: %s takes too much memory", shape, few->name);
    measured++;
}

static void measure(size_t shape, int count)
{
    struct run few = { .count = count }, many = { .count = TIMES * count };
    run_many(shape, &few);
    run_many(shape, &many);
    for (int i = 0; i < few.step_count; i++)
        compare(shapes[shape].name, &few.steps[i], &many.steps[i]);
}

int main(int argc, char **argv)
{
    const char *parent = getenv("TMPDIR");
    int count = (int)proof_size(FEW, 4 * FEW);
    snprintf(path, sizeof path, "%s/varve-growth-%ld", parent ? parent : "/tmp",
        (long)getpid());
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (argc < 2 || strcmp(argv[1], shapes[i].name) == 0)
            measure(i, count);
    }
    unlink(path);
    proof_count("fuzz.growth", measured);
    return 0;
}
