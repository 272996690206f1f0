/* drafts.h - Builds a draft of an index in memory, and prints the resulting
 * index as text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_DRAFTS_H
#define TEST_DRAFTS_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "draft.h"
#include "support/memory_system.h"
#include "support/test_context.h"

struct drafted {
    struct memory *memory;
    struct vv_context context;
    struct vv_draft d;
    struct vv_opened in;
    struct vv_place *places;
    size_t place_count;
};

static inline void draft_begin(struct drafted *t)
{
    *t = (struct drafted){ .memory = memory_new() };
    t->context = test_context(memory_system(t->memory));
    vv_draft_begin(&t->d, &t->context, "file");
}

static inline varve_status draft_end(struct drafted *t, varve_error *error)
{
    varve_status status =
        vv_opened_begin(&t->in, &t->context, "file", error);
    if (!status)
        status =
            vv_draft_end(&t->d, &t->in, &t->places, &t->place_count, error);
    vv_draft_clear(&t->d);
    return status;
}

static inline void draft_free(struct drafted *t)
{
    vv_release(&t->context.allocator, t->places,
        t->place_count * sizeof *t->places);
    vv_opened_close(&t->in);
    memory_free(t->memory);
}

/* --- Adding --------------------------------------------------------------- */

/* Sets a variable of `count` floats at an offset of file 0. */
static inline void give_floats(
    struct drafted *t, uint32_t node, uint64_t count, uint64_t offset)
{
    varve_tensor type = {
        .dtype = VARVE_FLOAT32, .rank = 1, .shape = { count } };
    vv_draft_value(
        &t->d, node, &type, 0, &(struct vv_place){ .offset = offset });
}

static inline uint32_t add_floats(struct drafted *t, uint64_t offset)
{
    uint32_t node = vv_draft_node(&t->d, VARVE_VARIABLE);
    give_floats(t, node, 1, offset);
    return node;
}

static inline void add_edge(
    struct drafted *t, uint32_t parent, const char *name, uint32_t child)
{
    vv_draft_edge(&t->d, parent, name, strlen(name), child);
}

/* Adds a variable at a path. */
static inline uint32_t add_path(
    struct drafted *t, const char *path, uint64_t offset)
{
    uint32_t node =
        vv_draft_path(&t->d, VARVE_VARIABLE, path, strlen(path));
    give_floats(t, node, 1, offset);
    return node;
}

/* --- Checking ------------------------------------------------------------- */

static inline void write_name(
    struct vv_buffer *b, const struct vv_index *index, uint32_t number)
{
    size_t size;
    const char *name = vv_index_name(index, number, &size);
    vv_buffer_add(b, name, size);
}

static inline void write_number(struct vv_buffer *b, uint32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, number);
    vv_buffer_add_string(b, text);
}

static inline void write_node(
    struct vv_buffer *b, const struct vv_index *index, uint32_t node)
{
    uint32_t begin, end;
    write_number(b, node);
    vv_buffer_add_string(b, vv_index_kind(index, node) == VARVE_VARIABLE ? "v"
                            : vv_index_kind(index, node) == VARVE_STATE  ? "s"
                                                                         : "o");
    vv_index_edges(index, node, &begin, &end);
    for (uint32_t e = begin; e < end; e++) {
        vv_buffer_add_string(b, " ");
        write_name(b, index, vv_at32(index->edge_names, e));
        vv_buffer_add_string(b, ">");
        write_number(b, vv_at32(index->edge_children, e));
    }
    uint32_t global = vv_index_find_global(index, node);
    if (global != VV_NONE) {
        vv_buffer_add_string(b, " =");
        write_name(b, index, global);
    }
    for (uint32_t i = 0; i < index->tag_count; i++) {
        if (vv_at32(index->tag_nodes, i) != node)
            continue;
        vv_buffer_add_string(b, " #");
        write_name(b, index, vv_at32(index->tag_names, i));
    }
    vv_buffer_add_string(b, "\n");
}

/* Asserts an index: a line for each node (number; o, v or s; edges; =global
 * name; #tags), then one for each slot. */
static inline void check_index(const struct vv_index *index, const char *wanted)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    for (uint32_t i = 0; i < index->node_count; i++)
        write_node(&b, index, i);
    for (uint32_t i = 0; i < index->slot_count; i++) {
        write_number(&b, vv_at32(index->slot_owners, i));
        vv_buffer_add_string(&b, ".");
        write_name(&b, index, vv_at32(index->slot_names, i));
        vv_buffer_add_string(&b, "(");
        write_number(&b, vv_at32(index->slot_variables, i));
        vv_buffer_add_string(&b, ")>");
        write_number(&b, vv_at32(index->slot_nodes, i));
        vv_buffer_add_string(&b, "\n");
    }
    cr_assert_str_eq(vv_buffer_string(&b), wanted);
    vv_buffer_clear(&b);
}

/* Ends the draft, asserts the index, and frees it. */
static inline void check_draft(struct drafted *t, const char *wanted)
{
    varve_error error = { 0 };
    cr_assert_ok(draft_end(t, &error), error);
    check_index(&t->in.parsed.index, wanted);
    draft_free(t);
}

/* Ends the draft, asserts the error, and frees it. */
static inline void check_failure(
    struct drafted *t, varve_status status, const char *says)
{
    varve_error error = { 0 };
    cr_assert_eq(draft_end(t, &error), status, "%s", error.message);
    cr_assert_eq(error.status, status);
    cr_assert(strstr(error.message, says), "%s", error.message);
    draft_free(t);
}

/* Fails each allocation: the status must be VARVE_NO_MEMORY, and nothing may be
 * leaked. */
static inline void check_memory(void (*add)(struct drafted *t))
{
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct drafted t;
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        draft_begin(&t);
        add(&t);
        status = draft_end(&t, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%ld: %s", n,
            error.message);
        draft_free(&t);
        cr_assert_eq(test_block_count(), 0, "allocation %ld", n);
        cr_assert(n < 1000);
    }
}

#endif
