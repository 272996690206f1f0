/* ranks.c - what a save of very many processes costs the one that merges, and
 * a restoration each of them: the code of rank 0 itself, handed what so many
 * ranks would tell it, and that of the others, told the index.
 *
 *     ranks [MOST-RANKS [SLICES [MIB [RANKS-OF-A-NODE]]]]
 *
 * Each rank has SLICES slices of MIB MiB (100 and 10), and there are 10, 100,
 * and so on up to MOST-RANKS of them (10000), 64 of a node. Nothing is written,
 * and the bytes of values are never looked at: what is measured is what grows
 * with the number of ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <varve/varve.h>

#include "contribution.h"
#include "default_allocator.h"
#include "failure.h"
#include "index_out.h"
#include "layout.h"
#include "merge.h"
#include "system.h"
#include "told_index.h"

enum { MOST_SLICES = 1000 };

struct world {
    uint64_t slices;
    uint64_t bytes; /* of a slice */
    uint32_t share; /* ranks of a node */
    unsigned char *memory;
};

static void check(varve_status status, const varve_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "ranks: %s\n", error->message);
    exit(1);
}

/* The graph of one rank, as its cargo; digests are zeros. */
static varve_graph *make_rank(
    const struct world *w, const varve_comm *comm, struct vv_cargo *cargo)
{
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    for (uint64_t i = 0; i < w->slices; i++) {
        char name[32];
        uint64_t start[] = { comm->rank, 0 };
        snprintf(name, sizeof name, "layer%03" PRIu64, i);
        varve_add_slice(root, name,
            varve_view(w->memory, VARVE_UINT8, VARVE_SHAPE(1, w->bytes)),
            VARVE_SHAPE(comm->size, w->bytes), start);
    }
    check(vv_cargo_gather_slices(cargo, root, NULL, &error), &error);
    size_t chunks = (size_t)(w->slices * vv_chunk_count(w->bytes));
    unsigned char *digests = vv_buffer_extend(
        &cargo->columns.index.digests, chunks * VV_DIGEST_SIZE);
    if (!digests)
        exit(1);
    memset(digests, 0, chunks * VV_DIGEST_SIZE);
    return graph;
}

/* Appends what a rank tells. */
static uint64_t tell(
    const struct world *w, const varve_comm *comm, struct vv_gathered *all)
{
    varve_error error = { 0 };
    struct vv_cargo cargo;
    struct vv_share share;
    size_t before = all->bytes.size;
    varve_graph *graph = make_rank(w, comm, &cargo);
    check(vv_share_make(&share, &cargo, NULL, comm, &error), &error);
    check(vv_contribution_add(
              &all->bytes, comm, "heat", &cargo, &share, &error),
        &error);
    vv_share_clear(&share);
    vv_cargo_clear(&cargo);
    varve_graph_free(graph);
    return all->bytes.size - before;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* --- One that restores ---------------------------------------------------- */

struct counter {
    size_t now, most;
};

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    struct counter *counter = user;
    counter->now += new_size - old_size;
    if (counter->now > counter->most)
        counter->most = counter->now;
    if (new_size > 0)
        return realloc(old, new_size);
    free(old);
    return NULL;
}

static varve_status add_bytes(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    struct vv_buffer *all = user;
    vv_buffer_add(all, bytes, size);
    return all->failed ? vv_fail_memory(error, "an index") : VARVE_OK;
}

/* The most that a rank has of an index, in MiB, if up to `most` bytes of each
 * kind of what grows are told with the rest. */
static double hold(const struct vv_opened *first, uint64_t most)
{
    struct counter counter = { 0, 0 };
    const struct vv_context context = {
        .allocator = { allocate, &counter }, .system = &vv_posix_system
    };
    varve_error error = { 0 };
    const struct vv_index_place place = { .offset = VV_HEADER_SIZE,
        .size = first->index_size };
    struct vv_told_index told, mine = { .size = 0 };
    struct vv_far_columns *far = NULL;
    struct vv_opened file;
    uint64_t numbers[VV_TOLD_NUMBERS];
    check(vv_told_make(&told, first, &place, most, &error), &error);
    vv_told_numbers(&told, numbers);
    vv_told_take(&mine, numbers);
    check(vv_opened_begin(&file, &context, "heat", &error), &error);
    check(vv_told_make_room(&mine, &context, &error), &error);
    memcpy(mine.bytes, told.bytes, (size_t)told.size);
    if (mine.far)
        memcpy(mine.far->words, told.far->words,
            (size_t)told.word_count * sizeof *told.far->words);
    check(vv_told_use(&mine, &file, &far, -1, &error), &error);
    vv_told_clear(&mine);
    vv_opened_close(&file);
    vv_far_columns_free(far);
    vv_told_clear(&told);
    return (double)counter.most / (1 << 20);
}

