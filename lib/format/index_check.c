/* index_check.c - Checks the rules of nodes, edges, slots, tags and names.
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

/* --- Nodes and edges ------------------------------------------------------ */

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

/* --- Nodes ---------------------------------------------------------------- */

static varve_status check_nodes(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    uint32_t begin = 0;
    if (index->node_count == 0)
        return vv_check_fail(
            check, index->node_kinds, "nodes: the root is missing");
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
                "node %" PRIu32
                ": a variable cannot have edges, found %" PRIu32,
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

/* Checks names and children of the edges of one node. *next is the number that
 * the next new node must have. */
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
                "edge %" PRIu32
                ": expected an earlier node, or the next of %" PRIu32
                ", %" PRIu32 "; found %" PRIu32,
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
                "node %" PRIu32 ": no edge leads to it before its own edges",
                i);
        bool is_list = vv_index_kind(index, i) == VARVE_LIST;
        VV_TRY(check_edges_of(check, begin, end, !is_list, next));
        if (is_list)
            VV_TRY(vv_check_positions(check, begin, end));
        begin = end;
    }
    return VARVE_OK;
}

/* --- Slots and tags ------------------------------------------------------- */

static bool index_check_is_variable(const struct vv_index *index, uint32_t node)
{
    return node < index->node_count &&
           index->node_kinds[node] == VARVE_VARIABLE;
}

/* Checks a slot. The variable must be one of the first `reached` nodes, to
 * which edges lead, so that the numbering of slot variables is unambiguous. */
static varve_status check_slot(const struct vv_index_check *check, uint32_t i,
    uint32_t reached, uint32_t *next)
{
    const struct vv_index *index = check->index;
    uint32_t owner = vv_at32(index->slot_owners, i);
    uint32_t variable = vv_at32(index->slot_variables, i);
    uint32_t name = vv_at32(index->slot_names, i);
    uint32_t node = vv_at32(index->slot_nodes, i);
    if (owner >= index->node_count || index_check_is_variable(index, owner))
        return vv_check_fail(check, index->slot_owners + 4 * (size_t)i,
            "slot %" PRIu32
            ": the owner must not be a variable, found node %" PRIu32,
            i, owner);
    if (!index_check_is_variable(index, variable) || variable >= reached)
        return vv_check_fail(check, index->slot_variables + 4 * (size_t)i,
            "slot %" PRIu32
            ": the variable must have an edge, found node %" PRIu32,
            i, variable);
    if (name >= index->name_count)
        return vv_check_fail(check, index->slot_names + 4 * (size_t)i,
            "slot %" PRIu32 ": expected a name below %" PRIu32
            ", found %" PRIu32,
            i, index->name_count, name);
    if (!index_check_is_variable(index, node) || node > *next)
        return vv_check_fail(check, index->slot_nodes + 4 * (size_t)i,
            "slot %" PRIu32
            ": expected an earlier variable, or the next, %" PRIu32
            "; found node %" PRIu32,
            i, *next, node);
    *next += node == *next;
    return VARVE_OK;
}

static varve_status index_check_slots(
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
        if (i > 0 &&
            (owner < last_owner || (owner == last_owner && rest <= last_rest)))
            return vv_check_fail(check, index->slot_owners + 4 * (size_t)i,
                "slot %" PRIu32
                ": slots must be in order of owner, variable and name",
                i);
        last_owner = owner;
        last_rest = rest;
    }
    return VARVE_OK;
}

/* Checks that each node belongs to at most one slot and has no slots itself.
 * `seen` has a bit for each node. */
static varve_status check_slot_nodes(
    const struct vv_index_check *check, uint8_t *seen)
{
    const struct vv_index *index = check->index;
    for (uint32_t i = 0; i < index->slot_count; i++) {
        uint32_t node = vv_at32(index->slot_nodes, i);
        if (seen[node / 8] >> node % 8 & 1)
            return vv_check_fail(check, index->slot_nodes + 4 * (size_t)i,
                "slot %" PRIu32 ": node %" PRIu32
                " already belongs to another slot",
                i, node);
        seen[node / 8] |= (uint8_t)(1u << node % 8);
    }
    for (uint32_t i = 0; i < index->slot_count; i++) {
        uint32_t variable = vv_at32(index->slot_variables, i);
        if (seen[variable / 8] >> variable % 8 & 1)
            return vv_check_fail(check, index->slot_variables + 4 * (size_t)i,
                "slot %" PRIu32
                ": the variable must not be a slot itself, found node %" PRIu32,
                i, variable);
    }
    return VARVE_OK;
}

