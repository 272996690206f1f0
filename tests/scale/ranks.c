/* ranks.c - Measures a save with very many processes on the rank that merges,
 * and a restore on each rank. Runs the code of rank 0 on a communicator that
 * simulates the messages of all ranks, and the code of the others that receives
 * the index.
 *
 *     ranks [MOST-RANKS [SLICES [MIB [RANKS-OF-A-NODE [KIB [HOW]]]]]]
 *
 * Each rank has SLICES shards of MIB MiB (100 and 10). There are 10, 100, and
 * so on up to MOST-RANKS ranks (10000), 64 on a node. Values are neither
 * written nor accessed: only the cost that grows with the number of ranks is
 * measured. Times are processor seconds. Allocated memory is counted, and the
 * program fails if it exceeds a limit. KIB is the size of a message round
 * instead of the default. HOW is `plain`; `incremental` for a first incremental
 * or compressed save, whose messages are the same; or `private`, where each
 * rank has PRIVATE rank-local values. The messages of incremental saves are
 * sent in one round and are not limited.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <varve/varve.h>

#include "contribution.h"
#include "data_in.h"
#include "data_out.h"
#include "graph.h"
#include "layout.h"
#include "merge_places.h"
#include "merge_rounds.h"
#include "share.h"
#include "system.h"
#include "index_broadcast.h"

enum {
    MOST_SLICES = 1000,
    BOX = 4 * 8, /* bytes of a two-dimensional box */
    NODE_AT = 3 * VV_DIGEST_SIZE,
    PRIVATE = 10
};

static const double mib = 1 << 20;

static void check(varve_status status, const varve_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "ranks: %s\n", error->message);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- Memory --------------------------------------------------------------- */

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

static struct vv_context context_of(struct counter *counter)
{
    return (struct vv_context){ .allocator = { allocate, counter },
        .system = &vv_posix_system };
}

/* --- The ranks ------------------------------------------------------------ */

enum how { SAVES_PLAIN, SAVES_INCREMENTAL, SAVES_PRIVATE, HOWS };

static const char *const how_texts[] = { "plain", "incremental", "private" };

struct world {
    enum how how;
    uint64_t slices;
    uint64_t bytes; /* bytes of a shard */
    uint32_t share; /* ranks of a node */
    uint64_t most;  /* bytes of a message round */
    uint32_t ranks;
    unsigned char *memory;
    double numbers[PRIVATE];
    bool has_node; /* messages have a header with the node, */
    size_t head;   /* of this size, before the shards, if there are any */
    uint64_t told; /* bytes sent by all ranks */
};

static size_t told_of_slice(const struct world *w)
{
    return BOX + 16 + (size_t)vv_chunk_count(w->bytes) * VV_DIGEST_SIZE;
}

/* Changes the message of rank 0 to that of another rank. */
static void tell_as(
    const struct world *w, unsigned char *bytes, size_t size, uint32_t rank)
{
    if (w->has_node)
        vv_store32(bytes + NODE_AT, rank / w->share);
    for (size_t at = w->head; at < size; at += told_of_slice(w))
        vv_store64(bytes + at, rank);
}

static varve_status agree(void *self, uint64_t *number)
{
    (void)self;
    (void)number;
    return VARVE_OK;
}

static varve_status gather(void *self, const void *mine, size_t size, void *all)
{
    const struct world *w = self;
    for (uint32_t i = 0; i < w->ranks; i++)
        memcpy((char *)all + i * size, mine, size);
    return VARVE_OK;
}

static varve_status gather_varied(
    void *self, const void *mine, size_t size, void *all, const uint64_t *sizes)
{
    struct world *w = self;
    unsigned char *to = all;
    (void)sizes;
    for (uint32_t i = 0; i < w->ranks; i++, to += size) {
        memcpy(to, mine, size);
        tell_as(w, to, size, i);
    }
    w->told += w->ranks * (uint64_t)size;
    return VARVE_OK;
}

