/* shapes.c - Makes hostile files of up to a megabyte, each with one extreme
 * property.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/shapes.h"

#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "default_allocator.h"
#include "index.h"
#include "fuzz/fuzz.h"
#include "fuzz/pieces.h"
#include "layout.h"

/* --- Encoding ------------------------------------------------------------- */

struct shape {
    struct pieces pieces;
};

static struct vv_buffer *column(struct shape *s, uint64_t key)
{
    return &pieces_find(&s->pieces, key)->bytes;
}

static void add_name(struct shape *s, const char *bytes, size_t size)
{
    vv_buffer_add(column(s, VV_KEY_NAMES), bytes, size);
    vv_buffer_add32(column(s, VV_KEY_NAME_ENDS),
        (uint32_t)column(s, VV_KEY_NAMES)->size);
}

/* Adds a node. Its edges, if any, must have been added before. */
static void add_node(struct shape *s, varve_kind kind)
{
    vv_buffer_add8(column(s, VV_KEY_NODE_KINDS), (uint8_t)kind);
    vv_buffer_add32(column(s, VV_KEY_NODE_EDGE_ENDS),
        (uint32_t)(column(s, VV_KEY_EDGE_NAMES)->size / 4));
}

static void add_edge(struct shape *s, uint32_t name, uint32_t child)
{
    vv_buffer_add32(column(s, VV_KEY_EDGE_NAMES), name);
    vv_buffer_add32(column(s, VV_KEY_EDGE_CHILDREN), child);
}

/* Adds a saved float32 value without elements. */
static void add_value(struct shape *s, uint32_t node)
{
    vv_buffer_add32(column(s, VV_KEY_VALUE_NODES), node);
    vv_buffer_add8(column(s, VV_KEY_VALUE_DTYPES), VARVE_FLOAT32);
    vv_buffer_add8(column(s, VV_KEY_VALUE_RANKS), 1);
    vv_buffer_add64(column(s, VV_KEY_VALUE_EXTENTS), 0);
    vv_buffer_add64(column(s, VV_KEY_VALUE_OFFSETS), VV_HEADER_SIZE);
    vv_buffer_add64(column(s, VV_KEY_VALUE_SIZES), 0);
}

static void add_slot(
    struct shape *s, uint32_t owner, uint32_t variable, uint32_t name,
    uint32_t node)
{
    vv_buffer_add32(column(s, VV_KEY_SLOT_OWNERS), owner);
    vv_buffer_add32(column(s, VV_KEY_SLOT_VARIABLES), variable);
    vv_buffer_add32(column(s, VV_KEY_SLOT_NAMES), name);
    vv_buffer_add32(column(s, VV_KEY_SLOT_NODES), node);
}

/* The size of a full file, about one megabyte, is divided by this. */
static uint32_t scale;

/* --- Shapes --------------------------------------------------------------- */

/* Each node has the next one as its only child, all under the same name. */
static void chain(struct shape *s, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        add_edge(s, 0, i + 1);
        add_node(s, VARVE_OBJECT);
    }
    add_node(s, VARVE_OBJECT);
}

static void deep(struct shape *s)
{
    add_name(s, "n", 1);
    chain(s, 80000 / scale);
}

static void deep_with_long_names(struct shape *s)
{
    static char name[VARVE_MAX_NAME_SIZE];
    memset(name, '/', sizeof name);
    add_name(s, name, sizeof name);
    chain(s, 75000 / scale);
}

/* A chain of objects, each of which also has a variable. */
static void deep_with_values(struct shape *s)
{
    const uint32_t length = 18000 / scale;
    add_name(s, "dict", 4);
    add_name(s, "x", 1);
    /* Breadth first: chain node i is number 2 i - 1, its variable 2 i + 2. */
    for (uint32_t i = 0; i < length; i++) {
        add_edge(s, 0, 2 * i + 1);
        add_edge(s, 1, 2 * i + 2);
        add_node(s, VARVE_OBJECT);
        if (i > 0) {
            add_node(s, VARVE_VARIABLE);
            add_value(s, 2 * i);
        }
    }
    add_node(s, VARVE_OBJECT);
    add_node(s, VARVE_VARIABLE);
    add_value(s, 2 * length);
}

static void wide(struct shape *s)
{
    char name[16];
    const uint32_t count = 20000 / scale;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "v%05u", i);
        add_name(s, name, 6);
        add_edge(s, i, i + 1);
    }
    add_node(s, VARVE_OBJECT);
    for (uint32_t i = 0; i < count; i++) {
        add_node(s, VARVE_VARIABLE);
        add_value(s, i + 1);
    }
}

