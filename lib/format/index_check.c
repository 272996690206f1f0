/* index_check.c - the rules of names, nodes, edges, slots and tags.
 *
 * SPDX-License-Identifier: MIT
 */
#include "index_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "allocator.h"
#include "name.h"
#include "try.h"

varve_status vv_check_fail(const struct vv_index_check *check,
    const uint8_t *at, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return vv_fail(check->error, VARVE_CORRUPT,
        "%s: index at offset %" PRIu64 ": %s", check->path,
        check->data_end + (uint64_t)(at - check->bytes), text);
}

/* --- Names ---------------------------------------------------------------- */

/* Whether there is nothing but ASCII without NUL, eight bytes at a time. */
static bool is_plain(const uint8_t *bytes, uint64_t size)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t found = 0;
    uint64_t i = 0;
    for (; size - i >= 8; i += 8) {
        uint64_t word = vv_load64(bytes + i);
        found |= (word | ((word - ones) & ~word)) & (ones << 7);
    }
    for (; i < size; i++)
        found |= bytes[i] == 0 || bytes[i] >= 0x80;
    return found == 0;
}

static bool is_before(
    const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order < 0 || (order == 0 && a_size < b_size);
}

static varve_status check_names(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    bool plain = is_plain(index->names, index->names_size);
    const uint8_t *previous = index->names;
    size_t previous_size = 0; /* stands before every name */
    uint32_t begin = 0;
    for (uint32_t i = 0; i < index->name_count; i++) {
        const uint8_t *at = index->name_ends + 4 * (size_t)i;
        const uint8_t *name = index->names + begin;
        uint32_t end = vv_load32(at);
        if (end <= begin || end > index->names_size)
            return vv_check_fail(check, at,
                "name %" PRIu32 ": expected an end above %" PRIu32
                " and up to %" PRIu64 ", found %" PRIu32,
                i, begin, index->names_size, end);
        size_t size = end - begin;
        if (size > VARVE_MAX_NAME_SIZE ||
            (!plain && !vv_utf8_is_valid((const char *)name, size)))
            return vv_check_fail(check, name,
                "name %" PRIu32 ": expected 1 to %d bytes of UTF-8 without "
                "NUL, found %zu bytes",
                i, VARVE_MAX_NAME_SIZE, size);
        if (!is_before(previous, previous_size, name, size))
            return vv_check_fail(check, name,
                "name %" PRIu32 ": expected names sorted and unique, found one "
                "that is not behind the one before it",
                i);
        previous = name;
        previous_size = size;
        begin = end;
    }
    if (begin != index->names_size)
        return vv_check_fail(check, index->names + begin,
            "names: expected %" PRIu32 " bytes, found %" PRIu64, begin,
            index->names_size);
    return VARVE_OK;
}

/* --- Nodes ---------------------------------------------------------------- */

static varve_status check_nodes(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    uint32_t begin = 0;
    if (index->node_count == 0)
        return vv_check_fail(check, index->node_kinds,
            "nodes: expected at least the root, found none");
    for (uint32_t i = 0; i < index->node_count; i++) {
        uint8_t kind = index->node_kinds[i];
        uint32_t end = vv_at32(index->node_edge_ends, i);
        if (kind < VARVE_OBJECT || kind > VARVE_STATE)
            return vv_check_fail(check, index->node_kinds + i,
                "node %" PRIu32 ": expected a kind from 1 to 5, found %d", i,
                kind);
        if (end < begin || end > index->edge_count)
            return vv_check_fail(check, index->node_edge_ends + 4 * (size_t)i,
                "node %" PRIu32 ": expected its edges to end from %" PRIu32
                " to %" PRIu32 ", found %" PRIu32,
                i, begin, index->edge_count, end);
        if (kind == VARVE_VARIABLE && end != begin)
            return vv_check_fail(check, index->node_edge_ends + 4 * (size_t)i,
                "node %" PRIu32 ": expected a variable without edges, found "
                "%" PRIu32,
                i, end - begin);
        begin = end;
    }
    if (begin != index->edge_count)
        return vv_check_fail(check, index->edge_names + 4 * (size_t)begin,
            "edges: expected %" PRIu32 " as the nodes have, found %" PRIu32,
            begin, index->edge_count);
    return VARVE_OK;
}

/* --- Edges ---------------------------------------------------------------- */

