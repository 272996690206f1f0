/* torch_out.c - Writes nested containers without recursion, then the archive.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "name.h"
#include "store.h"
#include "torch_again.h"
#include "torch_names.h"
#include "torch_optimizer.h"
#include "torch_tree.h"
#include "torch_value_out.h"
#include "try.h"
#include "zip_out.h"

#define TOP "archive/"

enum { PADDING = 0x4246 /* "FB", the id of torch's padding field */ };

/* A container that is being written. */
struct frame {
    uint32_t node;
    enum vv_torch_was was;
    size_t begin; /* index of its first member */
    size_t at, end;
    size_t names; /* number of bytes of names before it */
};

struct writing {
    const struct vv_target *target;
    struct vv_torch_values_out values;
    struct vv_torch_tree tree;
    struct vv_buffer frames;
    struct vv_buffer spoken; /* struct vv_torch_written_slot */
    struct vv_buffer names;  /* bytes of the names in `spoken` */
    struct vv_torch_names kept_names;
    struct vv_zip_out zip;
    bool *is_open; /* by node: a tuple that is being written */
};

/* --- Keys ----------------------------------------------------------------- */

/* Returns the value of an integer key from its name. */
static int64_t integer_of(const char *text, size_t size)
{
    uint64_t number = 0;
    bool is_below = size > 0 && text[0] == '-';
    vv_parse_decimal(text + is_below, size - is_below, &number);
    return (int64_t)(is_below ? 0 - number : number);
}

/* Returns the value of a float key from its name. strtod requires the decimal
 * point of the program's locale. */
static double real_of(const char *text)
{
    char half[16], digits[96];
    const char *point = strchr(text, '.');
    size_t before = point ? (size_t)(point - text) : strlen(text);
    snprintf(half, sizeof half, "%.1f", 0.5);
    snprintf(digits, sizeof digits, "%.*s%.*s%s", (int)before, text,
        point ? (int)strlen(half) - 2 : 0, half + 1, point ? point + 1 : "");
    return strtod(digits, NULL);
}

static void torch_out_add_name(
    struct vv_pickle_out *out, const char *name, size_t size, bool is_real)
{
    char text[64];
    double real;
    uint64_t bits;
    memcpy(text, name, size);
    text[size] = 0;
    if (is_real) {
        real = real_of(text);
        memcpy(&bits, &real, sizeof bits);
        vv_pickle_out_real(out, bits);
    } else {
        vv_pickle_out_integer(out, integer_of(text, size));
    }
}

/* Adds a key with its original type. A key that was named <N> becomes the text
 * <N>. */
static void torch_out_add_key(struct vv_pickle_out *out,
    enum vv_pickle_kind kind, const char *name, size_t size)
{
    enum { LONGEST_NUMBER = 40 };
    bool is_number = size < LONGEST_NUMBER && name[0] != '<';
    if (kind == VV_PICKLE_NONE)
        vv_pickle_out_op(out, VV_OP_NONE);
    else if (kind == VV_PICKLE_BOOL)
        vv_pickle_out_op(out, name[0] == 'T' ? VV_OP_TRUE : VV_OP_FALSE);
    else if (is_number && (kind == VV_PICKLE_INTEGER || kind == VV_PICKLE_REAL))
        torch_out_add_name(out, name, size, kind == VV_PICKLE_REAL);
    else
        vv_pickle_out_text(out, name, size);
}

/* --- Containers ----------------------------------------------------------- */

static void begin_container(struct writing *w, struct frame *f)
{
    struct vv_pickle_out *out = &w->values.pickle;
    bool is_ordered = f->was == VV_TORCH_WAS_ORDERED ||
                      (!f->was && !vv_torch_is_split(&w->tree, f->node));
    if (f->was == VV_TORCH_WAS_TUPLE) {
        w->is_open[f->node] = true;
        vv_pickle_out_op(out, VV_OP_MARK);
        return;
    }
    if (is_ordered) {
        vv_pickle_out_global(out, "collections", "OrderedDict");
        vv_pickle_out_op(out, VV_OP_NOTHING);
        vv_pickle_out_op(out, VV_OP_CALL);
    } else {
        vv_pickle_out_op(
            out, f->was == VV_TORCH_WAS_LIST ? VV_OP_LIST : VV_OP_DICT);
    }
    w->values.notes[f->node] = vv_pickle_out_note(out) + 1;
    vv_pickle_out_op(out, VV_OP_MARK);
}