static varve_status check_own_nodes(const struct vv_index_check *check)
{
    const varve_allocator *a = &check->context->allocator;
    size_t size = (size_t)check->index->node_count / 8 + 1;
    if (check->index->slot_count == 0)
        return VARVE_OK;
    uint8_t *seen = vv_allocate_zeroed(a, size);
    if (!seen)
        return vv_fail_memory(check->error, "marks of nodes");
    varve_status status = check_slot_nodes(check, seen);
    vv_release(a, seen, size);
    return status;
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
                "tag %" PRIu32 ": tags must be in order of node and name", i);
        lowest = both + 1;
    }
    return VARVE_OK;
}

/* --- Global names --------------------------------------------------------- */

static bool index_check_may_have_global(
    const struct vv_index *index, uint32_t node)
{
    return index_check_is_variable(index, node) ||
           (node < index->node_count && index->node_kinds[node] == VARVE_STATE);
}

/* Checks a global name. `used` has a bit for each name. */
static varve_status check_global(
    const struct vv_index_check *check, uint32_t i, uint8_t *used)
{
    const struct vv_index *index = check->index;
    uint32_t node = vv_at32(index->global_nodes, i);
    uint32_t name = vv_at32(index->global_names, i);
    if (!index_check_may_have_global(index, node))
        return vv_check_fail(check, index->global_nodes + 4 * (size_t)i,
            "global name %" PRIu32 ": expected a variable or state, found node "
            "%" PRIu32,
            i, node);
    if (i > 0 && node <= vv_at32(index->global_nodes, i - 1))
        return vv_check_fail(check, index->global_nodes + 4 * (size_t)i,
            "global name %" PRIu32 ": nodes must be in order and unique", i);
    if (name >= index->name_count)
        return vv_check_fail(check, index->global_names + 4 * (size_t)i,
            "global name %" PRIu32 ": expected a name below %" PRIu32
            ", found %" PRIu32,
            i, index->name_count, name);
    if (used[name / 8] >> name % 8 & 1)
        return vv_check_fail(check, index->global_names + 4 * (size_t)i,
            "global name %" PRIu32 ": duplicate name %" PRIu32, i, name);
    used[name / 8] |= (uint8_t)(1u << name % 8);
    return VARVE_OK;
}

static varve_status check_globals(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    const varve_allocator *a = &check->context->allocator;
    size_t size = (size_t)index->name_count / 8 + 1;
    varve_status status = VARVE_OK;
    if (index->global_count == 0)
        return VARVE_OK;
    uint8_t *used = vv_allocate_zeroed(a, size);
    if (!used)
        return vv_fail_memory(check->error, "marks of names");
    for (uint32_t i = 0; i < index->global_count && !status; i++)
        status = check_global(check, i, used);
    vv_release(a, used, size);
    return status;
}

varve_status vv_check_graph(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    uint32_t next = 1; /* the root is already reached */
    VV_TRY(vv_check_names(check));
    VV_TRY(check_nodes(check));
    VV_TRY(check_edges(check, &next));
    VV_TRY(index_check_slots(check, &next));
    VV_TRY(check_own_nodes(check));
    if (next != index->node_count)
        return vv_check_fail(check, index->node_kinds + next,
            "node %" PRIu32 ": no edge or slot leads to it", next);
    VV_TRY(check_tags(check));
    VV_TRY(check_globals(check));
    return vv_check_use(check);
}

/* --- Names ---------------------------------------------------------------- */

/* Checks names: valid, sorted and used. Also checks the names of the edges of
 * lists. */

/* Returns true if all bytes are ASCII and not NUL. Tests eight bytes at a
 * time. */
static bool name_check_is_plain(const uint8_t *bytes, uint64_t size)
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

/* A name prepared for comparisons. */
struct name {
    const uint8_t *bytes;
    size_t size;
    /* its first 8 bytes as a big-endian number, padded with 0 */
    uint64_t begin;
};

static inline struct name name_check_name_at(
    const struct vv_index *index, uint64_t at, size_t size)
{
    struct name name = { .bytes = index->names + at, .size = size };
    if (index->names_size - at >= 8) {
        name.begin = __builtin_bswap64(vv_load64(name.bytes));
        if (size < 8)
            name.begin &= ~(UINT64_MAX >> 8 * size);
    } else {
        for (size_t i = 0; i < size && i < 8; i++)
            name.begin |= (uint64_t)name.bytes[i] << (56 - 8 * i);
    }
    return name;
}

/* Compares names. They contain no NUL, so if the numbers are equal and one name
 * has at most 8 bytes, the shorter name comes first. */
static inline bool name_check_is_before(
    const struct name *a, const struct name *b)
{
    if (a->begin != b->begin)
        return a->begin < b->begin;
    if (a->size <= 8 || b->size <= 8)
        return a->size < b->size;
    if (a->size == b->size && a->size <= 16) /* the last 8 bytes */
        return __builtin_bswap64(vv_load64(a->bytes + a->size - 8)) <
               __builtin_bswap64(vv_load64(b->bytes + b->size - 8));
    size_t shorter = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->bytes + 8, b->bytes + 8, shorter - 8);
    return order < 0 || (order == 0 && a->size < b->size);
}

