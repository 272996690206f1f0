/* records.c - batches of records, and the position that a graph keeps.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/records.h>

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "permutation.h"
#include "random_key.h"
#include "record_source.h"
#include "state.h"
#include "try.h"

/* What the graph keeps. */
struct position {
    uint64_t epoch;
    uint64_t consumed;
    uint64_t seed;
    uint64_t shuffle;
    uint64_t count;
    uint64_t fingerprint[2];
};

struct varve_records {
    struct vv_context context;
    varve_source source; /* its name is ours */
    size_t batch;
    bool drop_last;
    uint64_t epochs;
    struct position position;
    varve_sink sink;     /* the bytes of the batch */
    varve_record *taken; /* its records */
    size_t capacity;
};

/* --- Opening ------------------------------------------------------------ */

static void accept_source(varve_records *r)
{
    r->position.count = r->source.count;
    memcpy(r->position.fingerprint, r->source.fingerprint,
        sizeof r->position.fingerprint);
}

static varve_status check_batch(const varve_source *source,
    const varve_records_options *options, varve_error *error)
{
    if (options->drop_last && options->batch > source->count &&
        source->count > 0) {
        return vv_fail(error, VARVE_MISUSE,
            "%s: expected at least the %zu records of a batch that may not be "
            "smaller, found %" PRIu64,
            source->name, options->batch, source->count);
    }
    return VARVE_OK;
}

static varve_records *new_records(const struct vv_context *context,
    const varve_source *source, const varve_records_options *options,
    varve_error *error)
{
    if (VV_CHECK_OPTIONS(source, error) || VV_CHECK_OPTIONS(options, error) ||
        check_batch(source, options, error))
        return NULL;
    varve_records *r = vv_allocate_zeroed(&context->allocator, sizeof *r);
    char *name = vv_copy_string(&context->allocator, source->name);
    if (!r || !name) {
        vv_release_string(&context->allocator, name);
        vv_release(&context->allocator, r, sizeof *r);
        vv_fail_memory(error, "opening records");
        return NULL;
    }
    r->context = *context;
    r->source = *source;
    r->source.name = name;
    r->batch = options->batch;
    r->drop_last = options->drop_last;
    r->epochs = options->epochs;
    r->position.seed = options->seed;
    r->position.shuffle = options->shuffle;
    vv_buffer_init(&r->sink.bytes, &r->context.allocator);
    accept_source(r);
    return r;
}

varve_records *vv_records_open_in(const struct vv_context *context,
    const varve_source *source, const varve_records_options *options,
    varve_error *error)
{
    varve_records *r = new_records(context, source, options, error);
    if (!r && source->close)
        source->close(source->self);
    return r;
}

varve_records *varve_records_open(const varve_source *source,
    const varve_records_options *options, varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    if (!source || !source->read) {
        vv_fail(error, VARVE_MISUSE,
            "records: expected a source that reads, found none");
        return NULL;
    }
    varve_source named = *source;
    if (!named.name)
        named.name = "records";
    return new_records(&opening.context, &named, &opening.options, error);
}

void varve_records_free(varve_records *r)
{
    if (!r)
        return;
    const varve_allocator a = r->context.allocator;
    if (r->source.close)
        r->source.close(r->source.self);
    vv_buffer_clear(&r->sink.bytes);
    vv_release(&a, r->taken, r->capacity * sizeof *r->taken);
    vv_release_string(&a, (char *)(uintptr_t)r->source.name);
    vv_release(&a, r, sizeof *r);
}

/* --- Reading ------------------------------------------------------------ */

/* Of the epoch that the position is in. */
static struct vv_permutation order_of(const struct position *p)
{
    const uint64_t numbers[2] = { p->seed, p->epoch };
    uint64_t key[2];
    vv_random_key(key, numbers, 2, "order of records");
    return vv_permutation_of(key, p->count);
}

/* Appends a record to the sink. */
static varve_status read_one(
    varve_records *r, uint64_t index, varve_error *error)
{
    varve_error own;
    own.status = VARVE_OK;
    varve_status status = r->source.read(r->source.self, index, &r->sink, &own);
    if (r->sink.bytes.failed)
        return vv_fail_memory(error, "a record");
    if (!status)
        return VARVE_OK;
    if (own.status) {
        if (error)
            *error = own;
        return own.status;
    }
    return vv_fail(error, vv_status_of_callback(status),
        "%s: record %" PRIu64 ": its source failed with %s", r->source.name,
        index, varve_status_name(status));
}

/* Reads the records that follow a position. */
static varve_status read_batch(varve_records *r, const struct position *from,
    size_t count, varve_error *error)
{
    struct vv_permutation order = order_of(from);
    if (!vv_grow_array(&r->context.allocator, &r->taken, &r->capacity, count,
            sizeof *r->taken))
        return vv_fail_memory(error, "a batch of records");
    r->sink.bytes.size = 0;
    r->sink.bytes.failed = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t index = from->consumed + i;
        if (from->shuffle)
            index = vv_permutation_at(&order, index);
        size_t begin = r->sink.bytes.size;
        VV_TRY(read_one(r, index, error));
        r->taken[i].index = index;
        r->taken[i].size = r->sink.bytes.size - begin;
    }
    /* Where they stand is known when the bytes do not move any more. */
    const unsigned char *at = r->sink.bytes.data;
    for (size_t i = 0; i < count; i++) {
        r->taken[i].data = at ? (const void *)at : "";
        at = at ? at + r->taken[i].size : NULL;
    }
    return VARVE_OK;
}

