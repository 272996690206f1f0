/* records.c - Batches of records, and the position that a graph saves.
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
#include "record_list.h"
#include "record_prefetch.h"
#include "try.h"

/* Position of the next record in a list of files. */
struct file_place {
    uint64_t file;
    uint64_t record;
};

struct varve_records {
    struct vv_context context;
    varve_source source;          /* its name is owned */
    vv_record_check *check;       /* for its files; or NULL */
    struct vv_record_choice next; /* options of varve_records_next */
    struct vv_record_position position;
    struct vv_record_extent extent; /* of the epoch at the position */
    struct vv_record_batch batch;
    struct vv_record_prefetch *prefetch; /* NULL: `batch` is used */

    /* for a list of files; otherwise NULL; owned by the source */
    const struct vv_record_list *list;
    bool allow_appended;
    /* variables in the graph, which a restoration changes */
    struct file_place place;
    struct file_place placed;            /* the correct value of `place` */
    struct vv_record_position placed_of; /* at this position */
    /* false: the position was restored, and its `files` must be derived from
     * `saved` */
    bool is_settled;
    struct vv_buffer saved; /* the saved text of a list (record_list.h) */
};

/* --- Opening ------------------------------------------------------------ */

static void records_set_place(varve_records *r);

static void accept_source(varve_records *r)
{
    r->position.consumed = 0;
    r->extent = r->next.whole;
    r->is_settled = true;
    vv_record_position_fit(&r->position, &r->extent);
    records_set_place(r);
}

static varve_status check_batch(
    const varve_source *source, bool drops, size_t batch, varve_error *error)
{
    if (drops && batch > source->count && source->count > 0) {
        return vv_fail(error, VARVE_MISUSE,
            "%s: a batch needs %zu records (no smaller batch is permitted), "
            "but the source has only %" PRIu64,
            source->name, batch, source->count);
    }
    return VARVE_OK;
}

static struct vv_record_choice choice_of(
    const varve_source *source, const varve_records_options *options)
{
    return (struct vv_record_choice){
        .whole = {
            .count = source->count,
            .fingerprint = { source->fingerprint[0], source->fingerprint[1] },
        },
        .epochs = options->epochs,
        .wanted = options->batch ? options->batch : 1,
        .drops = options->drop_last,
    };
}

static void records_free_memory(varve_records *r)
{
    const varve_allocator a = r->context.allocator;
    vv_record_batch_clear(&r->batch);
    vv_buffer_clear(&r->saved);
    vv_release_string(&a, (char *)(uintptr_t)r->source.name);
    vv_release(&a, r, sizeof *r);
}

static bool records_start_prefetch(varve_records *r,
    const struct vv_file_source *from, const varve_records_options *options,
    varve_error *error)
{
    const struct vv_prefetch_choice choice = {
        .source = r->source,
        .hint = from->hint,
        .check = from->check,
        .most = options->prefetch,
        .wanted = r->next.wanted,
    };
    if (options->prefetch == 0)
        return true;
    r->prefetch = vv_record_prefetch_new(&r->context, &choice, error);
    return r->prefetch != NULL;
}

static varve_records *new_records(const struct vv_context *context,
    const struct vv_file_source *from, const varve_records_options *options,
    varve_error *error)
{
    const varve_source *source = &from->source;
    if (VV_CHECK_OPTIONS(source, error) || VV_CHECK_OPTIONS(options, error) ||
        check_batch(source, options->drop_last, options->batch, error))
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
    r->check = from->check;
    r->next = choice_of(source, options);
    r->position.seed = options->seed;
    r->position.shuffle = options->shuffle;
    r->list = from->list;
    r->allow_appended = options->allow_appended;
    r->next.whole.files = r->list ? vv_record_list_files(r->list) : 0;
    vv_buffer_init(&r->saved, &r->context.allocator);
    vv_record_batch_init(&r->batch, &r->context.allocator);
    accept_source(r);
    if (records_start_prefetch(r, from, options, error))
        return r;
    records_free_memory(r);
    return NULL;
}

varve_records *vv_records_open_file_source(const struct vv_context *context,
    const struct vv_file_source *from, const varve_records_options *options,
    varve_error *error)
{
    varve_records *r = new_records(context, from, options, error);
    if (!r && from->source.close)
        from->source.close(from->source.self);
    return r;
}

varve_records *vv_records_open_in(const struct vv_context *context,
    const varve_source *source, const varve_records_options *options,
    varve_error *error)
{
    const struct vv_file_source from = { .source = *source };
    return vv_records_open_file_source(context, &from, options, error);
}

