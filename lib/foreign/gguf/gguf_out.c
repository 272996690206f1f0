/* gguf_out.c - Builds the header in memory, then writes it and the data of the
 * tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "gguf_kept.h"
#include "gguf_value.h"
#include "name_set.h"
#include "target.h"
#include "try.h"
#include "typed_memory.h"

enum {
    VERSION = 3,
    ALIGNMENT = 32,
    TENSOR_COUNT = 8, /* offset in the header */
    ENTRY_COUNT = 16,
    LONGEST_NAME = 63, /* of a tensor, as in ggml.h */
    SHOWN = 200,
};

/* A tensor that is written. */
struct written {
    uint32_t value;
    uint64_t size;
};

struct writing {
    const struct vv_target *target;
    struct vv_buffer head;
    struct vv_buffer sorted;  /* the metadata sorted by name: const
                                 varve_metadata * */
    struct vv_buffer tensors; /* struct written */
    struct vv_buffer name;
    struct vv_taken taken;
    uint64_t entries;
    uint64_t data; /* size of tensors and padding so far */
    struct vv_value_out out;
};

/* --- Metadata ------------------------------------------------------------- */

static int gguf_out_by_name(const void *left, const void *right)
{
    const varve_metadata *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

/* Sorts the metadata of the graph by name. */
static varve_status gguf_out_sort_metadata(
    struct writing *w, varve_error *error)
{
    const struct vv_index *index = w->target->index;
    for (size_t i = 0; i < index->metadata_count; i++) {
        const varve_metadata *m = &index->metadata[i];
        vv_buffer_add(&w->sorted, &m, sizeof m);
    }
    if (w->sorted.failed)
        return vv_fail_memory(error, "metadata");
    if (w->sorted.size > 0)
        qsort(w->sorted.data, w->sorted.size / sizeof(void *), sizeof(void *),
            gguf_out_by_name);
    return VARVE_OK;
}

/* Returns the metadata entry of the graph with this name, or NULL. */
static const varve_metadata *given(const struct writing *w, const char *name)
{
    const varve_metadata key = { .name = name }, *pointer = &key;
    const varve_metadata *const *found =
        w->sorted.size
            ? bsearch(&pointer, w->sorted.data, w->sorted.size / sizeof(void *),
                  sizeof(void *), gguf_out_by_name)
            : NULL;
    return found ? *found : NULL;
}

/* The alignment is not copied: the written file uses the default. */
static bool gguf_out_is_alignment(const char *name)
{
    return strcmp(name, VV_GGUF_ALIGNMENT) == 0;
}

static void gguf_out_add_text(struct writing *w, const char *text, size_t size)
{
    vv_buffer_add64(&w->head, size);
    vv_buffer_add(&w->head, text, size);
}

static void gguf_out_add_metadata(struct writing *w, const varve_metadata *m)
{
    uint64_t bits = (uint64_t)m->integer;
    gguf_out_add_text(w, m->name, strlen(m->name));
    switch (m->kind) {
    case VARVE_METADATA_INTEGER:
        vv_buffer_add32(&w->head, VV_GGUF_INT64);
        vv_buffer_add64(&w->head, bits);
        break;
    case VARVE_METADATA_REAL:
        vv_buffer_add32(&w->head, VV_GGUF_FLOAT64);
        vv_buffer_add64(&w->head, vv_bits_of(m->real));
        break;
    case VARVE_METADATA_BOOLEAN:
        vv_buffer_add32(&w->head, VV_GGUF_BOOL);
        vv_buffer_add8(&w->head, m->integer != 0);
        break;
    case VARVE_METADATA_STRING:
        vv_buffer_add32(&w->head, VV_GGUF_STRING);
        gguf_out_add_text(w, m->string, strlen(m->string));
        break;
    }
    w->entries++;
}

/* Adds the entries kept from the file that the root was read from, except those
 * that the graph's metadata replaces, and marks their names as used. */
static varve_status gguf_out_add_kept(struct writing *w, varve_error *error)
{
    const struct vv_target *target = w->target;
    struct vv_gguf_entry e;
    size_t size = 0, at = 0;
    const unsigned char *kept =
        target->kept ? target->kept(target->user, target->paths->root, &size)
                     : NULL;
    while (kept && vv_gguf_kept_next(kept, size, &at, &e)) {
        bool is_new;
        w->name.size = 0;
        vv_buffer_add(&w->name, e.name, e.name_size);
        const char *name = vv_buffer_string(&w->name);
        const varve_metadata *m = given(w, name);
        if (w->name.failed)
            return vv_fail_memory(error, "a name");
        if (gguf_out_is_alignment(name) ||
            (m && (m->kind != VARVE_METADATA_STRING ||
                      !vv_gguf_entry_is(&e, m->string, strlen(m->string)))))
            continue;
        vv_buffer_add(&w->head, e.bytes, e.size);
        w->entries++;
        if (!vv_taken_add(&w->taken, e.name, e.name_size, &is_new))
            return vv_fail_memory(error, "a name");
    }
    return VARVE_OK;
}

static varve_status add_all_metadata(struct writing *w, varve_error *error)
{
    const struct vv_index *index = w->target->index;
    VV_TRY(gguf_out_sort_metadata(w, error));
    VV_TRY(gguf_out_add_kept(w, error));
    for (size_t i = 0; i < index->metadata_count; i++) {
        const varve_metadata *m = &index->metadata[i];
        bool is_new;
        if (!vv_taken_add(&w->taken, m->name, strlen(m->name), &is_new))
            return vv_fail_memory(error, "a name");
        if (is_new && !gguf_out_is_alignment(m->name))
            gguf_out_add_metadata(w, m);
    }
    vv_taken_clear(&w->taken);
    vv_taken_init(&w->taken, w->head.allocator);
    return VARVE_OK;
}

/* --- Representable values ------------------------------------------------- */

/* Sets *t to the tensor that a state was in its file. Returns false if there
 * was none or its size has changed. */
static bool was_tensor(const struct vv_target *target, uint32_t node,
    uint32_t value, struct vv_gguf_tensor *t)
{
    uint64_t count, bytes;
    size_t size = 0;
    const unsigned char *kept =
        target->kept ? target->kept(target->user, node, &size) : NULL;
    return kept && vv_gguf_kept_tensor(kept, size, t) &&
           vv_shape_count(t->shape.rank, t->shape.shape, &count) &&
           vv_gguf_type_size(t->type, count, &bytes) &&
           bytes == vv_at64(target->index->value_sizes, value);
}

static bool gguf_out_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name)
{
    struct vv_gguf_tensor t;
    size_t size;
    uint32_t value = vv_index_find_value(target->index, node);
    const char *tag = vv_index_name(target->index, name, &size);
    return vv_index_kind(target->index, node) == VARVE_STATE &&
           value != VV_NONE && was_tensor(target, node, value, &t) &&
           strlen(t.type->tag) == size && memcmp(t.type->tag, tag, size) == 0;
}

