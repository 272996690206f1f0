/* test_together_threads.c - Tests values of any type and shape that are divided
 * at random between ranks, saved collectively, and restored with another
 * division. Each element is compared.
 *
 * Ranks are threads, so that the test also runs under ThreadSanitizer.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/slice.h>
#include <varve/collective.h>
#include <varve/varve.h>

#include "default_allocator.h"
#include "graph.h"
#include "reader.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/thread_comm.h"

enum { MOST_RANKS = 6, VALUES = 3, ROUNDS = 100 };
#define FILE_NAME "run/a.varve"

static struct {
    uint64_t seed, random;
    struct memory *memory;
    struct vv_context context;
} world;

#define CHECK(condition, text)                                                \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "line %d: seed %llu: %s\n", __LINE__,              \
                (unsigned long long)world.seed, text);                         \
            abort();                                                           \
        }                                                                      \
    } while (0)

static uint64_t below(uint64_t end)
{
    return proof_next(&world.random) % end;
}

/* --- Values, and how they are cut ----------------------------------------- */

struct value {
    varve_dtype dtype;
    varve_shape shape;
};

static void choose_value(struct value *v, bool is_plain)
{
    v->dtype = is_plain ? VARVE_FLOAT32 : (varve_dtype)(1 + below(17));
    v->shape.rank = 1 + (uint32_t)below(4);
    for (uint32_t k = 0; k < v->shape.rank; k++)
        v->shape.extents[k] = below(12) ? 1 + below(9) : 0;
    if (below(12) == 0) /* several chunks */
        v->shape =
            (varve_shape){ 2, { 1 + below(200000), 1 + below(3) } };
}

/* Divides a value into boxes that contain each element once; some are empty. */
static void cut(const struct value *v, uint32_t count, varve_box *boxes)
{
    memset(boxes, 0, count * sizeof *boxes);
    memcpy(boxes[0].extents, v->shape.extents, sizeof boxes[0].extents);
    for (uint32_t n = 1; n < count; n++) {
        varve_box *one = &boxes[below(n)], *other = &boxes[n];
        uint32_t k = (uint32_t)below(v->shape.rank);
        uint64_t at = below(one->extents[k] + 1);
        *other = *one;
        one->extents[k] = at;
        other->start[k] += at;
        other->extents[k] -= at;
    }
    for (uint32_t n = count; n > 1; n--) {
        uint32_t with = (uint32_t)below(n);
        varve_box box = boxes[n - 1];
        boxes[n - 1] = boxes[with];
        boxes[with] = box;
    }
}

/* Sets element `at` of value `number`. */
static void set_element(unsigned char *bytes, varve_dtype dtype,
    unsigned number, uint64_t at)
{
    float real = (float)((at * 7 + number) % 1000);
    double wide = (double)real;
    uint64_t any = at * 31 + number;
    if (dtype == VARVE_FLOAT32)
        memcpy(bytes, &real, sizeof real);
    else if (dtype == VARVE_FLOAT64)
        memcpy(bytes, &wide, sizeof wide);
    else if (dtype == VARVE_BOOL)
        bytes[0] = at % 3 == 0;
    else
        for (size_t i = 0; i < varve_dtype_size(dtype); i++)
            bytes[i] = (unsigned char)(proof_next(&any) >> 8);
}

static uint64_t elements_of(const struct value *v, const varve_box *box)
{
    uint64_t count = 1;
    for (uint32_t k = 0; k < v->shape.rank; k++)
        count *= box->extents[k];
    return count;
}

/* Allocates and returns all elements of a box. */
static unsigned char *make_bytes(
    const struct value *v, unsigned number, const varve_box *box)
{
    uint64_t count = elements_of(v, box);
    size_t size = varve_dtype_size(v->dtype);
    unsigned char *bytes = malloc((size_t)count * size + 1);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t rest = i, at = 0, unit = 1;
        for (uint32_t k = v->shape.rank; k-- > 0;) {
            at += unit * (box->start[k] + rest % box->extents[k]);
            rest /= box->extents[k];
            unit *= v->shape.extents[k];
        }
        set_element(bytes + i * size, v->dtype, number, at);
    }
    return bytes;
}

/* --- Ranks ---------------------------------------------------------------- */

enum { NEW = 1, OLD = 2 };

#ifdef VV_HAVE_ZSTD
enum { LEVEL = 1 };
#else
enum { LEVEL = 0 };
#endif

/* The parameters of a run of all ranks. */
struct run {
    struct value values[VALUES];
    varve_box boxes[VALUES][MOST_RANKS];
    varve_read_options options;
    varve_write_options write;
    const char *path;
    bool reads, is_late;
    bool is_behind; /* saves run while the program changes its values */
    varve_status expected; /* expected status of the read */
    int found[MOST_RANKS][VALUES];
};

static void add_all(struct run *run, varve_node *root, uint32_t rank,
    unsigned char *bytes[VALUES])
{
    for (unsigned i = 0; i < VALUES; i++) {
        const struct value *v = &run->values[i];
        const varve_box *box = &run->boxes[i][rank];
        char name[8];
        snprintf(name, sizeof name, "v%u", i);
        varve_add_slice(root, name,
            varve_view(bytes[i], v->dtype,
                varve_shape_of(v->shape.rank, box->extents)),
            v->shape, box->start);
    }
}