static varve_status broadcast(void *self, void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

static varve_status barrier(void *self)
{
    (void)self;
    return VARVE_OK;
}

static void add_private(
    struct world *w, varve_node *root, const varve_comm *comm)
{
    varve_node *mine = varve_add_rank_local(root, "mine", comm, NULL);
    for (int i = 0; i < PRIVATE; i++) {
        char name[] = "number0";
        name[sizeof name - 2] = (char)('0' + i);
        varve_add_variable(mine, name, varve_scalar(&w->numbers[i]));
    }
}

/* Builds the graph of rank 0 and its save plan; digests are zero. */
static varve_graph *make_rank(struct world *w, const varve_comm *comm,
    const struct vv_context *context, struct vv_save_plan *save_plan)
{
    varve_error error = { 0 };
    const varve_write_options options = { .incremental =
                                              w->how == SAVES_INCREMENTAL };
    varve_graph *graph = vv_graph_new_in(context);
    varve_node *root = varve_graph_root(graph);
    if (w->how == SAVES_PRIVATE)
        add_private(w, root, comm);
    for (uint64_t i = 0; i < w->slices; i++) {
        char name[32];
        uint64_t start[] = { 0, 0 };
        snprintf(name, sizeof name, "layer%03" PRIu64, i);
        varve_add_slice(root, name,
            varve_view(w->memory, VARVE_UINT8, VARVE_SHAPE(1, w->bytes)),
            VARVE_SHAPE(w->ranks, w->bytes), start);
    }
    check(vv_save_plan_gather_of(
              save_plan, root, VV_OF_SEVERAL, &options, &error),
        &error);
    size_t size =
        (size_t)(w->slices * vv_chunk_count(w->bytes)) * VV_DIGEST_SIZE;
    unsigned char *digests =
        vv_buffer_extend(&save_plan->columns.index.digests, size);
    if (!digests)
        exit(1);
    memset(digests, 0, size);
    return graph;
}

/* --- A save --------------------------------------------------------------- */

struct result {
    double merge_seconds, write_seconds;
    double held_by_first; /* MiB during a save */
    uint64_t index_size;
    uint32_t files;
    double open_seconds, opened_by_first, told, held;
};

static void make_layers(struct vv_merge *m)
{
    for (uint32_t i = 0; i < m->layer_count; i++) {
        uint8_t nonce[VV_NONCE_SIZE] = { 1 };
        vv_store64(nonce + 8, i);
        vv_buffer_add(&m->added.layer_nonces, nonce, sizeof nonce);
        vv_buffer_add64(&m->added.layer_sizes, INT64_MAX / 1024);
    }
}

/* Simulates that all chunks are new and that each rank has reported where it
 * has written its own, one after the other. */
static void write_chunks(struct vv_merge *m)
{
    varve_error error = { 0 };
    struct vv_buffer bits, told;
    struct vv_gathered all;
    const varve_allocator *a = &m->save_plan->context.allocator;
    vv_buffer_init(&bits, a);
    vv_buffer_init(&told, a);
    vv_merge_order_chunks(m, &bits);
    for (size_t i = 0; i < m->firsts[1]; i++) {
        vv_buffer_add64(
            &told, VV_PAGE_ALIGNMENT +
                       vv_share_chunk_of_message(m->chunks[0], i).offset);
        vv_buffer_add32(&told, 0);
    }
    struct world *w = m->comm->self;
    w->head = told.size;
    w->has_node = false;
    check(vv_comm_gatherv(m->comm, VARVE_OK, &told, &all, &error), &error);
    vv_merge_take_written(m, &all);
    vv_gathered_clear(&all);
    vv_buffer_clear(&told);
    vv_buffer_clear(&bits);
    check(vv_merge_places(m, NULL, &error), &error);
}

static void merge(struct vv_merge *m, struct world *w, struct vv_spill *spill)
{
    varve_error error = { 0 };
    struct vv_buffer told;
    const struct vv_context *context = &m->save_plan->context;
    const struct vv_rounds rounds = {
        .save_plan = m->save_plan, .ranks = w->ranks, .most = w->most
    };
    bool by_rounds = vv_needs_rounds(&rounds);
    struct vv_gathered *all = (struct vv_gathered *)m->all;
    vv_buffer_init(&told, &context->allocator);
    check(vv_contribution_add(&told, m->comm, "heat", m->save_plan, m->share,
              !by_rounds, &error),
        &error);
    w->has_node = true;
    w->head = told.size;
    if (!by_rounds)
        w->head -= (size_t)w->slices * told_of_slice(w);
    check(vv_comm_gatherv(m->comm, VARVE_OK, &told, all, &error), &error);
    vv_buffer_clear(&told);
    if (!by_rounds) {
        check(vv_merge_make(m, &error), &error);
        if (m->firsts)
            write_chunks(m);
        return;
    }
    check(vv_merge_begin(m, &error), &error);
    check(vv_spill_begin(spill, context, VV_WORKING_DIRECTORY, "heat", "heat",
              false, &error),
        &error);
    m->spill = spill;
    w->has_node = false;
    w->head = 0;
    check(vv_merge_by_rounds(m, w->most, VARVE_OK, &error), &error);
}

static void write_index(struct vv_merge *m, const struct vv_context *context,
    const char *path, struct result *result)
{
    varve_error error = { 0 };
    struct vv_index index;
    const struct vv_system *system = context->system;
    make_layers(m);
    check(vv_merge_index(m, &index, &error), &error);
    result->files = m->layer_count;
    system->remove(system->state, VV_WORKING_DIRECTORY, path);
    int file = system->create_file(system->state, VV_WORKING_DIRECTORY, path);
    if (file < 0)
        exit(1);
    check(vv_data_out_bare(context, file, path, &index, &error), &error);
    system->close(system->state, file);
}

/* Runs a save on rank 0. */
static void save(struct world *w, const char *path, struct result *result)
{
    struct counter counter = { 0, 0 };
    const struct vv_context context = context_of(&counter);
    const varve_comm comm = { .rank = 0,
        .size = w->ranks,
        .self = w,
        .agree = agree,
        .gather = gather,
        .gather_varied = gather_varied,
        .broadcast = broadcast,
        .barrier = barrier };
    varve_error error = { 0 };
    struct vv_save_plan save_plan;
    struct vv_share share;
    struct vv_spill spill;
    struct vv_gathered all;
    struct vv_private_parts privates;
    varve_graph *graph = make_rank(w, &comm, &context, &save_plan);
    check(vv_private_parts_gather(
              &privates, varve_graph_root(graph), &save_plan, &comm, &error),
        &error);
    check(vv_private_parts_digest(&privates, &error), &error);
    check(vv_share_make(&share, &save_plan, &privates, &comm, &error), &error);
    struct vv_merge m = { .comm = &comm,
        .path = "heat",
        .save_plan = &save_plan,
        .share = &share,
        .all = &all };
    double begin = seconds();
    merge(&m, w, &spill);
    double end = seconds();
    result->merge_seconds = end - begin;
    write_index(&m, &context, path, result);
    result->write_seconds = seconds() - end;
    if (m.spill)
        vv_spill_end(&spill);
    vv_merge_clear(&m);
    vv_gathered_clear(&all);
    vv_share_clear(&share);
    vv_private_parts_clear(&privates);
    vv_save_plan_clear(&save_plan);
    varve_graph_free(graph);
    result->held_by_first = (double)counter.most / mib;
}

/* --- A restoration -------------------------------------------------------- */

/* Measures the peak memory of each rank for the index, in MiB. */
static void hold(const struct vv_index_broadcast *told, const char *path,
    struct result *result)
{
    struct counter counter = { 0, 0 };
    const struct vv_context context = context_of(&counter);
    varve_error error = { 0 };
    struct vv_index_broadcast mine = { .size = 0 };
    struct vv_paged_columns *far = NULL;
    struct vv_opened file;
    uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS];
    vv_index_broadcast_numbers(told, numbers);
    vv_index_broadcast_take(&mine, numbers);
    check(vv_opened_begin(&file, &context, path, &error), &error);
    check(vv_index_broadcast_reserve(&mine, &context, &error), &error);
    memcpy(mine.bytes, told->bytes, (size_t)told->size);
    if (mine.far)
        memcpy(mine.far->words, told->far->words,
            (size_t)told->word_count * sizeof *told->far->words);
    check(vv_index_broadcast_use(&mine, &file, &far, -1, &error), &error);
    vv_index_broadcast_clear(&mine);
    vv_opened_close(&file);
    vv_paged_columns_free(far);
    result->held = (double)counter.most / mib;
}