/* Every edge leads to the same object, or back. */
static void tangled(struct shape *s)
{
    char name[16];
    const uint32_t count = 50000 / scale;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "e%05u", i);
        add_name(s, name, 6);
        add_edge(s, i, i % 2);
    }
    column(s, VV_KEY_EDGE_CHILDREN)->data[0] = 1;
    add_node(s, VARVE_OBJECT);
    for (uint32_t i = 0; i < count / 2; i++)
        add_edge(s, i, i % 2);
    add_node(s, VARVE_OBJECT);
}

static void slots(struct shape *s)
{
    char name[16];
    const uint32_t count = 12000 / scale;
    add_edge(s, count, 1);
    add_edge(s, count + 1, 2);
    add_node(s, VARVE_OBJECT);
    add_node(s, VARVE_OBJECT);
    add_node(s, VARVE_VARIABLE);
    add_value(s, 2);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "m%05u", i);
        add_name(s, name, 6);
        add_slot(s, 1, 2, i, i + 3);
        add_node(s, VARVE_VARIABLE);
        add_value(s, i + 3);
    }
    add_name(s, "optimizer", 9);
    add_name(s, "x", 1);
}

/* One node has all tags. */
static void tags(struct shape *s)
{
    char name[16];
    const uint32_t count = 60000 / scale;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "t%05u", i);
        add_name(s, name, 6);
        vv_buffer_add32(column(s, VV_KEY_TAG_NODES), 0);
        vv_buffer_add32(column(s, VV_KEY_TAG_NAMES), i);
    }
    add_node(s, VARVE_OBJECT);
}

/* The program creates all children on demand, at every depth. */
static void deep_on_demand(struct shape *s)
{
    const uint32_t length = 14000 / scale;
    add_name(s, "open", 4);
    add_name(s, "x", 1);
    for (uint32_t i = 0; i < length; i++) {
        add_edge(s, 0, 2 * i + 1);
        add_edge(s, 1, 2 * i + 2);
        add_node(s, VARVE_OBJECT);
        if (i > 0) {
            add_node(s, VARVE_VARIABLE);
            add_value(s, 2 * i);
        }
    }
    add_node(s, VARVE_OBJECT);
    add_node(s, VARVE_VARIABLE);
    add_value(s, 2 * length);
}

/* All nodes are children of a dictionary that creates them on demand. */
static void wide_on_demand(struct shape *s)
{
    char name[16];
    const uint32_t count = 15000 / scale;
    add_name(s, "dict", 4);
    add_edge(s, 0, 1);
    add_node(s, VARVE_OBJECT);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "v%05u", i);
        add_name(s, name, 6);
        add_edge(s, i + 1, i + 2);
    }
    add_node(s, VARVE_DICT);
    for (uint32_t i = 0; i < count; i++) {
        add_node(s, VARVE_VARIABLE);
        add_value(s, i + 2);
    }
}

/* Many objects of the file match one object of the program, whose list is a
 * cycle of the root's children. */
static void lists_in_lists(struct shape *s)
{
    const uint32_t count = 60000 / scale;
    add_name(s, "0", 1);
    add_name(s, "list", 4);
    add_edge(s, 1, 1);
    add_node(s, VARVE_OBJECT);
    for (uint32_t i = 1; i < count; i++) {
        add_edge(s, 0, i + 1);
        add_node(s, VARVE_LIST);
    }
    add_node(s, VARVE_LIST);
}

/* Every name in the cycle of the program leads to another object of the
 * file. */
static void many_for_one(struct shape *s)
{
    const uint32_t count = 60000 / scale;
    add_name(s, "open", 4);
    add_name(s, "self", 4);
    add_edge(s, 0, 1);
    add_node(s, VARVE_OBJECT);
    for (uint32_t i = 1; i < count; i++) {
        add_edge(s, 1, i + 1);
        add_node(s, VARVE_OBJECT);
    }
    add_node(s, VARVE_OBJECT);
}

/* Two edges to each next node: the number of paths is exponential. */
static void diamonds(struct shape *s)
{
    const uint32_t count = 60000 / scale;
    add_name(s, "a", 1);
    add_name(s, "b", 1);
    for (uint32_t i = 0; i + 1 < count; i++) {
        add_edge(s, 0, i + 1);
        add_edge(s, 1, i + 1);
        add_node(s, VARVE_OBJECT);
    }
    add_node(s, VARVE_VARIABLE);
    add_value(s, count - 1);
}

/* A chain in which each node also has an edge to the root. */
static void chain_back(struct shape *s)
{
    const uint32_t count = 60000 / scale;
    add_name(s, "back", 4);
    add_name(s, "next", 4);
    for (uint32_t i = 0; i < count; i++) {
        add_edge(s, 0, 0);
        if (i + 1 < count)
            add_edge(s, 1, i + 1);
        add_node(s, VARVE_OBJECT);
    }
}