varve_status vv_check_names(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    bool plain = name_check_is_plain(index->names, index->names_size);
    struct name previous = { .size = 0 }; /* precedes every name */
    uint32_t begin = 0;
    for (uint32_t i = 0; i < index->name_count; i++) {
        const uint8_t *at = index->name_ends + 4 * (size_t)i;
        uint32_t end = vv_load32(at);
        if (end <= begin || end > index->names_size)
            return vv_check_fail(check, at,
                "name %" PRIu32 ": the end must be above %" PRIu32
                " and at most %" PRIu64 ", found %" PRIu32,
                i, begin, index->names_size, end);
        struct name name = name_check_name_at(index, begin, end - begin);
        if (name.size > VARVE_MAX_NAME_SIZE ||
            (!plain && !vv_utf8_is_valid((const char *)name.bytes, name.size)))
            return vv_check_fail(check, name.bytes,
                "name %" PRIu32 ": a name must be 1 to %d bytes of UTF-8 "
                "without NUL, found %zu bytes",
                i, VARVE_MAX_NAME_SIZE, name.size);
        if (!name_check_is_before(&previous, &name))
            return vv_check_fail(check, name.bytes,
                "name %" PRIu32 ": names must be in order and unique", i);
        previous = name;
        begin = end;
    }
    if (begin != index->names_size)
        return vv_check_fail(check, index->names + begin,
            "names: expected %" PRIu32 " bytes, found %" PRIu64, begin,
            index->names_size);
    return VARVE_OK;
}

/* --- Positions ------------------------------------------------------------ */

/* A position in a list as decimal text, which is incremented. */
struct position {
    uint8_t digits[16]; /* padded with zeros */
    size_t size;
    uint64_t begin; /* like that of a name */
};

static void name_check_carry(struct position *p)
{
    size_t i = p->size;
    while (i > 0 && p->digits[i - 1] == '9')
        p->digits[--i] = '0';
    if (i > 0) {
        p->digits[i - 1]++;
    } else {
        p->digits[0] = '1';
        p->digits[p->size++] = '0';
    }
    p->begin = __builtin_bswap64(vv_load64(p->digits));
}

/* Increments a position. In nine of ten cases only the last digit changes.
 * `begin` is updated too, because loading it after a byte store would stall
 * (store forwarding). */
static void count_up(struct position *p)
{
    uint8_t *last = &p->digits[p->size - 1];
    if (*last == '9' || p->size > 8) {
        name_check_carry(p);
    } else {
        ++*last;
        p->begin += UINT64_C(1) << (64 - 8 * p->size);
    }
}

static bool name_check_is_named(
    const struct name *name, const struct position *p)
{
    return name->size == p->size && name->begin == p->begin &&
           (name->size <= 8 ||
               memcmp(name->bytes + 8, p->digits + 8, name->size - 8) == 0);
}

varve_status vv_check_positions(
    const struct vv_index_check *check, uint32_t begin, uint32_t end)
{
    const struct vv_index *index = check->index;
    struct position p = { "0", 1, (uint64_t)'0' << 56 };
    for (uint32_t i = begin; i < end; i++, count_up(&p)) {
        uint32_t number = vv_at32(index->edge_names, i);
        uint32_t at = vv_begin32(index->name_ends, number);
        struct name name = name_check_name_at(
            index, at, vv_at32(index->name_ends, number) - at);
        if (!name_check_is_named(&name, &p))
            return vv_check_fail(check, index->edge_names + 4 * (size_t)i,
                "edge %" PRIu32 ": the name must be its position %" PRIu32
                " in the list",
                i, i - begin);
    }
    return VARVE_OK;
}

/* --- Every name is used --------------------------------------------------- */

static void name_check_mark(uint8_t *used, const uint8_t *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name = vv_at32(names, i);
        used[name / 8] |= (uint8_t)(1u << name % 8);
    }
}

varve_status vv_check_use(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    const varve_allocator *a = &check->context->allocator;
    size_t size = (size_t)index->name_count / 8 + 1;
    uint8_t *used = vv_allocate_zeroed(a, size);
    if (!used)
        return vv_fail_memory(check->error, "marks of names");
    name_check_mark(used, index->edge_names, index->edge_count);
    name_check_mark(used, index->slot_names, index->slot_count);
    name_check_mark(used, index->tag_names, index->tag_count);
    name_check_mark(used, index->global_names, index->global_count);
    uint32_t unused = 0;
    while (unused < index->name_count && used[unused / 8] >> unused % 8 & 1)
        unused += used[unused / 8] == UINT8_MAX ? 8 - unused % 8 : 1;
    vv_release(a, used, size);
    if (unused < index->name_count)
        return vv_check_fail(check, index->name_ends + 4 * (size_t)unused,
            "name %" PRIu32 ": the name is not used", unused);
    return VARVE_OK;
}
