/* test_memory.c - Tests reading every writable format with each option while
 * one allocation after another fails: the result is the same as with enough
 * memory, or VARVE_NO_MEMORY, and nothing is leaked. tests/unit/foreign has the
 * same tests for writes.
 *
 * New memory is filled with a pattern (support/test.c), so that reads of
 * uninitialized memory are detected.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reads.h"
#include "structure.h"
#include "writes.h"

#define MEMORY_PATH "run/memory"

static const varve_format formats[] = { VARVE_FORMAT_VARVE,
    VARVE_FORMAT_TENSORFLOW, VARVE_FORMAT_TENSORFLOW_NAMES,
    VARVE_FORMAT_SAFETENSORS, VARVE_FORMAT_NPY, VARVE_FORMAT_NPZ,
    VARVE_FORMAT_GGUF, VARVE_FORMAT_TORCH };

enum { FORMATS = sizeof formats / sizeof *formats };

/* A program with slots and a list; for npy a single array. */
struct memory_program {
    varve_graph *graph;
    varve_node *root;
    float w[64], m[64], b[4];
    int64_t step;
};

static void memory_program_begin(struct memory_program *p, struct disk *d,
    varve_format format)
{
    *p = (struct memory_program){ .step = 3 };
    p->graph = vv_graph_new_in(&d->context);
    p->root = varve_graph_root(p->graph);
    varve_node *model = varve_add_object(p->root, "model");
    varve_node *w = varve_add_variable(model, "w", varve_array(p->w, 64));
    if (format == VARVE_FORMAT_NPY)
        return;
    varve_node *layers = varve_add_list(model, "layers");
    varve_add_variable(layers, VARVE_APPEND, varve_array(p->b, 4));
    varve_node *optimizer = varve_add_object(p->root, "optimizer");
    cr_assert(varve_add_slot(optimizer, w, "m", varve_array(p->m, 64)));
    varve_add_variable(p->root, "step", varve_scalar(&p->step));
}

/* A call and its environment. */
struct memory_case {
    struct disk disk;
    varve_format format;
    char name[160];
    varve_status (*call)(struct memory_case *c, varve_error *error);
    varve_write_options write;
    varve_read_options read;
    struct trial written;
    struct read_trial reading;
    long failing;   /* number of the allocation that fails; -1: none */
    bool is_sticky; /* later allocations fail too */
    long tried;     /* number of allocations */
};

static varve_status memory_write(struct memory_case *c, varve_error *error)
{
    struct memory_program p;
    memory_program_begin(&p, &c->disk, c->format);
    test_fail_allocation(c->failing, c->is_sticky);
    varve_status status = varve_write(p.root, MEMORY_PATH, &c->write, error);
    c->tried = test_allocation_count();
    test_fail_allocation(-1, false);
    varve_graph_free(p.graph);
    return status;
}

static varve_status memory_read(struct memory_case *c, varve_error *error)
{
    struct memory_program p;
    memory_program_begin(&p, &c->disk, c->format);
    test_fail_allocation(c->failing, c->is_sticky);
    varve_restoration *r = varve_read(p.root, MEMORY_PATH, &c->read, error);
    varve_status status = r ? VARVE_OK : error->status;
    c->tried = test_allocation_count();
    test_fail_allocation(-1, false);
    varve_restoration_free(r);
    varve_graph_free(p.graph);
    return status;
}

static varve_status memory_from(struct memory_case *c, varve_error *error)
{
    test_fail_allocation(c->failing, c->is_sticky);
    varve_graph *graph =
        vv_graph_from_in(&c->disk.context, MEMORY_PATH, &c->read, error);
    c->tried = test_allocation_count();
    test_fail_allocation(-1, false);
    varve_graph_free(graph);
    return graph ? VARVE_OK : error->status;
}

static varve_status memory_verify(struct memory_case *c, varve_error *error)
{
    test_fail_allocation(c->failing, c->is_sticky);
    varve_reader *reader =
        vv_reader_open_in(&c->disk.context, MEMORY_PATH, error);
    varve_status status =
        reader ? varve_reader_verify(reader, NULL, error) : error->status;
    c->tried = test_allocation_count();
    test_fail_allocation(-1, false);
    varve_reader_free(reader);
    return status;
}

/* Fails one allocation. Returns false if it was not reached. */
static bool memory_try(struct memory_case *c, varve_status wanted, long number,
    bool is_sticky)
{
    varve_error error = { 0 };
    long blocks = test_block_count();
    c->failing = number;
    c->is_sticky = is_sticky;
    varve_status status = c->call(c, &error);
    cr_assert(status == wanted || status == VARVE_NO_MEMORY ||
                  (status == VARVE_PARTIALLY_RESTORED &&
                      c->read.passes == VARVE_ONE_PASS),
        "%s, allocation %ld: %s %s", c->name, number, varve_status_name(status),
        error.message);
    cr_assert(!status || *error.message, "%s: no message", c->name);
    cr_assert_eq(memory_open_count(c->disk.memory), 0, "%s", c->name);
    cr_assert_eq(test_block_count(), blocks, "%s, allocation %ld: %ld blocks",
        c->name, number, test_block_count() - blocks);
    return c->tried > number;
}

static long memory_sweep(struct memory_case *c)
{
    varve_error error = { 0 };
    long count = 0;
    c->failing = -1;
    c->call(c, &error); /* cached data remains allocated */
    varve_status wanted = c->call(c, &error);
    if (wanted == VARVE_MISUSE || wanted == VARVE_TOO_NEW)
        return 0;
    /* The short version fails a sample of the allocations. */
    long step = (long)proof_size((size_t)c->tried / 10 + 1, 1);
    for (int sticky = 0; sticky < 2; sticky++)
        for (long n = 0; memory_try(c, wanted, n, sticky); n += step)
            count++;
    return count;
}

static void memory_begin(struct memory_case *c, size_t format)
{
    memset(c, 0, sizeof *c);
    disk_begin(&c->disk);
    c->written.disk = c->reading.disk = c->disk;
    c->format = c->write.format = formats[format];
}

static void memory_end(struct memory_case *c)
{
    disk_end(&c->disk);
}

static long sweep_read(const struct read_row *row, size_t format, bool shards)
{
    static varve_status (*const calls[])(struct memory_case *,
        varve_error *) = { memory_read, memory_from, memory_verify };
    static struct memory_case c;
    varve_error error = { 0 };
    long count = 0;
    memory_begin(&c, format);
    c.write.foreign.shard_size = shards ? 64 : 0;
    c.failing = -1;
    varve_status status = memory_write(&c, &error);
    if (row && row->set_both)
        row->set_both(&c.read, &c.reading);
    if (row)
        row->set(&c.read, &c.reading);
    size_t most = status ? 0 : row ? 2 : 3;
    for (size_t i = 0; i < most; i++) {
        snprintf(c.name, sizeof c.name, "read %zu of %s%s with `%s`", i,
            varve_format_name(c.format), shards ? " in shards" : "",
            row ? row->name : "");
        c.call = calls[i];
        count += memory_sweep(&c);
    }
    memory_end(&c);
    return count;
}

TEST(memory_of_options, may_fail_in_each_read)
{
    long count = 0;
    for (size_t f = 0; f < FORMATS; f++) {
        count += sweep_read(NULL, f, false) + sweep_read(NULL, f, true);
        for (size_t i = 0; i < read_row_count; i++)
            if (!read_rows[i].is_too_new)
                count += sweep_read(&read_rows[i], f, false);
    }
    proof_count("options.read_allocations", (size_t)count);
    cr_assert_gt(count, 1000);
}