/* Names of control bytes, each of which takes three bytes in a path. */
static void control_names(struct shape *s)
{
    static char name[40000];
    const uint32_t count = 24;
    memset(name, '\x01', sizeof name);
    for (uint32_t i = 0; i < count; i++) {
        name[0] = (char)('a' + i);
        add_name(s, name, sizeof name / scale);
    }
    for (uint32_t i = 0; i < count; i++)
        add_edge(s, i, i + 1);
    add_node(s, VARVE_OBJECT);
    for (uint32_t i = 0; i < count; i++) {
        add_node(s, VARVE_VARIABLE);
        add_value(s, i + 1);
    }
}

/* Many objects share one variable: there are as many paths as objects. */
static void shared(struct shape *s)
{
    char name[16];
    const uint32_t count = 25000 / scale;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "o%05u", i);
        add_name(s, name, 6);
        add_edge(s, i, i + 1);
    }
    add_name(s, "x", 1);
    add_node(s, VARVE_OBJECT);
    for (uint32_t i = 0; i < count; i++) {
        add_edge(s, count, count + 1);
        add_node(s, VARVE_OBJECT);
    }
    add_node(s, VARVE_VARIABLE);
    add_value(s, count + 1);
}

/* Many values whose paths exceed the longest path that is printed. */
static void many_far_away(struct shape *s)
{
    char name[16];
    const uint32_t length = 2000, count = 18000 / scale;
    add_name(s, "n", 1);
    for (uint32_t i = 0; i < length; i++) {
        add_edge(s, 0, i + 1);
        add_node(s, VARVE_OBJECT);
    }
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "v%05u", i);
        add_name(s, name, 6);
        add_edge(s, i + 1, length + 1 + i);
    }
    add_node(s, VARVE_OBJECT);
    for (uint32_t i = 0; i < count; i++) {
        add_node(s, VARVE_VARIABLE);
        add_value(s, length + 1 + i);
    }
}

/* A value of bytes, each of which is a piece. */
static void many_pieces(struct shape *s)
{
    const uint32_t count = 20000 / scale;
    add_name(s, "x", 1);
    add_edge(s, 0, 1);
    add_node(s, VARVE_OBJECT);
    add_node(s, VARVE_VARIABLE);
    add_value(s, 1);
    vv_store64(column(s, VV_KEY_VALUE_EXTENTS)->data, count);
    vv_store64(column(s, VV_KEY_VALUE_SIZES)->data, count);
    column(s, VV_KEY_VALUE_DTYPES)->data[0] = VARVE_UINT8;
    vv_buffer_add32(column(s, VV_KEY_PIECED_VALUES), 0);
    vv_buffer_add32(column(s, VV_KEY_PIECE_ENDS), count);
    for (uint32_t i = 0; i < count; i++) {
        vv_buffer_add64(column(s, VV_KEY_PIECE_BOXES), i);
        vv_buffer_add64(column(s, VV_KEY_PIECE_BOXES), 1);
    }
}

/* --- All shapes ----------------------------------------------------------- */

static const struct {
    const char *name;
    void (*make)(struct shape *s);
} shapes[] = {
    { "deep", deep },
    { "deep-with-long-names", deep_with_long_names },
    { "deep-with-values", deep_with_values },
    { "wide", wide },
    { "tangled", tangled },
    { "slots", slots },
    { "tags", tags },
    { "deep-on-demand", deep_on_demand },
    { "wide-on-demand", wide_on_demand },
    { "lists-in-lists", lists_in_lists },
    { "many-for-one", many_for_one },
    { "diamonds", diamonds },
    { "chain-back", chain_back },
    { "control-names", control_names },
    { "shared", shared },
    { "many-far-away", many_far_away },
    { "many-pieces", many_pieces },
};

const char *shape_name(size_t number)
{
    return number < sizeof shapes / sizeof *shapes ? shapes[number].name : NULL;
}

size_t shape_make(
    size_t number, uint32_t part, uint8_t *file, size_t room)
{
    struct shape s;
    memset(&s, 0, sizeof s);
    varve_allocator a = vv_allocator_or_default(NULL);
    vv_buffer_init(&s.pieces.data, &a);
    vv_buffer_init(&s.pieces.flags, &a);
    memcpy(vv_buffer_extend(&s.pieces.data, VV_HEADER_SIZE),
        VV_HEADER_MAGIC "\x01", 9);
    memset(s.pieces.data.data + 9, 0, VV_HEADER_SIZE - 9);
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        struct piece *piece = pieces_insert(&s.pieces, i);
        piece->key = vv_columns[i].key;
        piece->tag = vv_columns[i].tag;
        piece->is_column = true;
    }
    scale = part;
    shapes[number].make(&s);
    for (size_t i = s.pieces.count; i-- > VV_REQUIRED_COLUMN_COUNT;) {
        if (s.pieces.items[i].bytes.size == 0)
            pieces_remove(&s.pieces, i);
    }
    size_t size = pieces_end(&s.pieces, SEAL_PLACES, file, room);
    pieces_clear(&s.pieces);
    return size;
}