static void restore(const char *path, struct result *result)
{
    struct counter counter = { 0, 0 };
    const struct vv_context context = context_of(&counter);
    varve_error error = { 0 };
    struct vv_index_broadcast told;
    struct vv_opened first;
    double begin = seconds();
    check(vv_data_in_open_index(&first, &context, path, &error), &error);
    result->index_size = vv_data_in_place(&first)->size;
    vv_index_broadcast_make(&told, &first, vv_data_in_place(&first));
    result->open_seconds = seconds() - begin;
    result->opened_by_first = (double)counter.most / mib;
    result->told = (double)(told.size + told.word_count * 8) / mib;
    hold(&told, path, result);
    vv_index_broadcast_clear(&told);
    vv_opened_close(&first);
}

/* --- All ------------------------------------------------------------------ */

/* Returns true if memory is limited by the size of one value and a constant for
 * each rank, and does not grow with the number of values. */
static bool is_bounded(const struct world *w, const struct result *r)
{
    double value = (double)w->ranks * (double)told_of_slice(w) / mib;
    double at_once = (double)w->most / mib;
    double save = 3 + 5 * (value > at_once ? value : at_once) +
                  (double)w->ranks * 256 / mib;
    double restoration = 3 + (double)r->index_size / mib / 64;
    double first = restoration + 1; /* its read window */
    if (r->held_by_first <= save && r->opened_by_first <= first &&
        r->held <= restoration)
        return true;
    fprintf(stderr,
        "ranks: the memory limits are %.1f, %.1f and %.1f MiB, used were "
        "%.1f, %.1f and %.1f\n",
        save, first, restoration, r->held_by_first, r->opened_by_first,
        r->held);
    return false;
}