static void end_container(struct writing *w, const struct frame *f)
{
    struct vv_pickle_out *out = &w->values.pickle;
    if (f->was == VV_TORCH_WAS_TUPLE) {
        vv_pickle_out_op(out, VV_OP_TUPLE);
        w->values.notes[f->node] = vv_pickle_out_note(out) + 1;
        w->is_open[f->node] = false;
    } else {
        vv_pickle_out_op(
            out, f->was == VV_TORCH_WAS_LIST ? VV_OP_APPEND : VV_OP_SET);
    }
    w->tree.members.size = f->begin * sizeof(struct vv_torch_member);
    w->tree.names.size = f->names;
    w->frames.size -= sizeof *f;
}

static varve_status open_frame(
    struct writing *w, uint32_t node, varve_error *error)
{
    struct frame f = { .node = node,
        .was = vv_torch_was_of(w->target, node),
        .begin = w->tree.members.size / sizeof(struct vv_torch_member),
        .names = w->tree.names.size };
    begin_container(w, &f);
    VV_TRY(vv_torch_add_members(&w->tree, node, error));
    f.at = f.begin;
    f.end = w->tree.members.size / sizeof(struct vv_torch_member);
    vv_buffer_add(&w->frames, &f, sizeof f);
    return w->frames.failed ? vv_fail_memory(error, "dicts") : VARVE_OK;
}

static varve_status torch_out_add_optimizer(
    struct writing *w, uint32_t node, varve_error *error)
{
    struct vv_torch_optimizer o = { .tree = &w->tree,
        .values = &w->values,
        .spoken = &w->spoken,
        .names = &w->names };
    VV_TRY(vv_torch_add_optimizer(&o, node, error));
    w->values.notes[node] = vv_pickle_out_note(&w->values.pickle) + 1;
    return VARVE_OK;
}

/* --- Members -------------------------------------------------------------- */

/* Adds `param_names` with the current names of the variables. */
static void torch_out_add_names(
    struct writing *w, const struct vv_torch_list *list)
{
    struct vv_pickle_out *out = &w->values.pickle;
    const struct vv_torch_written_slot *names =
        (const struct vv_torch_written_slot *)(void *)w->kept_names.named.data +
        list->first;
    vv_pickle_out_op(out, VV_OP_LIST);
    vv_pickle_out_op(out, VV_OP_MARK);
    for (size_t i = 0; i < list->count; i++)
        vv_pickle_out_text(out,
            (const char *)w->kept_names.bytes.data + names[i].name,
            names[i].size);
    vv_pickle_out_op(out, VV_OP_APPEND);
}

static varve_status torch_out_add_node(
    struct writing *w, uint32_t node, varve_error *error)
{
    struct vv_pickle_out *out = &w->values.pickle;
    varve_kind kind = vv_index_kind(w->target->index, node);
    if (kind == VARVE_VARIABLE || kind == VARVE_STATE)
        return vv_torch_add_value(&w->values, node, error);
    if (w->values.notes[node]) {
        vv_pickle_out_noted(out, w->values.notes[node] - 1);
    } else if (w->is_open[node]) {
        vv_target_report_lost(w->target, node,
            "a reference from a tuple to itself: it is written as None");
        vv_pickle_out_op(out, VV_OP_NONE);
    } else if (vv_torch_is_optimizer(&w->tree, node)) {
        return torch_out_add_optimizer(w, node, error);
    } else {
        return open_frame(w, node, error);
    }
    return VARVE_OK;
}

/* Records the first name under which a variable with slots is written. */
static void speak(
    struct writing *w, const struct vv_torch_member *m, const char *name)
{
    if (!vv_torch_is_trained(&w->tree, m->node) || w->values.notes[m->node])
        return;
    struct vv_torch_written_slot s = {
        .node = m->node, .size = (uint32_t)m->size, .name = w->names.size
    };
    vv_buffer_add(&w->names, name, m->size);
    vv_buffer_add(&w->spoken, &s, sizeof s);
}

/* Adds None, or an empty dict or list that has no node. */
static void add_nothing(struct vv_pickle_out *out, enum vv_pickle_kind kind)
{
    vv_pickle_out_op(out, kind == VV_PICKLE_DICT   ? VV_OP_DICT
                          : kind == VV_PICKLE_LIST ? VV_OP_LIST
                                                   : VV_OP_NONE);
}

