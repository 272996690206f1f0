/* repack.c - values where the index has them, each verified as it passes, laid
 * out and summed as a save of all of them does it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "repack.h"

#include <string.h>

#include "allocator.h"
#include "box_reading.h"
#include "data_in.h"
#include "data_out.h"
#include "default_allocator.h"
#include "dtype.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "piece_table.h"
#include "publish.h"
#include "reader.h"
#include "save.h"
#include "source.h"
#include "store.h"
#include "try.h"
#include "write_options.h"

struct repacking {
    const varve_write_options *options;
    varve_reader *reader;
    struct vv_data_out out;
    struct vv_buffer offsets; /* of the values now, as in an index */
    struct vv_buffer digests;
    struct vv_buffer chunk;
};

/* A value, and the part of one in pieces that is in memory. */
struct passing {
    const struct repacking *r;
    uint32_t node;
    uint32_t value;
    varve_tensor type;
    uint32_t dimension; /* the outermost of which one step fits, */
    uint64_t step;      /* so many bytes; and how many steps: */
    uint64_t steps;
    unsigned char *window;
    uint64_t begin, end; /* which bytes of the value are there */
};

/* --- Values in pieces ----------------------------------------------------- */

/* Larger values in pieces are put together a part at a time. Where pieces are
 * columns the chunks of all meet each part, so that it must not be small. */
enum { WINDOW_SIZE = 16 << 20 };

static void choose_steps(struct passing *p)
{
    const varve_tensor *type = &p->type;
    uint64_t size = varve_dtype_size(type->dtype);
    p->dimension = type->rank - 1;
    while (p->dimension > 0 && type->shape[p->dimension] <= WINDOW_SIZE / size)
        size *= type->shape[p->dimension--];
    p->step = size;
    p->steps = size < WINDOW_SIZE ? WINDOW_SIZE / size : 1;
    if (p->steps > type->shape[p->dimension])
        p->steps = type->shape[p->dimension];
}

/* Gets the part that has a byte. */
static varve_status move_window(
    struct passing *p, uint64_t at, varve_error *error)
{
    varve_box box;
    uint64_t index = at / p->step, extent = p->type.shape[p->dimension];
    uint64_t first = index % extent / p->steps * p->steps;
    uint64_t count = extent - first < p->steps ? extent - first : p->steps;
    memset(&box, 0, sizeof box);
    memcpy(box.extents, p->type.shape, p->type.rank * sizeof *box.extents);
    box.start[p->dimension] = first;
    box.extents[p->dimension] = count;
    p->begin = (index - index % extent + first) * p->step;
    p->end = p->begin + count * p->step;
    index /= extent;
    for (uint32_t d = p->dimension; d-- > 0; index /= p->type.shape[d]) {
        box.start[d] = index % p->type.shape[d];
        box.extents[d] = 1;
    }
    struct vv_box_reading reading = { .reader = p->r->reader,
        .node = p->node,
        .value = p->value,
        .box = box,
        .to = p->window };
    varve_status status = vv_box_read(&reading, error);
    vv_box_reading_clear(&reading);
    return status;
}

static varve_status gather(const struct vv_source *source, uint64_t at,
    size_t size, const unsigned char **bytes, varve_error *error)
{
    struct passing *p = (struct passing *)source->from;
    *bytes = source->scratch->data;
    for (size_t done = 0; done < size;) {
        uint64_t from = at + done;
        if (from < p->begin || from >= p->end)
            VV_TRY(move_window(p, from, error));
        size_t part = size - done;
        if (part > p->end - from)
            part = (size_t)(p->end - from);
        memcpy(
            source->scratch->data + done, p->window + (from - p->begin), part);
        done += part;
    }
    return VARVE_OK;
}

/* --- Values in one piece -------------------------------------------------- */

static varve_status read_chunk(const struct vv_source *source, uint64_t at,
    size_t size, const unsigned char **bytes, varve_error *error)
{
    const struct passing *p = source->from;
    (void)size; /* of the chunk that begins there */
    *bytes = source->scratch->data;
    return vv_reader_read_chunk(p->r->reader, p->node, p->value,
        at / VV_CHUNK_SIZE, source->scratch->data, error);
}

/* --- All ------------------------------------------------------------------ */

static varve_status copy_from(
    struct repacking *r, struct passing *p, uint64_t size, varve_error *error)
{
    uint64_t offset;
    uint8_t number[8];
    const struct vv_source source = { .piece = p->window ? gather : read_chunk,
        .from = p,
        .scratch = &r->chunk };
    VV_TRY(vv_data_out_value(
        &r->out, &source, size, "", &offset, &r->digests, error));
    vv_store64(number, offset);
    vv_buffer_add(&r->offsets, number, sizeof number);
    return VARVE_OK;
}

static varve_status copy_value(
    struct repacking *r, uint32_t value, varve_error *error)
{
    static const uint8_t none[8];
    const struct vv_parsed_index *parsed = &r->reader->file.parsed;
    const struct vv_index *index = &parsed->index;
    uint64_t size = vv_at64(index->value_sizes, value);
    struct passing p = {
        .r = r, .node = vv_at32(index->value_nodes, value), .value = value
    };
    if (vv_at64(index->value_offsets, value) == 0) {
        vv_buffer_add(&r->offsets, none, sizeof none);
        return VARVE_OK;
    }
    if (size == 0 || vv_piece_count(index, value) == 1)
        return copy_from(r, &p, size, error);
    const varve_allocator *a = &r->reader->context.allocator;
    p.type = vv_index_tensor(index, &parsed->table, value);
    choose_steps(&p);
    size_t room = (size_t)(p.steps * p.step);
    p.window = vv_allocate(a, room);
    varve_status status = p.window ? copy_from(r, &p, size, error)
                                   : vv_fail_memory(error, "a value in pieces");
    vv_release(a, p.window, room);
    return status;
}

