/* write.c - the life of a save: walk, columns, values, index, publish.
 *
 * Everything that can fail without the disk (callbacks, memory for the index)
 * comes before the first byte is written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "write.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "checkpoint_out.h"
#include "columns.h"
#include "data_out.h"
#include "dtype.h"
#include "failure.h"
#include "graph.h"
#include "index_out.h"
#include "layout.h"
#include "name.h"
#include "opaque.h"
#include "publish.h"
#include "target.h"
#include "try.h"
#include "value_table.h"
#include "variable.h"

struct writer {
    const struct vv_context *context;
    const varve_write_options *options;
    struct vv_walk walk;
    struct vv_columns columns;
    varve_metadata *metadata; /* sorted */
    struct vv_data_out out;
    size_t states_written;  /* bytes of them */
    struct vv_buffer path;  /* of the value being written */
    struct vv_buffer bytes; /* of a value that has to be encoded */
};

/* --- Metadata ----------------------------------------------------------- */

static varve_status check_metadata(const varve_metadata *m, varve_error *error)
{
    if (!m->name || !vv_name_is_valid(m->name, strlen(m->name)))
        return vv_fail(error, VARVE_BAD_NAME,
            "metadata: expected a name of 1 to %d bytes of UTF-8, found "
            "another",
            VARVE_MAX_NAME_SIZE);
    if (m->kind < VARVE_METADATA_INTEGER || m->kind > VARVE_METADATA_STRING)
        return vv_fail(error, VARVE_MISUSE,
            "metadata \"%.200s\": expected a kind, found %d", m->name,
            (int)m->kind);
    if (m->kind == VARVE_METADATA_STRING &&
        (!m->string || !vv_utf8_is_valid(m->string, strlen(m->string))))
        return vv_fail(error, VARVE_BAD_NAME,
            "metadata \"%.200s\": expected a text of UTF-8, found other bytes",
            m->name);
    return VARVE_OK;
}

static varve_status sort_metadata(struct writer *w, varve_error *error)
{
    size_t count = w->options->metadata_count;
    if (count == 0)
        return VARVE_OK;
    for (size_t i = 0; i < count; i++)
        VV_TRY(check_metadata(&w->options->metadata[i], error));
    w->metadata =
        vv_allocate_array(&w->context->allocator, count, sizeof *w->metadata);
    if (!w->metadata)
        return vv_fail_memory(error, "metadata");
    memcpy(w->metadata, w->options->metadata, count * sizeof *w->metadata);
    qsort(w->metadata, count, sizeof *w->metadata, vv_metadata_compare);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(w->metadata[i - 1].name, w->metadata[i].name) == 0)
            return vv_fail(error, VARVE_DUPLICATE,
                "metadata: expected unique names, found \"%.200s\" twice",
                w->metadata[i].name);
    }
    return VARVE_OK;
}

/* --- Values ------------------------------------------------------------- */

static bool encode_strings(struct vv_buffer *to, const varve_tensor *tensor)
{
    uint64_t count = varve_tensor_count(tensor);
    const varve_string *strings = tensor->data;
    to->size = 0;
    for (uint64_t i = 0; i < count; i++)
        vv_buffer_add64(to, strings[i].size);
    for (uint64_t i = 0; i < count; i++)
        vv_buffer_add(to, strings[i].data, (size_t)strings[i].size);
    return !to->failed;
}

bool vv_encode_swapped(struct vv_buffer *to, const varve_tensor *tensor)
{
    to->size = 0;
    void *at = vv_buffer_extend(to, (size_t)varve_tensor_size(tensor));
    if (at)
        vv_dtype_swap_copy(
            tensor->dtype, at, tensor->data, varve_tensor_count(tensor));
    return at != NULL;
}

/* The bytes of a value as they lie in a file; most are where the program has
 * them. NULL without memory. */
static const void *bytes_of(
    struct writer *w, const varve_node *node, uint64_t size, bool *done)
{
    *done = true;
    if (node->kind == VARVE_STATE) {
        size_t begin = w->states_written;
        w->states_written += (size_t)size;
        return size ? w->columns.states.data + begin : (const uint8_t *)"";
    }
    const varve_tensor *tensor = &node->variable->tensor;
    if (tensor->dtype == VARVE_STRING)
        *done = encode_strings(&w->bytes, tensor);
    else if (VV_BIG_ENDIAN && varve_dtype_size(tensor->dtype) > 1)
        *done = vv_encode_swapped(&w->bytes, tensor);
    else
        return tensor->data;
    return w->bytes.data;
}