static varve_status torch_out_add_member(
    struct writing *w, struct frame *f, varve_error *error)
{
    struct vv_pickle_out *out = &w->values.pickle;
    struct vv_torch_member m =
        ((const struct vv_torch_member *)(void *)w->tree.members.data)[f->at++];
    const char *name = (const char *)w->tree.names.data + m.name;
    const struct vv_torch_list *list =
        m.node == VV_NONE ? NULL : vv_torch_names_of(&w->kept_names, m.node);
    if (list)
        vv_torch_pass_over(&w->values, m.node);
    if (list && list->count == 0)
        return VARVE_OK;
    if (f->was != VV_TORCH_WAS_LIST && f->was != VV_TORCH_WAS_TUPLE)
        torch_out_add_key(out, m.key, name, m.size);
    if (m.node == VV_NONE) {
        add_nothing(out, m.key);
        return VARVE_OK;
    }
    if (list) {
        torch_out_add_names(w, list);
        return VARVE_OK;
    }
    speak(w, &m, name);
    /* Check now: the names are read before the pickle is complete. */
    if (w->names.failed || w->spoken.failed)
        return vv_fail_memory(error, "parameter names");
    return torch_out_add_node(w, m.node, error);
}

static varve_status torch_out_fill(struct writing *w, varve_error *error)
{
    while (w->frames.size > 0) {
        struct frame *top =
            (struct frame *)(void *)(w->frames.data + w->frames.size) - 1;
        if (top->at == top->end)
            end_container(w, top);
        else
            VV_TRY(torch_out_add_member(w, top, error));
    }
    return VARVE_OK;
}

static varve_status torch_out_add_root(struct writing *w, varve_error *error)
{
    uint32_t root = w->target->paths->root, begin, end;
    vv_index_edges(w->target->index, root, &begin, &end);
    if (vv_torch_was_of(w->target, root) == VV_TORCH_WAS_ONLY &&
        end - begin == 1)
        root = vv_at32(w->target->index->edge_children, begin);
    return torch_out_add_node(w, root, error);
}

static varve_status make_pickle(struct writing *w, varve_error *error)
{
    struct vv_buffer *bytes = &w->values.pickle.bytes;
    VV_TRY(torch_out_add_root(w, error));
    VV_TRY(torch_out_fill(w, error));
    vv_pickle_out_end(&w->values.pickle);
    if (bytes->failed || w->names.failed || w->spoken.failed ||
        w->values.storages.failed)
        return vv_fail_memory(error, "a pickle");
    if (bytes->size > UINT32_MAX)
        return vv_fail(error, VARVE_LIMIT,
            "%s: the pickle exceeds the limit of 4 GiB", w->target->path);
    return VARVE_OK;
}

/* --- The archive ---------------------------------------------------------- */

static varve_status torch_out_add_entry(struct writing *w, const char *name,
    const void *bytes, size_t size, varve_error *error)
{
    VV_TRY(vv_zip_out_begin(&w->zip, name, strlen(name), size, error));
    VV_TRY(vv_zip_out_write(&w->zip, bytes, size, error));
    return vv_zip_out_end(&w->zip, error);
}

static varve_status write_storage(
    struct writing *w, uint32_t value, varve_error *error)
{
    struct vv_source source;
    size_t part;
    uint64_t size = vv_at64(w->target->index->value_sizes, value);
    VV_TRY(w->target->value(w->target->user, value, &source, error));
    for (uint64_t at = 0; at < size; at += part) {
        const unsigned char *bytes;
        part = vv_source_part(&source, size - at);
        VV_TRY(vv_source_piece(&source, at, part, &bytes, error));
        VV_TRY(vv_zip_out_write(&w->zip, bytes, part, error));
    }
    return VARVE_OK;
}

static varve_status torch_out_add_storage(
    struct writing *w, uint32_t key, varve_error *error)
{
    char name[64] = TOP "data/";
    uint32_t value = ((const uint32_t *)(void *)w->values.storages.data)[key];
    vv_decimal(key, name + strlen(name));
    VV_TRY(vv_zip_out_begin(&w->zip, name, strlen(name),
        vv_at64(w->target->index->value_sizes, value), error));
    VV_TRY(write_storage(w, value, error));
    return vv_zip_out_end(&w->zip, error);
}