/* A position in a list as a text that counts. */
struct position {
    char digits[12]; /* the last ones hold the text */
    size_t size;
};

static void count_up(struct position *p)
{
    size_t end = sizeof p->digits;
    size_t i = 1;
    while (i <= p->size && p->digits[end - i] == '9')
        p->digits[end - i++] = '0';
    if (i <= p->size) {
        p->digits[end - i]++;
    } else {
        p->digits[end - i] = '1';
        p->size = i;
    }
}

static varve_status check_list(
    const struct vv_index_check *check, uint32_t begin, uint32_t end)
{
    struct position p = { .size = 1 };
    p.digits[sizeof p.digits - 1] = '0';
    for (uint32_t i = begin; i < end; i++, count_up(&p)) {
        size_t size;
        const char *name = vv_index_name(
            check->index, vv_at32(check->index->edge_names, i), &size);
        if (size != p.size ||
            memcmp(name, p.digits + sizeof p.digits - size, size) != 0)
            return vv_check_fail(check,
                check->index->edge_names + 4 * (size_t)i,
                "edge %" PRIu32 ": expected the name of position %" PRIu32
                " in a list, found another",
                i, i - begin);
    }
    return VARVE_OK;
}

/* Names and children of the edges of one node. *next is the number that the
 * next node seen for the first time must have. */
static varve_status check_edges_of(const struct vv_index_check *check,
    uint32_t begin, uint32_t end, bool sorted, uint32_t *next)
{
    const struct vv_index *index = check->index;
    uint64_t lowest = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t name = vv_at32(index->edge_names, i);
        uint32_t child = vv_at32(index->edge_children, i);
        if (name >= index->name_count || (sorted && name < lowest))
            return vv_check_fail(check, index->edge_names + 4 * (size_t)i,
                "edge %" PRIu32 ": expected a name from %" PRIu64
                " to below %" PRIu32 ", found %" PRIu32,
                i, sorted ? lowest : 0, index->name_count, name);
        if (child > *next || child >= index->node_count)
            return vv_check_fail(check, index->edge_children + 4 * (size_t)i,
                "edge %" PRIu32 ": expected a node that was seen, or the next "
                "of %" PRIu32 ", %" PRIu32 "; found %" PRIu32,
                i, index->node_count, *next, child);
        lowest = (uint64_t)name + 1;
        *next += child == *next;
    }
    return VARVE_OK;
}

static varve_status check_edges(
    const struct vv_index_check *check, uint32_t *next)
{
    const struct vv_index *index = check->index;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < index->node_count; i++) {
        uint32_t end = vv_at32(index->node_edge_ends, i);
        if (begin == end)
            continue;
        if (i >= *next)
            return vv_check_fail(check, index->node_edge_ends + 4 * (size_t)i,
                "node %" PRIu32 ": expected an edge to it before its own "
                "edges, found none",
                i);
        bool is_list = vv_index_kind(index, i) == VARVE_LIST;
        VV_TRY(check_edges_of(check, begin, end, !is_list, next));
        if (is_list)
            VV_TRY(check_list(check, begin, end));
        begin = end;
    }
    return VARVE_OK;
}

/* --- Slots and tags ------------------------------------------------------- */

static bool is_variable(const struct vv_index *index, uint32_t node)
{
    return node < index->node_count &&
           index->node_kinds[node] == VARVE_VARIABLE;
}

/* The variable is one of the first `reached` nodes, to which edges lead, so
 * that the numbers of slot variables do not depend on each other. */
static varve_status check_slot(const struct vv_index_check *check, uint32_t i,
    uint32_t reached, uint32_t *next)
{
    const struct vv_index *index = check->index;
    uint32_t owner = vv_at32(index->slot_owners, i);
    uint32_t variable = vv_at32(index->slot_variables, i);
    uint32_t name = vv_at32(index->slot_names, i);
    uint32_t node = vv_at32(index->slot_nodes, i);
    if (owner >= index->node_count || is_variable(index, owner))
        return vv_check_fail(check, index->slot_owners + 4 * (size_t)i,
            "slot %" PRIu32 ": expected an owner that is no variable, found "
            "node %" PRIu32,
            i, owner);
    if (!is_variable(index, variable) || variable >= reached)
        return vv_check_fail(check, index->slot_variables + 4 * (size_t)i,
            "slot %" PRIu32 ": expected a variable to which an edge leads, "
            "found node %" PRIu32,
            i, variable);
    if (name >= index->name_count)
        return vv_check_fail(check, index->slot_names + 4 * (size_t)i,
            "slot %" PRIu32 ": expected a name below %" PRIu32
            ", found %" PRIu32,
            i, index->name_count, name);
    if (!is_variable(index, node) || node > *next)
        return vv_check_fail(check, index->slot_nodes + 4 * (size_t)i,
            "slot %" PRIu32 ": expected a variable that was seen, or the next, "
            "%" PRIu32 "; found node %" PRIu32,
            i, *next, node);
    *next += node == *next;
    return VARVE_OK;
}