varve_records *varve_records_open(const varve_source *source,
    const varve_records_options *options, varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    if (!source || !source->read) {
        vv_fail(
            error, VARVE_MISUSE, "records: the source has no read callback");
        return NULL;
    }
    struct vv_file_source named = { .source = *source };
    if (!named.source.name)
        named.source.name = "records";
    if (vv_record_options_check(named.source.name, &opening.options, 0, error))
        return NULL;
    return new_records(&opening.context, &named, &opening.options, error);
}

void varve_records_free(varve_records *r)
{
    if (!r)
        return;
    if (vv_record_prefetch_end(r->prefetch) && r->source.close)
        r->source.close(r->source.self);
    records_free_memory(r);
}

/* --- Place of the next record --------------------------------------------- */

/* Returns the place of the next record. The position may be invalid: `consumed`
 * can exceed `count`. */
static struct file_place records_place_of(const varve_records *r)
{
    const struct vv_record_position *p = &r->position;
    struct file_place place = { 0, 0 };
    if (!r->list || p->consumed >= p->count)
        return place;
    struct vv_permutation order = vv_record_order(p);
    place.file = vv_record_list_find(
        r->list, vv_record_number(p, &order, 0), &place.record);
    return place;
}

static void records_set_place(varve_records *r)
{
    r->place = r->placed = records_place_of(r);
    r->placed_of = r->position;
}

/* Determines the extent of the position from its list of files. */
static varve_status find_extent(
    const varve_records *r, struct vv_record_extent *extent, varve_error *error)
{
    uint64_t files = 0;
    *extent = r->extent;
    if (r->is_settled)
        return VARVE_OK;
    struct vv_listed_texts texts = {
        .name = r->source.name,
        .saved = (const char *)r->saved.data,
        .saved_size = r->saved.size,
        .allow_appended = r->allow_appended,
    };
    texts.opened =
        vv_record_list_text(r->list, r->next.whole.files, &texts.opened_size);
    VV_TRY(vv_list_text_compare(&texts, &files, error));
    *extent = vv_record_list_extent(r->list, files);
    return VARVE_OK;
}

/* Called after the position was matched with an extent. */
static void records_settle(
    varve_records *r, const struct vv_record_extent *extent)
{
    r->extent = *extent;
    r->position.files = extent->files;
    r->is_settled = true;
}

static varve_status records_check_place(
    const varve_records *r, varve_error *error)
{
    bool is_known =
        memcmp(&r->placed_of, &r->position, sizeof r->position) == 0;
    struct file_place place = is_known ? r->placed : records_place_of(r);
    if (place.file != r->place.file || place.record != r->place.record)
        return vv_fail(error, VARVE_MISMATCH,
            "%s: after %" PRIu64
            " consumed record%s the position must be at record %" PRIu64
            " of file %" PRIu64 ", found record %" PRIu64 " of file %" PRIu64,
            r->source.name, r->position.consumed,
            vv_plural_s(r->position.consumed), place.record, place.file,
            r->place.record, r->place.file);
    return VARVE_OK;
}

static varve_status check_position(
    const varve_records *r, struct vv_record_extent *extent, varve_error *error)
{
    const struct vv_record_position *p = &r->position;
    const struct vv_record_extent *s = extent;
    VV_TRY(find_extent(r, extent, error));
    if (p->count != s->count || p->fingerprint[0] != s->fingerprint[0] ||
        p->fingerprint[1] != s->fingerprint[1]) {
        return vv_fail(error, VARVE_MISMATCH,
            "%s: the position belongs to another source: %" PRIu64
            " record%s with the fingerprint %016" PRIx64 "%016" PRIx64
            ", this source has %" PRIu64 " record%s with %016" PRIx64
            "%016" PRIx64,
            r->source.name, p->count, vv_plural_s(p->count), p->fingerprint[1],
            p->fingerprint[0], s->count, vv_plural_s(s->count),
            s->fingerprint[1], s->fingerprint[0]);
    }
    if (p->consumed > 0 && p->consumed >= p->count) {
        return vv_fail(error, VARVE_MISMATCH,
            "%s: the position must be below %" PRIu64
            " record%s, found %" PRIu64,
            r->source.name, p->count, vv_plural_s(p->count), p->consumed);
    }
    return records_check_place(r, error);
}

varve_status varve_records_check(
    const varve_records *records, varve_error *error)
{
    struct vv_record_extent extent;
    if (!records)
        return vv_fail(error, VARVE_MISUSE, "records: records is NULL");
    return check_position(records, &extent, error);
}

void varve_records_rewind(varve_records *records, uint64_t epoch)
{
    if (!records)
        return;
    records->position.epoch = epoch;
    accept_source(records);
}

/* --- Reading ------------------------------------------------------------ */

