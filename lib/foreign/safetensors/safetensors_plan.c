/* safetensors_plan.c - Collects values and metadata, names and sorts them, and
 * assigns values to files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "moments.h"
#include "name.h"
#include "safetensors_in.h"
#include "safetensors_header.h"
#include "safetensors_string.h"
#include "try.h"

enum {
    NO_SHARD = -1,
    MOST_TEXTS = 1 << 22, /* bytes; a header has at most 100 MB */
};

/* --- Values ------------------------------------------------------------- */

/* Appends the name of a node to a buffer. Returns its size. */
static size_t safetensors_plan_add_name(
    struct vv_safetensors_plan *plan, uint32_t node, struct vv_buffer *to)
{
    plan->scratch.size = 0;
    vv_target_key(plan->target, node, &plan->scratch);
    vv_buffer_add(to, plan->scratch.data, plan->scratch.size);
    to->failed |= plan->scratch.failed;
    return plan->scratch.size;
}

/* Returns the type of a value that can be in the file. */
static const struct vv_safetensors_dtype *safetensors_plan_type_of(
    const struct vv_target *target, uint32_t node, uint32_t value)
{
    struct vv_safetensors_info kept;
    return vv_safetensors_kept_of(target, node, &kept)
               ? kept.dtype
               : vv_safetensors_dtype_of(
                     (varve_dtype)target->index->value_dtypes[value]);
}

/* Returns why a value cannot be in the file, or NULL if it can. */
static const char *why_not(
    const struct vv_target *target, uint32_t node, uint32_t value)
{
    const struct vv_index *index = target->index;
    varve_dtype dtype = (varve_dtype)index->value_dtypes[value];
    struct vv_safetensors_info kept;
    if (vv_index_kind(index, node) == VARVE_STATE)
        return vv_safetensors_kept_of(target, node, &kept)
                   ? NULL
                   : "the bytes of a state";
    if (!vv_index_is_saved(index, value))
        return "a variable without a value";
    if (dtype == VARVE_STRING)
        return "a tensor of strings";
    return vv_safetensors_dtype_of(dtype) ? NULL : "a tensor of complex128";
}

/* Adds the text of a value that is a string; false in *is_one if it is none. */
static varve_status safetensors_plan_add_string(
    struct vv_safetensors_plan *plan, uint32_t value, uint32_t node,
    bool *is_one, varve_error *error)
{
    struct vv_buffer *texts = &plan->pair_texts;
    struct vv_safetensors_pair pair = {
        .rank = VV_SAFETENSORS_SCALAR, .node = node, .name_at = texts->size
    };
    const char *text = NULL;
    if (texts->size < MOST_TEXTS)
        VV_TRY(vv_safetensors_string_of(
            plan->target, value, &text, &pair.text_size, error));
    *is_one = text != NULL;
    if (!text)
        return VARVE_OK;
    vv_buffer_add_string(texts, VV_SAFETENSORS_STRING);
    safetensors_plan_add_name(plan, node, texts);
    pair.text_at = texts->size;
    pair.name_size = pair.text_at - pair.name_at;
    vv_buffer_add(texts, text, pair.text_size);
    vv_buffer_add(&plan->pairs, &pair, sizeof pair);
    return VARVE_OK;
}

static varve_status safetensors_plan_add_values(
    struct vv_safetensors_plan *plan, varve_error *error)
{
    const struct vv_target *target = plan->target;
    const struct vv_index *index = target->index;
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint32_t node = vv_at32(index->value_nodes, i);
        if (!vv_saved_path_exists(target->paths, node))
            continue;
        const char *reason = why_not(target, node, i);
        bool is_string = false;
        if (reason)
            VV_TRY(
                safetensors_plan_add_string(plan, i, node, &is_string, error));
        if (reason && !is_string)
            vv_target_report_lost(target, node, reason);
        if (reason)
            continue;
        struct vv_safetensors_value value = {
            .name_at = plan->names.size,
            .dtype = safetensors_plan_type_of(target, node, i),
            .size = vv_at64(index->value_sizes, i),
            .value = i,
        };
        value.name_size = safetensors_plan_add_name(plan, node, &plan->names);
        vv_buffer_add(&plan->values, &value, sizeof value);
    }
    return VARVE_OK;
}