static varve_status write_archive(struct writing *w, varve_error *error)
{
    const struct vv_buffer *pickle = &w->values.pickle.bytes;
    size_t count = w->values.storages.size / sizeof(uint32_t);
    VV_TRY(torch_out_add_entry(
        w, TOP "data.pkl", pickle->data, pickle->size, error));
    VV_TRY(torch_out_add_entry(w, TOP "byteorder", "little", 6, error));
    for (size_t i = 0; i < count; i++)
        VV_TRY(torch_out_add_storage(w, (uint32_t)i, error));
    VV_TRY(torch_out_add_entry(w, TOP "version", "3\n", 2, error));
    return vv_zip_out_finish(&w->zip, error);
}

static varve_status torch_out_publish(struct writing *w, varve_error *error)
{
    const struct vv_target *t = w->target;
    struct vv_publication p;
    VV_TRY(vv_store_refuse_any(t->path, VV_STORE_IN_ORDER, error));
    VV_TRY(vv_publish_begin(&p, t->context, t->path, t->flags, error));
    vv_zip_out_init(&w->zip, t->context, p.file, t->path);
    w->zip.padding = PADDING;
    varve_status status = write_archive(w, error);
    vv_zip_out_clear(&w->zip);
    status = vv_target_finish(t, status, error);
    return vv_publish_end(&p, status, error);
}

/* --- Losses --------------------------------------------------------------- */

static bool torch_out_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name)
{
    size_t size;
    const char *text = vv_index_name(target->index, name, &size);
    enum vv_torch_was was = vv_torch_was_of(target, node);
    if (size == sizeof VV_TORCH_INTEGERS - 1 &&
        memcmp(text, VV_TORCH_INTEGERS, size) == 0)
        return was == VV_TORCH_WAS_DICT || was == VV_TORCH_WAS_ORDERED;
    return size == 10 && memcmp(text, "pickle:int", size) == 0 &&
           was == VV_TORCH_WAS_LONG;
}

static void report_lost_rest(const struct writing *w)
{
    const struct vv_target *t = w->target;
    if (!t->loss)
        return;
    vv_target_report_lost_graph(t, true, torch_out_keeps_tag);
    vv_torch_report_lost_values(&w->values);
    vv_target_report_lost_globals(t);
    vv_target_report_lost_metadata(t);
}

static varve_status torch_out_write_with(struct writing *w, varve_error *error)
{
    const varve_allocator *a = &w->target->context->allocator;
    size_t nodes = w->target->index->node_count;
    w->is_open = vv_allocate_zeroed(a, nodes * sizeof *w->is_open);
    varve_status status =
        w->is_open ? make_pickle(w, error) : vv_fail_memory(error, "dicts");
    vv_release(a, w->is_open, nodes * sizeof *w->is_open);
    VV_TRY(status);
    report_lost_rest(w);
    return torch_out_publish(w, error);
}

static varve_status torch_out_write_kept(
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    struct writing w = { .target = target };
    vv_buffer_init(&w.frames, a);
    vv_buffer_init(&w.spoken, a);
    vv_buffer_init(&w.names, a);
    varve_status status = vv_torch_values_out_init(&w.values, target, error);
    varve_status other = vv_torch_tree_init(&w.tree, target, error);
    if (!status)
        status = other;
    if (!status)
        status = vv_torch_names_init(&w.kept_names, &w.tree, error);
    if (!status)
        status = torch_out_write_with(&w, error);
    if (w.kept_names.tree)
        vv_torch_names_clear(&w.kept_names);
    vv_torch_tree_clear(&w.tree);
    vv_torch_values_out_clear(&w.values);
    vv_buffer_clear(&w.frames);
    vv_buffer_clear(&w.spoken);
    vv_buffer_clear(&w.names);
    return status;
}

static varve_status torch_out_write_target(
    const struct vv_target *target, varve_error *error)
{
    struct vv_torch_again again;
    varve_status status = vv_torch_again_init(&again, target, error);
    if (!status)
        status = torch_out_write_kept(&again.target, error);
    vv_torch_again_clear(&again);
    return status;
}

const struct vv_target_format vv_torch_target = { .format = VARVE_FORMAT_TORCH,
    .write = torch_out_write_target };