static void next_epoch(struct position *p)
{
    p->epoch++;
    p->consumed = 0;
}

static bool has_ended(const varve_records *r, const struct position *p)
{
    return r->source.count == 0 || (r->epochs && p->epoch >= r->epochs);
}

static varve_status take(
    varve_records *r, size_t wanted, varve_batch *batch, varve_error *error)
{
    /* A copy: a batch that fails leaves the position where it was. */
    struct position p = r->position;
    if (r->drop_last && p.count - p.consumed < wanted)
        next_epoch(&p);
    *batch = (varve_batch){ .epoch = p.epoch };
    if (has_ended(r, &p))
        return VARVE_OK;
    uint64_t left = p.count - p.consumed;
    size_t count = left < wanted ? (size_t)left : wanted;
    VV_TRY(read_batch(r, &p, count, error));
    p.consumed += count;
    left -= count;
    batch->records = r->taken;
    batch->count = count;
    batch->ends_epoch = left == 0 || (r->drop_last && left < wanted);
    if (batch->ends_epoch)
        next_epoch(&p);
    r->position = p;
    return VARVE_OK;
}

varve_status varve_records_take(varve_records *records, size_t count,
    varve_batch *batch, varve_error *error)
{
    if (!records || !batch)
        return vv_fail(error, VARVE_MISUSE,
            "records: expected records and a batch, found NULL");
    const varve_records_options options = {
        .batch = count,
        .drop_last = records->drop_last,
    };
    VV_TRY(check_batch(&records->source, &options, error));
    VV_TRY(varve_records_check(records, error));
    varve_batch found;
    VV_TRY(take(records, count ? count : 1, &found, error));
    *batch = found;
    return VARVE_OK;
}

varve_status varve_records_next(
    varve_records *records, varve_batch *batch, varve_error *error)
{
    return varve_records_take(
        records, records ? records->batch : 0, batch, error);
}

uint64_t varve_records_count(const varve_records *records)
{
    return records ? records->source.count : 0;
}

uint64_t varve_records_epoch(const varve_records *records)
{
    return records ? records->position.epoch : 0;
}

uint64_t varve_records_consumed(const varve_records *records)
{
    return records ? records->position.consumed : 0;
}

/* --- The position in a graph -------------------------------------------- */

varve_node *varve_add_records(
    varve_node *parent, const char *name, varve_records *records)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &varve_node_graph(parent)->nil;
    if (!records) {
        return vv_mistake(varve_node_graph(parent), VARVE_MISUSE,
            "%s: expected records, found NULL", name ? name : "list element");
    }
    struct position *p = &records->position;
    struct {
        const char *name;
        uint64_t *at;
    } numbers[] = {
        { "epoch", &p->epoch },
        { "consumed", &p->consumed },
        { "seed", &p->seed },
        { "shuffle", &p->shuffle },
        { "count", &p->count },
    };
    const uint64_t two = 2;
    varve_node *node = varve_add_object(parent, name);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        varve_add_variable(node, numbers[i].name,
            varve_view(numbers[i].at, VARVE_UINT64, varve_shape_of(0, NULL)));
    }
    varve_add_variable(node, "fingerprint",
        varve_view(p->fingerprint, VARVE_UINT64, varve_shape_of(1, &two)));
    return node;
}

varve_status varve_records_check(
    const varve_records *records, varve_error *error)
{
    if (!records)
        return vv_fail(
            error, VARVE_MISUSE, "records: expected records, found NULL");
    const struct position *p = &records->position;
    const varve_source *s = &records->source;
    if (p->count != s->count || p->fingerprint[0] != s->fingerprint[0] ||
        p->fingerprint[1] != s->fingerprint[1]) {
        return vv_fail(error, VARVE_MISMATCH,
            "%s: expected the source of the position, %" PRIu64
            " records with the fingerprint %016" PRIx64 "%016" PRIx64
            ", found %" PRIu64 " records with %016" PRIx64 "%016" PRIx64,
            s->name, p->count, p->fingerprint[1], p->fingerprint[0], s->count,
            s->fingerprint[1], s->fingerprint[0]);
    }
    if (p->consumed > 0 && p->consumed >= p->count) {
        return vv_fail(error, VARVE_MISMATCH,
            "%s: expected a position below %" PRIu64 " records, found %" PRIu64,
            s->name, p->count, p->consumed);
    }
    return VARVE_OK;
}

void varve_records_rewind(varve_records *records, uint64_t epoch)
{
    if (!records)
        return;
    records->position.epoch = epoch;
    records->position.consumed = 0;
    accept_source(records);
}