/* Where the values will end. */
static uint64_t end_of_values(const struct vv_index *index)
{
    uint64_t offset = VV_HEADER_SIZE;
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint64_t size = vv_at64(index->value_sizes, i);
        if (vv_at64(index->value_offsets, i) != 0)
            offset = vv_data_place(offset, size) + size;
    }
    return offset;
}

static varve_status write_all(
    struct repacking *r, const struct vv_publication *p, varve_error *error)
{
    struct vv_index index = r->reader->file.parsed.index;
    VV_TRY(vv_data_out_begin(&r->out, &r->reader->context, p->file, p->path,
        end_of_values(&index), error));
    r->out.no_write_back = r->options->no_sync;
    r->out.progress = r->options->progress;
    r->out.progress_user = r->options->progress_user;
    for (uint32_t i = 0; i < index.value_count; i++)
        VV_TRY(copy_value(r, i, error));
    if (r->offsets.failed || r->digests.failed)
        return vv_fail_memory(error, "an index");
    index.layer_count = index.place_count = index.packed_count = 0;
    index.pieced_count = 0;
    index.paged_count = index.page_digest_count = 0;
    index.box_number_count = 0;
    index.value_offsets = r->offsets.data;
    index.digests = r->digests.data;
    index.digest_count = r->digests.size / VV_DIGEST_SIZE;
    return vv_data_out_end(&r->out, &index, error);
}

static varve_status repack(
    struct repacking *r, const char *to, varve_error *error)
{
    struct vv_publication p;
    const struct vv_context *context = &r->reader->context;
    int flags = (r->options->no_sync ? VV_PUBLISH_NO_SYNC : 0) |
                (r->options->no_replace ? VV_PUBLISH_NO_REPLACE : 0);
    vv_buffer_init(&r->offsets, &context->allocator);
    vv_buffer_init(&r->digests, &context->allocator);
    vv_buffer_init(&r->chunk, &context->allocator);
    if (!vv_buffer_extend(&r->chunk, VV_CHUNK_SIZE))
        return vv_fail_memory(error, "a chunk");
    varve_status status = vv_publish_begin(
        &p, context, to ? to : r->reader->file.path, flags, error);
    if (!status) {
        status = write_all(r, &p, error);
        vv_data_out_clear(&r->out);
        status = vv_publish_end(&p, status, error);
    }
    vv_buffer_clear(&r->offsets);
    vv_buffer_clear(&r->digests);
    vv_buffer_clear(&r->chunk);
    return status;
}

static varve_status open_ours(void *user, struct vv_opened *opened,
    const struct vv_context *context, varve_error *error)
{
    return vv_open_found(context, user, true, vv_data_in_open, opened, error);
}

/* What a file of its own without layers is not written with. */
static varve_status check_options(
    const varve_write_options *options, varve_error *error)
{
    static const varve_write_options defaults;
    const varve_write_options *o = options ? options : &defaults;
    VV_TRY(vv_write_options_check(o, error));
    const char *name = o->metadata_count         ? "metadata"
                       : o->keep_counter         ? "keep_counter"
                       : o->layered              ? "layered"
                       : o->format               ? "format"
                       : o->compress             ? "compress"
                       : o->foreign.loss         ? "foreign.loss"
                       : o->background.at_rest   ? "background.at_rest"
                       : o->background.in_flight ? "background.in_flight"
                       : o->many.files           ? "many.files"
                                                 : NULL;
    return name ? vv_fail(error, VARVE_MISUSE,
                      "varve_repack: `%s` must not be set: of the options of "
                      "a write only `no_replace`, `no_sync` and `progress` "
                      "apply",
                      name)
                : VARVE_OK;
}

varve_status vv_repack(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, varve_error *error)
{
    static const varve_write_options defaults;
    varve_error reason = { 0 };
    struct repacking r = { .options = options ? options : &defaults };
    VV_TRY(check_options(options, error));
    r.reader = vv_reader_open_by(context, open_ours, (void *)path, &reason);
    if (!r.reader) {
        if (error)
            *error = reason;
        return reason.status;
    }
    varve_status status = repack(&r, to, error);
    varve_reader_free(r.reader);
    return status;
}

varve_status vv_repack_to(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, uint64_t *size,
    varve_error *error)
{
    struct vv_file_info info;
    VV_TRY(vv_repack(context, path, to, options, error));
    if (!vv_file_look(context, to, &info, NULL))
        *size = info.size;
    return VARVE_OK;
}

varve_status varve_repack(const char *path, const char *to,
    const varve_write_options *options, varve_error *error)
{
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL),
        .system = vv_default_system(),
    };
    if (!path)
        return vv_fail(error, VARVE_MISUSE, "expected a path, found none");
    VV_TRY(vv_store_refuse(to ? to : path, error));
    return vv_repack(&context, path, to, options, error);
}