static struct vv_safetensors_value *find_value(
    const struct vv_safetensors_plan *plan, uint32_t node)
{
    size_t end;
    struct vv_safetensors_value *values = vv_safetensors_values(plan, &end);
    uint32_t value = vv_index_find_value(plan->target->index, node);
    size_t begin = 0;
    while (begin < end) { /* still sorted by value */
        size_t middle = begin + (end - begin) / 2;
        if (values[middle].value == value)
            return &values[middle];
        if (values[middle].value < value)
            begin = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

static int safetensors_plan_compare(
    const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t common = a_size < b_size ? a_size : b_size;
    int order = common ? memcmp(a, b, common) : 0;
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

static int safetensors_plan_by_name(const void *a, const void *b)
{
    const struct vv_safetensors_value *x = a, *y = b;
    return safetensors_plan_compare(
        x->name, x->name_size, y->name, y->name_size);
}

void vv_safetensors_sort_names(struct vv_safetensors_plan *plan)
{
    size_t count;
    struct vv_safetensors_value *values = vv_safetensors_values(plan, &count);
    if (count > 0)
        qsort(values, count, sizeof *values, safetensors_plan_by_name);
}

/* Sorts like the reference implementation: by type, the last in the table
 * first. */
static int safetensors_plan_by_place(const void *a, const void *b)
{
    const struct vv_safetensors_value *x = a, *y = b;
    if (x->shard != y->shard)
        return x->shard < y->shard ? -1 : 1;
    if (x->dtype != y->dtype)
        return x->dtype > y->dtype ? -1 : 1;
    return safetensors_plan_by_name(a, b);
}

void vv_safetensors_sort_places(struct vv_safetensors_plan *plan)
{
    size_t count;
    struct vv_safetensors_value *values = vv_safetensors_values(plan, &count);
    if (count > 0)
        qsort(values, count, sizeof *values, safetensors_plan_by_place);
}

static varve_status safetensors_plan_check_names(
    const struct vv_safetensors_plan *plan,
    const struct vv_safetensors_value *values, size_t count, varve_error *error)
{
    static const char metadata[] = "__metadata__";
    for (size_t i = 0; i < count; i++) {
        const struct vv_safetensors_value *v = &values[i];
        if (i > 0 && safetensors_plan_by_name(v - 1, v) == 0)
            return vv_fail(error, VARVE_DUPLICATE,
                "%s: two values are named \"%.*s\"", plan->target->path,
                (int)v->name_size, v->name);
        if (safetensors_plan_compare(
                v->name, v->name_size, metadata, sizeof metadata - 1) == 0)
            return vv_fail(error, VARVE_BAD_NAME,
                "%s: a value is named \"%s\", which is reserved for metadata",
                plan->target->path, metadata);
    }
    return VARVE_OK;
}

/* --- Shards ------------------------------------------------------------- */

/* Assigns values to files like huggingface_hub: a value larger than a shard
 * gets a file of its own and does not affect the others. */
static void deal_out(struct vv_safetensors_plan *plan)
{
    size_t count;
    struct vv_safetensors_value *values = vv_safetensors_values(plan, &count);
    uint64_t most = plan->target->shard_size;
    uint64_t used = 0;
    size_t first = 0; /* first value without a file number */
    bool is_empty = true;
    for (size_t i = 0; i <= count; i++) {
        bool is_alone = i < count && most && values[i].size > most;
        bool is_full =
            i == count || (most && !is_alone && values[i].size > most - used);
        if (is_full && (!is_empty || plan->shard_count == 0)) {
            for (; first < i; first++) {
                if (values[first].shard == (uint32_t)NO_SHARD)
                    values[first].shard = plan->shard_count;
            }
            plan->shard_count++;
            used = 0;
            is_empty = true;
        }
        if (i == count)
            break;
        values[i].shard = is_alone ? plan->shard_count++ : (uint32_t)NO_SHARD;
        used += is_alone ? 0 : values[i].size;
        is_empty = is_empty && is_alone;
    }
}

/* --- Metadata ----------------------------------------------------------- */

static void safetensors_plan_add_pair(struct vv_safetensors_plan *plan,
    struct vv_safetensors_pair *pair, const char *name, const char *text)
{
    struct vv_buffer *texts = &plan->pair_texts;
    pair->name_at = texts->size;
    pair->name_size = strlen(name);
    vv_buffer_add(texts, name, pair->name_size);
    pair->text_at = texts->size;
    pair->text_size = strlen(text);
    vv_buffer_add(texts, text, pair->text_size);
    vv_buffer_add(&plan->pairs, pair, sizeof *pair);
}

/* Formats a number with as few digits as needed to read back the same value. */
static void write_real(double real, char text[40])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 40, "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    vv_set_point(text);
}

static void safetensors_plan_add_metadata(struct vv_safetensors_plan *plan)
{
    const struct vv_index *index = plan->target->index;
    char text[40];
    for (size_t i = 0; i < index->metadata_count; i++) {
        const varve_metadata *m = &index->metadata[i];
        struct vv_safetensors_pair pair = { .rank = VV_SAFETENSORS_METADATA };
        const char *shown = text;
        if (m->kind == VARVE_METADATA_INTEGER)
            snprintf(text, sizeof text, "%" PRId64, m->integer);
        else if (m->kind == VARVE_METADATA_REAL)
            write_real(m->real, text);
        else if (m->kind == VARVE_METADATA_BOOLEAN)
            shown = m->integer ? "true" : "false";
        else
            shown = m->string;
        safetensors_plan_add_pair(plan, &pair, m->name, shown);
    }
    if (index->counter) {
        struct vv_safetensors_pair pair = { .rank =
                                                VV_SAFETENSORS_SAVE_COUNTER };
        vv_decimal(index->counter, text);
        safetensors_plan_add_pair(plan, &pair, VV_SAFETENSORS_COUNTER, text);
    }
}

/* Adds an alias: the path of another edge to a value. */
static void safetensors_plan_add_alias(struct vv_safetensors_plan *plan,
    uint32_t parent, uint32_t edge, const struct vv_safetensors_value *value)
{
    const struct vv_index *index = plan->target->index;
    struct vv_buffer *texts = &plan->pair_texts;
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    struct vv_safetensors_pair pair = {
        .rank = VV_SAFETENSORS_ALIAS,
        .node = vv_at32(index->edge_children, edge),
        .name_at = texts->size,
    };
    if (safetensors_plan_add_name(plan, parent, texts) > 0)
        vv_buffer_add8(texts, '/');
    vv_buffer_add(texts, name, size);
    pair.text_at = texts->size;
    pair.name_size = pair.text_at - pair.name_at;
    pair.text_size = value->name_size;
    if (!plan->names.failed)
        vv_buffer_add(
            texts, plan->names.data + value->name_at, value->name_size);
    vv_buffer_add(&plan->pairs, &pair, sizeof pair);
}

static void safetensors_plan_add_edges(
    struct vv_safetensors_plan *plan, uint32_t node)
{
    const struct vv_target *target = plan->target;
    const struct vv_saved_paths *paths = target->paths;
    uint32_t begin, end;
    vv_index_edges(target->index, node, &begin, &end);
    for (uint32_t e = begin; e < end; e++) {
        uint32_t child = vv_at32(target->index->edge_children, e);
        if (child != paths->root && paths->parents[child] == node &&
            paths->ways[child] == e)
            continue;
        const struct vv_safetensors_value *value = find_value(plan, child);
        if (value)
            safetensors_plan_add_alias(plan, node, e, value);
        else
            vv_target_report_lost(target, child, "another path to it");
    }
}

static void add_links(struct vv_safetensors_plan *plan)
{
    const struct vv_target *target = plan->target;
    const struct vv_index *index = target->index;
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (vv_saved_path_exists(target->paths, node))
            safetensors_plan_add_edges(plan, node);
    }
    bool all = false; /* positions, which are kept, imply all slots */
    if (!vv_moments_are_all(index, plan->names.allocator, &all))
        plan->pairs.failed = true;
    for (uint32_t s = 0; s < index->slot_count && !all; s++) {
        uint32_t node = vv_at32(index->slot_nodes, s);
        if (vv_saved_path_exists(target->paths, node) &&
            target->paths->ways[node] != (s | VV_WAY_IS_SLOT))
            vv_target_report_lost(target, node, "its role as a slot variable");
    }
}

static int pair_by_name(const void *a, const void *b)
{
    const struct vv_safetensors_pair *x = a, *y = b;
    int order =
        safetensors_plan_compare(x->name, x->name_size, y->name, y->name_size);
    return order ? order : (int)x->rank - (int)y->rank;
}

static bool is_tensor(const struct vv_safetensors_plan *plan,
    const struct vv_safetensors_pair *pair)
{
    size_t count;
    struct vv_safetensors_value *values = vv_safetensors_values(plan, &count);
    struct vv_safetensors_value key = { .name = pair->name,
        .name_size = pair->name_size };
    return bsearch(&key, values, count, sizeof key, safetensors_plan_by_name) !=
           NULL;
}

/* Returns true if a tensor has the name of a string, or one that begins with it
 * and a '/'. */
static bool is_taken(const struct vv_safetensors_plan *plan,
    const struct vv_safetensors_pair *pair)
{
    size_t begin = 0, end, count;
    struct vv_safetensors_value *values = vv_safetensors_values(plan, &count);
    const char *name = pair->name + VV_SAFETENSORS_STRING_SIZE;
    size_t size = pair->name_size - VV_SAFETENSORS_STRING_SIZE;
    for (end = count; begin < end;) {
        size_t middle = begin + (end - begin) / 2;
        if (safetensors_plan_compare(
                values[middle].name, values[middle].name_size, name, size) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    for (; begin < count && values[begin].name_size >= size &&
           memcmp(values[begin].name, name, size) == 0;
         begin++) {
        if (values[begin].name_size == size || values[begin].name[size] == '/')
            return true;
        if (values[begin].name[size] > '/')
            break;
    }
    return false;
}

/* Returns why a pair cannot be in the file, or NULL if it can. `last` is the
 * last pair before it that is kept. */
static const char *why_not_pair(const struct vv_safetensors_plan *plan,
    const struct vv_safetensors_pair *last,
    const struct vv_safetensors_pair *pair)
{
    bool is_alias = pair->rank == VV_SAFETENSORS_ALIAS;
    if (pair->rank == VV_SAFETENSORS_SCALAR && is_taken(plan, pair))
        return "a string";
    if (last && safetensors_plan_compare(last->name, last->name_size,
                    pair->name, pair->name_size) == 0)
        return is_alias ? "another path to it"
                        : "metadata with the name of other metadata";
    return is_alias && is_tensor(plan, pair) ? "another path to it" : NULL;
}

/* Sorts the pairs and drops those whose name is already used. */
static void sort_pairs(struct vv_safetensors_plan *plan)
{
    size_t count, kept = 0;
    struct vv_safetensors_pair *pairs = vv_safetensors_pairs(plan, &count);
    if (count > 0)
        qsort(pairs, count, sizeof *pairs, pair_by_name);
    for (size_t i = 0; i < count; i++) {
        const char *reason =
            why_not_pair(plan, kept ? &pairs[kept - 1] : NULL, &pairs[i]);
        if (reason)
            vv_target_report_lost(plan->target,
                pairs[i].rank <= VV_SAFETENSORS_SCALAR
                    ? pairs[i].node
                    : plan->target->paths->root,
                reason);
        else
            pairs[kept++] = pairs[i];
    }
    plan->pairs.size = kept * sizeof *pairs;
}

/* --- Entry points ------------------------------------------------------- */

/* Sets the pointers into the buffers, which do not grow any more. */
static void set_pointers(struct vv_safetensors_plan *plan)
{
    size_t count;
    struct vv_safetensors_value *values = vv_safetensors_values(plan, &count);
    for (size_t i = 0; i < count; i++)
        values[i].name = (const char *)plan->names.data + values[i].name_at;
    struct vv_safetensors_pair *pairs = vv_safetensors_pairs(plan, &count);
    for (size_t i = 0; i < count; i++) {
        const char *texts = (const char *)plan->pair_texts.data;
        pairs[i].name = texts + pairs[i].name_at;
        pairs[i].text = texts + pairs[i].text_at;
    }
}

varve_status vv_safetensors_plan_begin(struct vv_safetensors_plan *plan,
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    *plan = (struct vv_safetensors_plan){ .target = target };
    vv_buffer_init(&plan->names, a);
    vv_buffer_init(&plan->pair_texts, a);
    vv_buffer_init(&plan->scratch, a);
    vv_buffer_init(&plan->values, a);
    vv_buffer_init(&plan->pairs, a);
    vv_target_report_lost_graph(target, true, vv_safetensors_keeps_tag);
    vv_target_report_lost_globals(target);
    VV_TRY(safetensors_plan_add_values(plan, error));
    safetensors_plan_add_metadata(plan);
    if (!plan->values.failed)
        add_links(plan);
    if (plan->names.failed || plan->pair_texts.failed || plan->values.failed ||
        plan->pairs.failed)
        return vv_fail_memory(error, "the contents of a safetensors file");
    /* Until here, names are offsets because the buffers could move. */
    set_pointers(plan);
    deal_out(plan);
    vv_safetensors_sort_names(plan);
    size_t count;
    struct vv_safetensors_value *values = vv_safetensors_values(plan, &count);
    VV_TRY(safetensors_plan_check_names(plan, values, count, error));
    sort_pairs(plan);
    vv_safetensors_sort_places(plan);
    return VARVE_OK;
}

void vv_safetensors_plan_end(struct vv_safetensors_plan *plan)
{
    vv_buffer_clear(&plan->names);
    vv_buffer_clear(&plan->pair_texts);
    vv_buffer_clear(&plan->scratch);
    vv_buffer_clear(&plan->values);
    vv_buffer_clear(&plan->pairs);
}