/* Sets *t to the type and shape of a value in the file. Returns false, and
 * reports the loss, if it cannot be stored. */
static bool gguf_out_describe(const struct writing *w, uint32_t node,
    uint32_t value, struct vv_gguf_tensor *t)
{
    const struct vv_target *target = w->target;
    uint64_t count = 0;
    char what[64];
    bool is_state = vv_index_kind(target->index, node) == VARVE_STATE;
    *t = (struct vv_gguf_tensor){ .type = NULL };
    if (is_state && !was_tensor(target, node, value, t)) {
        vv_target_report_lost(target, node, "the bytes of a state");
        return false;
    }
    if (!vv_index_is_saved(target->index, value)) {
        vv_target_report_lost(target, node, "a variable without a value");
        return false;
    }
    if (!is_state) {
        t->shape = vv_index_tensor(target->index, target->table, value);
        t->type = vv_gguf_type_for(t->shape.dtype);
    }
    snprintf(what, sizeof what, "a tensor of %s",
        is_state ? "" : varve_dtype_name(t->shape.dtype));
    if (!t->type) {
        vv_target_report_lost(target, node, what);
        return false;
    }
    vv_shape_count(t->shape.rank, t->shape.shape, &count);
    if (count == 0)
        vv_target_report_lost(target, node, "a tensor without elements");
    return count > 0;
}

/* Sets w->name, and checks the limits of ggml. */
static varve_status gguf_out_check(struct writing *w, uint32_t node,
    const struct vv_gguf_tensor *t, varve_error *error)
{
    bool is_new;
    vv_target_key(w->target, node, &w->name);
    if (w->name.size == 0)
        vv_buffer_add_string(&w->name, "value"); /* the root itself */
    const char *name = vv_buffer_string(&w->name);
    if (w->name.failed)
        return vv_fail_memory(error, "a name");
    if (w->name.size > LONGEST_NAME)
        return vv_fail(error, VARVE_LIMIT,
            "%s: %.*s: readers of GGUF support names of at most %d bytes, this "
            "one has %zu",
            w->target->path, SHOWN, name, LONGEST_NAME, w->name.size);
    if (t->shape.rank > VV_GGUF_MOST_DIMENSIONS)
        return vv_fail(error, VARVE_LIMIT,
            "%s: %s: GGUF supports at most %d dimensions, found %" PRIu32,
            w->target->path, name, VV_GGUF_MOST_DIMENSIONS, t->shape.rank);
    if (!vv_taken_add(&w->taken, name, w->name.size, &is_new))
        return vv_fail_memory(error, "a name");
    return is_new
               ? VARVE_OK
               : vv_fail(error, VARVE_DUPLICATE,
                     "%s: two values are named \"%s\"", w->target->path, name);
}