static varve_status check_slots(
    const struct vv_index_check *check, uint32_t *next)
{
    const struct vv_index *index = check->index;
    uint32_t reached = *next;
    uint32_t last_owner = 0;
    uint64_t last_rest = 0; /* variable and name */
    for (uint32_t i = 0; i < index->slot_count; i++) {
        VV_TRY(check_slot(check, i, reached, next));
        uint32_t owner = vv_at32(index->slot_owners, i);
        uint64_t rest = (uint64_t)vv_at32(index->slot_variables, i) << 32 |
                        vv_at32(index->slot_names, i);
        if (i > 0 && (owner < last_owner ||
                         (owner == last_owner && rest <= last_rest)))
            return vv_check_fail(check, index->slot_owners + 4 * (size_t)i,
                "slot %" PRIu32 ": expected slots sorted by owner, variable "
                "and name, found one that is not behind the one before it",
                i);
        last_owner = owner;
        last_rest = rest;
    }
    return VARVE_OK;
}

static varve_status check_tags(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    uint64_t lowest = 0;
    for (uint32_t i = 0; i < index->tag_count; i++) {
        uint32_t node = vv_at32(index->tag_nodes, i);
        uint32_t name = vv_at32(index->tag_names, i);
        uint64_t both = (uint64_t)node << 32 | name;
        if (node >= index->node_count || name >= index->name_count)
            return vv_check_fail(check, index->tag_nodes + 4 * (size_t)i,
                "tag %" PRIu32 ": expected a node and a name, found %" PRIu32
                " and %" PRIu32,
                i, node, name);
        if (both < lowest)
            return vv_check_fail(check, index->tag_nodes + 4 * (size_t)i,
                "tag %" PRIu32 ": expected tags sorted by node and name, found "
                "one that is not behind the one before it",
                i);
        lowest = both + 1;
    }
    return VARVE_OK;
}

/* --- Use of names --------------------------------------------------------- */

static void mark(uint8_t *used, const uint8_t *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name = vv_at32(names, i);
        used[name / 8] |= (uint8_t)(1u << name % 8);
    }
}

/* That each name is used makes the pool of names a function of the graph. */
static varve_status check_use(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    const varve_allocator *a = &check->context->allocator;
    if (index->name_count == 0)
        return VARVE_OK;
    size_t size = (size_t)index->name_count / 8 + 1;
    uint8_t *used = vv_allocate_zeroed(a, size);
    if (!used)
        return vv_fail_memory(check->error, "marks of names");
    mark(used, index->edge_names, index->edge_count);
    mark(used, index->slot_names, index->slot_count);
    mark(used, index->tag_names, index->tag_count);
    uint32_t unused = 0;
    while (unused < index->name_count && used[unused / 8] >> unused % 8 & 1)
        unused += used[unused / 8] == UINT8_MAX ? 8 - unused % 8 : 1;
    vv_release(a, used, size);
    if (unused < index->name_count)
        return vv_check_fail(check, index->name_ends + 4 * (size_t)unused,
            "name %" PRIu32 ": expected one that is used, found one that is "
            "not",
            unused);
    return VARVE_OK;
}

varve_status vv_check_graph(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    uint32_t next = 1; /* the root has been seen */
    VV_TRY(check_names(check));
    VV_TRY(check_nodes(check));
    VV_TRY(check_edges(check, &next));
    VV_TRY(check_slots(check, &next));
    if (next != index->node_count)
        return vv_check_fail(check, index->node_kinds + next,
            "node %" PRIu32 ": expected an edge or a slot that leads to it, "
            "found none",
            next);
    VV_TRY(check_tags(check));
    return check_use(check);
}