static varve_status write_value(
    struct writer *w, uint32_t place, uint64_t size, varve_error *error)
{
    bool done;
    const void *bytes = bytes_of(w, w->walk.steps[place].node, size, &done);
    if (!done)
        return vv_fail_memory(error, "the bytes of a value");
    const char *what = "";
    if (w->options->progress) {
        vv_walk_path(&w->walk, place, &w->path);
        what = vv_buffer_string(&w->path);
    }
    uint64_t offset; /* as the columns have it */
    return vv_data_out_value(
        &w->out, bytes, size, what, &offset, &w->columns.index.digests, error);
}

/* A value that is not saved has the offset 0. */
static varve_status write_values(struct writer *w, varve_error *error)
{
    const struct vv_index_columns *c = &w->columns.index;
    for (size_t i = 0; i < c->value_nodes.size / 4; i++) {
        if (vv_load64(c->value_offsets.data + 8 * i) != 0)
            VV_TRY(write_value(w, vv_load32(c->value_nodes.data + 4 * i),
                vv_load64(c->value_sizes.data + 8 * i), error));
    }
    return VARVE_OK;
}

static varve_status make_index(const struct writer *w, uint64_t counter,
    struct vv_index *index, varve_error *error)
{
    VV_TRY(vv_columns_index(&w->columns, index, error));
    index->counter = counter;
    index->metadata = w->metadata;
    index->metadata_count = w->options->metadata_count;
    return VARVE_OK;
}

static int publish_flags(const struct writer *w)
{
    return (w->options->no_sync ? VV_PUBLISH_NO_SYNC : 0) |
           (w->options->no_replace ? VV_PUBLISH_NO_REPLACE : 0);
}

static varve_status write_all(struct writer *w, int file, const char *path,
    uint64_t counter, varve_error *error)
{
    VV_TRY(vv_data_out_begin(
        &w->out, w->context, file, path, w->columns.index.total, error));
    w->out.progress = w->options->progress;
    w->out.progress_user = w->options->progress_user;
    VV_TRY(write_values(w, error));
    struct vv_index index;
    VV_TRY(make_index(w, counter, &index, error));
    return vv_data_out_end(&w->out, &index, error);
}

/* --- Other formats -------------------------------------------------------- */

struct foreign_writer {
    struct writer *writer;
    const struct vv_index *index;
    uint64_t *states; /* by value: where a state begins among all bytes of
                         states */
    uint64_t done;
    uint64_t total;
};

static varve_status report_foreign(
    struct foreign_writer *f, uint32_t place, varve_error *error)
{
    struct writer *w = f->writer;
    if (!w->options->progress)
        return VARVE_OK;
    vv_walk_path(&w->walk, place, &w->path);
    if (w->options->progress(w->options->progress_user, f->done, f->total,
            vv_buffer_string(&w->path)) != 0)
        return vv_fail(error, VARVE_CANCELLED, "cancelled after %llu bytes",
            (unsigned long long)f->done);
    return VARVE_OK;
}

static varve_status give_value(
    void *user, uint32_t value, const void **bytes, varve_error *error)
{
    struct foreign_writer *f = user;
    bool done;
    uint32_t place = vv_at32(f->index->value_nodes, value);
    uint64_t size = vv_at64(f->index->value_sizes, value);
    VV_TRY(report_foreign(f, place, error));
    f->writer->states_written = (size_t)f->states[value];
    *bytes =
        bytes_of(f->writer, f->writer->walk.steps[place].node, size, &done);
    if (!done)
        return vv_fail_memory(error, "the bytes of a value");
    f->done += size;
    return VARVE_OK;
}

static const unsigned char *give_kept(
    const void *user, uint32_t node, size_t *size)
{
    const struct foreign_writer *f = user;
    return vv_graph_kept_of(f->writer->walk.steps[node].node, size);
}