static varve_status gguf_out_add_tensor(
    struct writing *w, uint32_t value, varve_error *error)
{
    const struct vv_index *index = w->target->index;
    uint32_t node = vv_at32(index->value_nodes, value);
    struct written one = { value, vv_at64(index->value_sizes, value) };
    struct vv_gguf_tensor t;
    if (!vv_saved_path_exists(w->target->paths, node) ||
        !gguf_out_describe(w, node, value, &t))
        return VARVE_OK;
    VV_TRY(gguf_out_check(w, node, &t, error));
    gguf_out_add_text(w, (const char *)w->name.data, w->name.size);
    vv_buffer_add32(&w->head, t.shape.rank);
    for (uint32_t i = t.shape.rank; i-- > 0;) /* innermost extent first */
        vv_buffer_add64(&w->head, t.shape.shape[i]);
    vv_buffer_add32(&w->head, t.type->number);
    vv_buffer_add64(&w->head, w->data);
    if (one.size > INT64_MAX - w->data - ALIGNMENT)
        return vv_fail(error, VARVE_LIMIT,
            "%s: the total size of the tensors is 2^63 bytes or more",
            w->target->path);
    w->data = vv_align_up(w->data + one.size, ALIGNMENT);
    vv_buffer_add(&w->tensors, &one, sizeof one);
    return VARVE_OK;
}

/* --- The file ------------------------------------------------------------- */

static void gguf_out_pad(struct vv_buffer *b, uint64_t size)
{
    for (; size % ALIGNMENT; size++)
        vv_buffer_add8(b, 0);
}

static varve_status make_head(struct writing *w, varve_error *error)
{
    struct vv_buffer *head = &w->head;
    vv_buffer_add_string(head, "GGUF");
    vv_buffer_add32(head, VERSION);
    vv_buffer_add64(head, 0);
    vv_buffer_add64(head, 0);
    VV_TRY(add_all_metadata(w, error));
    for (uint32_t i = 0; i < w->target->index->value_count; i++)
        VV_TRY(gguf_out_add_tensor(w, i, error));
    gguf_out_pad(head, head->size);
    if (head->failed || w->tensors.failed)
        return vv_fail_memory(error, "the header of a file");
    vv_store64(
        head->data + TENSOR_COUNT, w->tensors.size / sizeof(struct written));
    vv_store64(head->data + ENTRY_COUNT, w->entries);
    return VARVE_OK;
}

static varve_status gguf_out_write_all(struct writing *w, varve_error *error)
{
    const struct written *tensors = (const void *)w->tensors.data;
    vv_buffer_swap(&w->out.staged, &w->head);
    for (size_t i = 0; i < w->tensors.size / sizeof *tensors; i++) {
        VV_TRY(vv_value_out_add(
            &w->out, tensors[i].value, tensors[i].size, error));
        gguf_out_pad(&w->out.staged, tensors[i].size);
    }
    return vv_value_out_flush(&w->out, error);
}

static varve_status gguf_out_publish(struct writing *w, varve_error *error)
{
    const struct vv_target *target = w->target;
    struct vv_publication p;
    VV_TRY(vv_publish_begin(
        &p, target->context, target->path, target->flags, error));
    w->out.file = &p;
    return vv_publish_end(&p,
        vv_target_finish(target, gguf_out_write_all(w, error), error), error);
}

static void gguf_out_report_lost(const struct vv_target *target)
{
    vv_target_report_lost_graph(target, false, gguf_out_keeps_tag);
    vv_target_report_lost_globals(target);
    if (target->index->counter > 0)
        vv_target_report_lost(target, target->paths->root, "the save counter");
}

static varve_status gguf_out_write_target(
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    struct writing w = { .target = target };
    struct vv_buffer *const buffers[] = { &w.head, &w.sorted, &w.tensors,
        &w.name };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vv_buffer_init(buffers[i], a);
    vv_taken_init(&w.taken, a);
    vv_value_out_init(&w.out, target);
    gguf_out_report_lost(target);
    varve_status status = make_head(&w, error);
    if (!status)
        status = gguf_out_publish(&w, error);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vv_buffer_clear(buffers[i]);
    vv_taken_clear(&w.taken);
    vv_value_out_clear(&w.out);
    return status;
}

const struct vv_target_format vv_gguf_target = { .format = VARVE_FORMAT_GGUF,
    .write = gguf_out_write_target };