/* Checks that a rank has the restored value or its previous value. */
static void look(struct run *run, uint32_t rank, unsigned char *bytes[VALUES])
{
    for (unsigned i = 0; i < VALUES; i++) {
        const struct value *v = &run->values[i];
        const varve_box *box = &run->boxes[i][rank];
        size_t size =
            (size_t)elements_of(v, box) * varve_dtype_size(v->dtype);
        unsigned char *expected = make_bytes(v, i, box);
        bool is_new = memcmp(expected, bytes[i], size) == 0, is_old = true;
        for (size_t k = 0; k < size; k++)
            is_old &= bytes[i][k] == 0xee;
        run->found[rank][i] = (is_new ? NEW : 0) | (is_old ? OLD : 0);
        free(expected);
    }
}

/* Starts two saves; the second may be running when the graph is freed. */
static void save_behind(const struct run *run, const varve_comm *comm,
    varve_node *root, unsigned char *bytes[VALUES])
{
    varve_error error = { 0 };
    varve_job *jobs[2];
    for (int i = 0; i < 2; i++) {
        jobs[i] = i ? varve_save_all_async(
                          comm, root, "run/m", &run->write, &error)
                    : varve_write_all_async(
                          comm, root, run->path, &run->write, &error);
        CHECK(jobs[i], error.message);
    }
    for (unsigned i = 0; i < VALUES; i++)
        memset(bytes[i], 0xee,
            (size_t)elements_of(&run->values[i],
                &run->boxes[i][comm->rank]) *
                varve_dtype_size(run->values[i].dtype));
    CHECK(!varve_any(comm, false), "a flag is set on a rank");
    CHECK(!varve_job_wait(jobs[0], &error), error.message);
    varve_graph_free(varve_node_graph(root));
    CHECK(!varve_job_wait(jobs[1], &error), error.message);
    varve_job_free(jobs[0]);
    varve_job_free(jobs[1]);
}

static void act(const varve_comm *comm, void *user)
{
    struct run *run = user;
    varve_error error = { 0 };
    unsigned char *bytes[VALUES];
    varve_node *root = varve_graph_root(vv_graph_new_in(&world.context));
    for (unsigned i = 0; i < VALUES; i++) {
        const struct value *v = &run->values[i];
        const varve_box *box = &run->boxes[i][comm->rank];
        bytes[i] = make_bytes(v, i, box);
        if (run->reads)
            memset(bytes[i], 0xee, (size_t)elements_of(v, box) *
                                       varve_dtype_size(v->dtype));
    }
    if (!run->is_late)
        add_all(run, root, comm->rank, bytes);
    if (run->reads) {
        varve_restoration *r =
            varve_read_all(comm, root, run->path, &run->options, &error);
        CHECK((r ? VARVE_OK : error.status) == run->expected, error.message);
        if (run->is_late)
            add_all(run, root, comm->rank, bytes);
        CHECK(!varve_graph_check(varve_node_graph(root), &error),
            error.message);
        if (r && !run->options.salvage.on)
            CHECK(!varve_assert_consumed(r, &error), error.message);
        varve_restoration_free(r);
        look(run, comm->rank, bytes);
    } else if (run->is_behind) {
        save_behind(run, comm, root, bytes);
        root = NULL;
    } else {
        CHECK(!varve_write_all(comm, root, run->path, &run->write, &error),
            error.message);
    }
    varve_graph_free(varve_node_graph(root));
    for (unsigned i = 0; i < VALUES; i++)
        free(bytes[i]);
}

static uint32_t run_all(struct run *run)
{
    uint32_t ranks = 1 + (uint32_t)below(MOST_RANKS);
    for (unsigned i = 0; i < VALUES; i++)
        cut(&run->values[i], ranks, run->boxes[i]);
    thread_comm_run(ranks, (uint32_t)below(3), -1, act, run);
    return ranks;
}

/* Reads with other ranks: everything is restored, or nothing changes. */
static void check_read(struct run *run, int expected)
{
    run->reads = true;
    uint32_t ranks = run_all(run);
    for (uint32_t r = 0; r < ranks; r++) {
        for (unsigned i = 0; i < VALUES; i++)
            CHECK(run->found[r][i] & expected, "other values");
    }
}

/* --- One process ---------------------------------------------------------- */