/* Subtracts the memory of rank-local values, which are in the graph of rank 0
 * and in the index. */
static void leave_out_private(const struct world *w, struct result *r)
{
    double values = w->how == SAVES_PRIVATE ? (double)w->ranks * PRIVATE : 0;
    r->held_by_first -= 256 * values / mib;
    r->opened_by_first -= 64 * values / mib;
    r->held -= 64 * values / mib;
}

static bool measure(struct world *w, uint32_t ranks)
{
    struct result r;
    const char *folder = getenv("TMPDIR");
    char path[4096];
    w->ranks = ranks;
    w->told = 0;
    snprintf(path, sizeof path, "%s/ranks-%ld.varve", folder ? folder : "/tmp",
        (long)getpid());
    save(w, path, &r);
    restore(path, &r);
    remove(path);
    double data = (double)ranks * (double)(w->slices * w->bytes);
    printf("%7" PRIu32 " %10.1f %8.1f %8.2f %8.1f %9.1f %8.2f %5" PRIu32
           " %8.2f %8.1f %8.2f %8.1f\n",
        ranks, data / (1 << 30), (double)w->told / mib, r.merge_seconds,
        r.held_by_first, (double)r.index_size / mib, r.write_seconds, r.files,
        r.open_seconds, r.opened_by_first, r.told, r.held);
    leave_out_private(w, &r);
    return w->how == SAVES_INCREMENTAL || is_bounded(w, &r);
}

static enum how how_of(int count, char **arguments, int i)
{
    int how = 0;
    while (i < count && how < HOWS && strcmp(arguments[i], how_texts[how]) != 0)
        how++;
    return (enum how)how;
}

static uint64_t operand(int count, char **arguments, int i, uint64_t other)
{
    return i < count ? strtoull(arguments[i], NULL, 10) : other;
}

int main(int count, char **arguments)
{
    uint64_t most = operand(count, arguments, 1, 10000);
    struct world w = { .how = how_of(count, arguments, 6),
        .slices = operand(count, arguments, 2, 100),
        .bytes = operand(count, arguments, 3, 10) << 20,
        .share = (uint32_t)operand(count, arguments, 4, 64),
        .most = operand(count, arguments, 5, VV_MOST_AT_ONCE >> 10) << 10 };
    bool is_good = true;
    w.memory = malloc(w.bytes + 1); /* and never accessed */
    if (!w.memory || w.slices > MOST_SLICES || w.share == 0 || w.how == HOWS)
        return 2;
    printf("  ranks   data GiB told MiB  merge s held MiB index MiB  write s "
           "files   open s 0th MiB told MiB each MiB\n");
    for (uint32_t ranks = 10; is_good && ranks <= most; ranks *= 10)
        is_good = measure(&w, ranks);
    free(w.memory);
    return is_good ? 0 : 1;
}