/* Where states begin, and how much there is to write. */
static void find_states(struct foreign_writer *f)
{
    const struct vv_index *index = f->index;
    uint64_t before = 0;
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint64_t size = vv_at64(index->value_sizes, i);
        uint32_t node = vv_at32(index->value_nodes, i);
        f->states[i] = before;
        before += vv_index_kind(index, node) == VARVE_STATE ? size : 0;
        f->total += size;
    }
}

static varve_status write_with(struct writer *w, struct foreign_writer *f,
    struct vv_target *target, varve_error *error)
{
    const struct vv_index *index = target->index;
    const varve_allocator *a = &w->context->allocator;
    struct vv_value_table table = { 0 };
    struct vv_saved_paths paths = { 0 };
    VV_TRY(vv_value_table_make(&table, a, index->value_count, error));
    vv_value_table_fill(&table, index);
    varve_status status = vv_saved_paths_begin(&paths, a, index, 0, error);
    target->table = &table;
    target->paths = &paths;
    if (!status) {
        find_states(f);
        status = vv_target_write(target, w->options->format, error);
    }
    vv_saved_paths_end(&paths);
    vv_value_table_clear(&table, a);
    return status;
}

static varve_status write_foreign(
    struct writer *w, const char *path, uint64_t counter, varve_error *error)
{
    struct vv_index index;
    VV_TRY(make_index(w, counter, &index, error));
    struct foreign_writer f = { .writer = w, .index = &index };
    struct vv_target target = {
        .context = w->context,
        .path = path,
        .index = &index,
        .flags = publish_flags(w),
        .shard_size = w->options->shard_size,
        .global_names = w->options->global_names,
        .value = give_value,
        .user = &f,
        .kept = give_kept,
        .loss = w->options->loss,
        .loss_user = w->options->loss_user,
    };
    size_t size = (index.value_count + 1) * sizeof *f.states;
    f.states = vv_allocate(&w->context->allocator, size);
    if (!f.states)
        return vv_fail_memory(error, "places of states");
    varve_status status = write_with(w, &f, &target, error);
    vv_release(&w->context->allocator, f.states, size);
    return status;
}

/* --- All ------------------------------------------------------------------ */

static varve_status publish(
    struct writer *w, const char *path, uint64_t counter, varve_error *error)
{
    struct vv_publication p;
    if (w->options->format != VARVE_FORMAT_VARVE)
        return write_foreign(w, path, counter, error);
    VV_TRY(vv_publish_begin(&p, w->context, path, publish_flags(w), error));
    varve_status status = write_all(w, p.file, path, counter, error);
    vv_data_out_clear(&w->out);
    return vv_publish_end(&p, status, error);
}

varve_status vv_write(varve_node *root, const char *path, uint64_t counter,
    const varve_write_options *options, varve_error *error)
{
    static const varve_write_options defaults;
    if (root)
        VV_TRY(varve_graph_check(root->graph, error));
    if (!root || vv_is_nil(root) || !path)
        return vv_fail(
            error, VARVE_MISUSE, "expected a node and a path, found none");
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    varve_graph *graph = root->graph;
    struct vv_context context = graph->context;
    context.durable = &graph->saved_to;
    struct writer w = {
        .context = &context,
        .options = options ? options : &defaults,
    };
    const varve_allocator *a = &graph->context.allocator;
    vv_buffer_init(&w.path, a);
    vv_buffer_init(&w.bytes, a);
    varve_status status = sort_metadata(&w, error);
    /* The graph stays as it was walked, whatever the callbacks of states and of
     * progress would like. */
    enum vv_hold older = vv_graph_hold(graph, VV_HOLDS_ALL);
    if (!status && !(status = vv_walk_begin(&w.walk, root, error))) {
        status = vv_columns_begin(&w.columns, &w.walk, error);
        if (!status) {
            status = publish(&w, path, counter, error);
            vv_columns_end(&w.columns);
        }
        vv_walk_end(&w.walk);
    }
    vv_graph_let_go(graph, older);
    vv_buffer_clear(&w.path);
    vv_buffer_clear(&w.bytes);
    vv_release(a, w.metadata, w.options->metadata_count * sizeof *w.metadata);
    return status;
}

varve_status varve_write(varve_node *root, const char *path,
    const varve_write_options *options, varve_error *error)
{
    bool keeps = root && options && options->keep_counter;
    return vv_write(
        root, path, keeps ? varve_save_counter(root) : 0, options, error);
}