/* Restores the checkpoint with one process, and converts it to npz and back. */
static void convert(const struct run *run)
{
    varve_error error = { 0 };
    unsigned char *bytes[VALUES];
    const varve_write_options npz = { .format = VARVE_FORMAT_NPZ };
    varve_node *root = varve_graph_root(vv_graph_new_in(&world.context));
    for (unsigned i = 0; i < VALUES; i++) {
        const struct value *v = &run->values[i];
        varve_box box = { { 0 }, { 0 } };
        char name[8];
        memcpy(box.extents, v->shape.extents, sizeof box.extents);
        bytes[i] = calloc(1,
            (size_t)elements_of(v, &box) * varve_dtype_size(v->dtype) + 1);
        snprintf(name, sizeof name, "v%u", i);
        varve_add_variable(
            root, name, varve_view(bytes[i], v->dtype, v->shape));
    }
    varve_restoration *r = varve_read(root, FILE_NAME, NULL, &error);
    CHECK(r, error.message);
    varve_restoration_free(r);
    for (unsigned i = 0; i < VALUES; i++) {
        const struct value *v = &run->values[i];
        varve_box box = { { 0 }, { 0 } };
        memcpy(box.extents, v->shape.extents, sizeof box.extents);
        unsigned char *expected = make_bytes(v, i, &box);
        CHECK(memcmp(expected, bytes[i], (size_t)elements_of(v, &box) *
                                             varve_dtype_size(v->dtype)) == 0,
            "values differ in one process");
        free(expected);
    }
    CHECK(!varve_write(root, "run/b.npz", &npz, &error), error.message);
    varve_graph_free(varve_node_graph(root));
    for (unsigned i = 0; i < VALUES; i++)
        free(bytes[i]);
}

static void read_boxes(const struct run *run)
{
    varve_error error = { 0 };
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    CHECK(reader, error.message);
    CHECK(!varve_reader_verify(reader, NULL, &error), error.message);
    for (unsigned i = 0; i < VALUES; i++) {
        const struct value *v = &run->values[i];
        varve_box boxes[4];
        varve_saved_node node;
        char name[8];
        snprintf(name, sizeof name, "v%u", i);
        CHECK(varve_reader_find(reader, name, &node), name);
        cut(v, 4, boxes);
        size_t size =
            (size_t)elements_of(v, boxes) * varve_dtype_size(v->dtype);
        unsigned char *expected = make_bytes(v, i, boxes);
        unsigned char *bytes = calloc(1, size + 1);
        CHECK(!varve_reader_read_box(
                  reader, node.id, boxes, bytes, size, &error),
            error.message);
        CHECK(memcmp(expected, bytes, size) == 0, "values differ in a box");
        free(expected);
        free(bytes);
    }
    varve_reader_free(reader);
}

/* --- Damage --------------------------------------------------------------- */

/* Changes bytes in a data file. */
static void damage(void)
{
    size_t size, file = below(memory_file_count(world.memory));
    char path[256];
    snprintf(path, sizeof path, "%s", memory_file_path(world.memory, file));
    if (!strstr(path, "layers/"))
        return;
    unsigned char *bytes = memory_bytes(world.memory, path, &size);
    uint64_t at = 4096 + below(size);
    if (at < size)
        bytes[at] ^= 1;
}

/* Reads a damaged checkpoint. With `salvage`, a rank has its part of each value
 * or none of it. Without it, all have everything or nothing has changed. */
static void read_damaged(struct run *run)
{
    damage();
    run->options.salvage.on = true;
    run->options.passes = (varve_passes)below(3);
    check_read(run, NEW | OLD);
}

/* --- All ------------------------------------------------------------------ */

static void choose_options(struct run *run)
{
    run->options = (varve_read_options){ .passes = below(4) == 0
                ? VARVE_ONE_PASS : (varve_passes)(2 * below(2)) };
    run->options.resources.staging_size = below(2);
    run->is_late = below(3) == 0;
}

static void try_once(void)
{
    struct run run = { .path = FILE_NAME };
    bool is_plain = below(3) == 0;
    world.memory = memory_new();
    world.context = (struct vv_context){ .allocator =
                                             vv_allocator_or_default(NULL),
        .system = memory_system(world.memory) };
    for (unsigned i = 0; i < VALUES; i++)
        choose_value(&run.values[i], is_plain);
    run.write.incremental = below(2);
    run.write.compress = (int)below(2) * LEVEL;
    run.is_behind = below(2);
    for (unsigned i = 0; i < (run.write.incremental ? 2 : 1); i++)
        /* the second time with other ranks and the same values */
        run_all(&run);
    for (int i = 0; i < 2; i++) {
        choose_options(&run);
        check_read(&run, NEW);
    }
    read_boxes(&run);
    if (is_plain) {
        convert(&run);
        run.path = "run/b.npz";
        check_read(&run, NEW);
        run.path = FILE_NAME;
        run.options.cast = VARVE_CAST_WIDEN;
        for (unsigned i = 0; i < VALUES; i++)
            run.values[i].dtype = VARVE_FLOAT64;
        check_read(&run, NEW);
    }
    run.is_late = false;
    if (below(2))
        read_damaged(&run);
    CHECK(memory_open_count(world.memory) == 0, "files are left open");
    memory_free(world.memory);
}

int main(void)
{
    uint64_t rounds = proof_size(ROUNDS, 20 * ROUNDS);
    world.random = proof_seed();
    for (uint64_t i = 0; i < rounds; i++) {
        world.seed = world.random;
        try_once();
    }
    proof_count("together.programs", rounds);
    return 0;
}