/* With all, and as it is. */
static void restore(const struct vv_index *index, double *all, double *rest)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    const struct vv_context context = {
        .allocator = allocator, .system = &vv_posix_system
    };
    varve_error error = { 0 };
    struct vv_buffer bytes;
    struct vv_opened first = { .context = &context,
        .data_end = VV_HEADER_SIZE };
    vv_buffer_init(&bytes, &allocator);
    check(vv_index_write(index, add_bytes, &bytes, &error), &error);
    first.index_bytes = bytes.data;
    first.index_size = bytes.size;
    check(vv_index_parse(&context, "heat", bytes.data, bytes.size,
              VV_HEADER_SIZE, &first.parsed, &error),
        &error);
    *all = hold(&first, UINT64_MAX);
    *rest = hold(&first, VV_MOST_TOLD);
    vv_parsed_index_clear(&context, &first.parsed);
    vv_buffer_clear(&bytes);
}

/* Rank 0, with all of it. */
static void merge(
    const struct world *w, uint32_t ranks, struct vv_gathered *all)
{
    const varve_comm comm = { .rank = 0, .size = ranks };
    varve_error error = { 0 };
    struct vv_cargo cargo;
    struct vv_share share;
    struct vv_index index;
    varve_graph *graph = make_rank(w, &comm, &cargo);
    check(vv_share_make(&share, &cargo, NULL, &comm, &error), &error);
    struct vv_merge m = { .comm = &comm,
        .path = "heat",
        .cargo = &cargo,
        .share = &share,
        .all = all };
    double begin = seconds();
    check(vv_merge_make(&m, &error), &error);
    double end = seconds();
    for (uint32_t i = 0; i < m.layer_count; i++) {
        uint8_t nonce[VV_NONCE_SIZE] = { 1 };
        vv_store64(nonce + 8, i);
        vv_buffer_add(&m.added.layer_nonces, nonce, sizeof nonce);
        vv_buffer_add64(&m.added.layer_sizes, INT64_MAX / 1024);
    }
    check(vv_merge_index(&m, &index, &error), &error);
    double all_digests, few_digests;
    restore(&index, &all_digests, &few_digests);
    double data = (double)ranks * (double)(w->slices * w->bytes);
    printf("%6" PRIu32 " %10.1f %9zu %9.1f %8.0f %9.1f %9.5f %6" PRIu32
           " %8.0f %8.1f %8.1f\n",
        ranks, data / (1 << 30), all->bytes.size / ranks,
        (double)all->bytes.size / (1 << 20), 1e3 * (end - begin),
        (double)vv_index_size(&index) / (1 << 20),
        (double)vv_index_size(&index) / data * 100, m.layer_count, peak_mib(),
        all_digests, few_digests);
    vv_merge_clear(&m);
    vv_share_clear(&share);
    vv_cargo_clear(&cargo);
    varve_graph_free(graph);
}

static void measure(const struct world *w, uint32_t ranks)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    struct vv_gathered all = { .count = ranks };
    vv_buffer_init(&all.bytes, &allocator);
    all.sizes = calloc(ranks, sizeof *all.sizes);
    for (uint32_t i = 0; all.sizes && i < ranks; i++) {
        const varve_comm comm = {
            .rank = i, .size = ranks, .node = i / w->share
        };
        all.sizes[i] = tell(w, &comm, &all);
    }
    if (!all.sizes || all.bytes.failed)
        exit(1);
    merge(w, ranks, &all);
    free(all.sizes);
    vv_buffer_clear(&all.bytes);
}

static uint64_t operand(int count, char **arguments, int i, uint64_t other)
{
    return i < count ? strtoull(arguments[i], NULL, 10) : other;
}

int main(int count, char **arguments)
{
    uint64_t most = operand(count, arguments, 1, 10000);
    struct world w = { .slices = operand(count, arguments, 2, 100),
        .bytes = operand(count, arguments, 3, 10) << 20,
        .share = (uint32_t)operand(count, arguments, 4, 64) };
    w.memory = malloc(w.bytes + 1); /* and never touched */
    if (!w.memory || w.slices > MOST_SLICES || w.share == 0)
        return 2;
    printf(" ranks   data GiB  B/rank  told MiB merge ms index MiB index %%  "
           "files peak MiB all MiB held MiB\n");
    for (uint32_t ranks = 10; ranks <= most; ranks *= 10)
        measure(&w, ranks);
    free(w.memory);
    return 0;
}