static varve_status read_step(varve_records *r,
    const struct vv_record_step *step, const struct vv_record_choice *choice,
    const varve_record **records, varve_error *error)
{
    if (r->prefetch)
        return vv_record_prefetch_take(
            r->prefetch, step, choice, records, error);
    varve_status status =
        vv_record_batch_read(&r->batch, &r->source, step, error);
    status = vv_record_batch_confirm(r->check, r->source.self, status,
        vv_record_step_is_last(step, choice), error);
    if (!status)
        *records = r->batch.records;
    return status;
}

static varve_status records_take(varve_records *r,
    const struct vv_record_choice *choice, varve_batch *batch,
    varve_error *error)
{
    const struct vv_record_step step = vv_record_step_at(&r->position, choice);
    varve_batch found = {
        .count = step.count,
        .epoch = step.from.epoch,
        .ends_epoch = step.ends_epoch,
    };
    if (step.count > 0)
        VV_TRY(read_step(r, &step, choice, &found.records, error));
    /* only after a success: a failed batch leaves the position unchanged */
    r->position = step.after;
    if (step.after.files != r->extent.files)
        r->extent = choice->whole;
    records_set_place(r);
    *batch = found;
    return VARVE_OK;
}

varve_status varve_records_take(varve_records *records, size_t count,
    varve_batch *batch, varve_error *error)
{
    struct vv_record_extent extent;
    if (!records || !batch)
        return vv_fail(
            error, VARVE_MISUSE, "records: records or batch is NULL");
    struct vv_record_choice choice = records->next;
    choice.wanted = count ? count : 1;
    VV_TRY(check_batch(&records->source, choice.drops, count, error));
    VV_TRY(check_position(records, &extent, error));
    records_settle(records, &extent);
    return records_take(records, &choice, batch, error);
}

varve_status varve_records_next(
    varve_records *records, varve_batch *batch, varve_error *error)
{
    return varve_records_take(
        records, records ? records->next.wanted : 0, batch, error);
}

const char *varve_records_file(
    const varve_records *records, uint64_t index, uint64_t *record)
{
    uint64_t own;
    if (!record)
        record = &own;
    *record = 0;
    if (!records || !records->list || index >= records->source.count)
        return NULL;
    return vv_record_list_path(
        records->list, vv_record_list_find(records->list, index, record));
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

struct named_number {
    const char *name;
    uint64_t *at;
};

static void records_add_numbers(
    varve_node *node, const struct named_number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        varve_add_variable(node, numbers[i].name,
            varve_view(numbers[i].at, VARVE_UINT64, varve_shape_of(0, NULL)));
    }
}

static varve_status save_list(void *self, varve_sink *sink)
{
    const varve_records *r = self;
    const void *text = r->saved.data;
    size_t size = r->saved.size;
    if (r->is_settled)
        text = vv_record_list_text(r->list, r->position.files, &size);
    varve_put(sink, text, size);
    return VARVE_OK;
}

/* Stores the text of a list. It is compared by the check, which can fail with a
 * message. */
static varve_status load_list(void *self, const void *bytes, size_t size)
{
    varve_records *r = self;
    struct vv_buffer loaded;
    vv_buffer_init(&loaded, &r->context.allocator);
    vv_buffer_add(&loaded, bytes, size);
    bool failed = loaded.failed;
    if (!failed) {
        vv_buffer_swap(&r->saved, &loaded);
        r->is_settled = false;
    }
    vv_buffer_clear(&loaded);
    return failed ? VARVE_NO_MEMORY : VARVE_OK;
}

static void records_add_list(varve_node *node, varve_records *records)
{
    static const varve_state_callbacks callbacks = { save_list, load_list };
    const struct named_number numbers[] = {
        { "file", &records->place.file },
        { "record", &records->place.record },
    };
    varve_add_state(node, "files", &callbacks, records);
    records_add_numbers(node, numbers, sizeof numbers / sizeof *numbers);
}

varve_node *varve_add_records(
    varve_node *parent, const char *name, varve_records *records)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &varve_node_graph(parent)->nil;
    if (!records) {
        return vv_graph_error(varve_node_graph(parent), VARVE_MISUSE,
            "%s: records is NULL", name ? name : "list element");
    }
    struct vv_record_position *p = &records->position;
    const struct named_number numbers[] = {
        { "epoch", &p->epoch },
        { "consumed", &p->consumed },
        { "seed", &p->seed },
        { "shuffle", &p->shuffle },
        { "count", &p->count },
    };
    const uint64_t two = 2;
    varve_node *node = varve_add_object(parent, name);
    records_add_numbers(node, numbers, sizeof numbers / sizeof *numbers);
    varve_add_variable(node, "fingerprint",
        varve_view(p->fingerprint, VARVE_UINT64, varve_shape_of(1, &two)));
    if (records->list)
        records_add_list(node, records);
    return node;
}
