/* struct_kinds.c - Defines structs, their tables, and their memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mix/structs.h"

#include <stdlib.h>
#include <string.h>

#include <varve/struct.h>

enum { A, B, C, D, K }; /* of the pool */
enum { TEXT = MIX_TEXT };

/* --- Kinds ---------------------------------------------------------------- */

static void *make_room(size_t count, size_t size);

struct pair {
    float a;
    int b;
};
static const varve_field pair_fields[] = {
    VARVE_FIELD(struct pair, a),
    VARVE_FIELD(struct pair, b),
    VARVE_FIELDS_END,
};
static const struct mix_member pair_members[] = {
    { .name = A, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_FLOAT32, .form = MIX_SCALAR, .count = 1,
        .offset = offsetof(struct pair, a) },
    { .name = B, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_INT32, .form = MIX_SCALAR, .count = 1,
        .offset = offsetof(struct pair, b) },
};
static const struct mix_struct_kind pair_kind = { "pair", pair_fields,
    sizeof(struct pair), SIZE_MAX, false, 2, pair_members };

const struct mix_struct_kind *const mix_pair_kind = &pair_kind;

/* A later version of the struct. */
struct later_pair {
    unsigned char d;
    int b;
    float k;
};
static const varve_field later_pair_fields[] = {
    VARVE_FIELD(struct later_pair, k, .older_names = "a"),
    VARVE_FIELD(struct later_pair, b),
    VARVE_FIELD(struct later_pair, d, .is_later = true),
    VARVE_FIELDS_END,
};
static const struct mix_member later_pair_members[] = {
    { .name = K, .older = A, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_FLOAT32, .form = MIX_SCALAR, .count = 1,
        .offset = offsetof(struct later_pair, k) },
    { .name = B, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_INT32, .form = MIX_SCALAR, .count = 1,
        .offset = offsetof(struct later_pair, b) },
    { .name = D, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_UINT8, .form = MIX_SCALAR, .count = 1, .is_later = true,
        .offset = offsetof(struct later_pair, d) },
};
static const struct mix_struct_kind later_pair_kind = { "later_pair",
    later_pair_fields, sizeof(struct later_pair), SIZE_MAX, false, 3,
    later_pair_members };

struct net {
    int k;
    double a[2];
    float *b;
    struct pair c;
    char d[TEXT];
};
static const varve_field net_fields[] = {
    VARVE_FIELD_ARRAY(struct net, a),
    VARVE_FIELD_POINTER(struct net, b, k, .room = make_room),
    VARVE_FIELD_STRUCT(struct net, c, pair_fields),
    VARVE_FIELD_TEXT(struct net, d),
    VARVE_FIELD(struct net, k),
    VARVE_FIELDS_END,
};
static const struct mix_member net_members[] = {
    { .name = A, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_FLOAT64, .count = 2, .offset = offsetof(struct net, a) },
    { .name = B, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_FLOAT32, .is_pointer = true, .has_room = true,
        .offset = offsetof(struct net, b) },
    { .name = C, .older = MIX_NONE, .kind = VARVE_FIELD_IS_STRUCT,
        .of = &pair_kind, .offset = offsetof(struct net, c) },
    { .name = D, .older = MIX_NONE, .kind = VARVE_FIELD_IS_TEXT,
        .offset = offsetof(struct net, d) },
    { .name = K, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_INT32, .form = MIX_SCALAR, .count = 1,
        .is_counter = true, .offset = offsetof(struct net, k) },
};
static const struct mix_struct_kind net_kind = { "net", net_fields,
    sizeof(struct net), offsetof(struct net, k), false, 5, net_members };

/* A later version: two members were removed and one was moved. */
struct later_net {
    struct later_pair c;
    float *values;
    int k;
};
static size_t count_values(const void *object)
{
    return (size_t)((const struct later_net *)object)->k;
}
static const varve_field later_net_fields[] = {
    VARVE_FIELD(struct later_net, k, .is_fixed = true),
    VARVE_FIELD_POINTER_BY(
        struct later_net, values, count_values, .called = "b"),
    VARVE_FIELD_STRUCT(struct later_net, c, later_pair_fields),
    VARVE_FIELD_GONE("a"),
    VARVE_FIELD_GONE("d"),
    VARVE_FIELDS_END,
};
static const struct mix_member later_net_members[] = {
    { .name = K, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_INT32, .form = MIX_SCALAR, .count = 1,
        .is_counter = true, .offset = offsetof(struct later_net, k) },
    { .name = B, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_FLOAT32, .is_pointer = true,
        .offset = offsetof(struct later_net, values) },
    { .name = C, .older = MIX_NONE, .kind = VARVE_FIELD_IS_STRUCT,
        .of = &later_pair_kind, .offset = offsetof(struct later_net, c) },
};
static const struct mix_struct_kind later_net_kind = { "later_net",
    later_net_fields, sizeof(struct later_net), offsetof(struct later_net, k),
    true, 3, later_net_members };

struct table {
    float c[2][2];
    struct pair a[2];
    unsigned short d[2];
    struct pair *b;
};
static const varve_field table_fields[] = {
    VARVE_FIELD_STRUCTS(struct table, a, pair_fields),
    VARVE_FIELD_STRUCT_AT(struct table, b, pair_fields, .room = make_room),
    VARVE_FIELD_ARRAY(struct table, c),
    VARVE_FIELD_AS(struct table, d, VARVE_BFLOAT16),
    VARVE_FIELDS_END,
};
static const struct mix_member table_members[] = {
    { .name = A, .older = MIX_NONE, .kind = VARVE_FIELD_IS_LIST,
        .of = &pair_kind, .count = 2, .offset = offsetof(struct table, a) },
    { .name = B, .older = MIX_NONE, .kind = VARVE_FIELD_IS_STRUCT,
        .of = &pair_kind, .is_pointer = true, .has_room = true,
        .offset = offsetof(struct table, b) },
    { .name = C, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_FLOAT32, .form = MIX_ROWS, .count = 4,
        .offset = offsetof(struct table, c) },
    { .name = D, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_BFLOAT16, .count = 2,
        .offset = offsetof(struct table, d) },
};
static const struct mix_struct_kind table_kind = { "table", table_fields,
    sizeof(struct table), SIZE_MAX, false, 4, table_members };

struct swarm {
    float *a;
    int k;
    struct pair *b;
};
static const varve_field swarm_fields[] = {
    VARVE_FIELD(struct swarm, k),
    VARVE_FIELD_POINTER(struct swarm, a, k),
    VARVE_FIELD_STRUCTS_AT(struct swarm, b, pair_fields, k, .room = make_room),
    VARVE_FIELDS_END,
};
static const struct mix_member swarm_members[] = {
    { .name = K, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_INT32, .form = MIX_SCALAR, .count = 1,
        .is_counter = true, .offset = offsetof(struct swarm, k) },
    { .name = A, .older = MIX_NONE, .kind = VARVE_FIELD_IS_VALUE,
        .dtype = VARVE_FLOAT32, .is_pointer = true,
        .offset = offsetof(struct swarm, a) },
    { .name = B, .older = MIX_NONE, .kind = VARVE_FIELD_IS_LIST,
        .of = &pair_kind, .is_pointer = true, .has_room = true,
        .offset = offsetof(struct swarm, b) },
};
static const struct mix_struct_kind swarm_kind = { "swarm", swarm_fields,
    sizeof(struct swarm), offsetof(struct swarm, k), false, 3,
    swarm_members };

const struct mix_struct_kind *const mix_struct_kinds[MIX_STRUCT_KINDS] = {
    &net_kind, &later_net_kind, &table_kind, &swarm_kind
};

/* --- Memory --------------------------------------------------------------- */

/* A struct and the memory that its pointers refer to. */
struct mix_object {
    struct mix_object *next;
    union {
        struct net net;
        struct later_net later_net;
        struct table table;
        struct swarm swarm;
    } of;
    float floats[MIX_MOST_COUNTED];
    struct pair pairs[MIX_MOST_COUNTED];
};

struct mix_room {
    struct mix_room *next;
    _Alignas(max_align_t) unsigned char bytes[];
};

/* The run that owns the resize buffers. */
static struct mix *machine;

static void *make_room(size_t count, size_t size)
{
    MIX_CHECK(count <= MIX_NUMBERS, "room for %zu", count);
    struct mix_room *room = calloc(1, sizeof *room + count * size);
    MIX_CHECK(room, "the machine is out of memory");
    room->next = machine->resize_buffers;
    machine->resize_buffers = room;
    return room->bytes;
}

void mix_resize_buffers_end(struct mix *m)
{
    while (m->resize_buffers) {
        struct mix_room *room = m->resize_buffers;
        m->resize_buffers = room->next;
        free(room);
    }
}

void mix_structs_end(struct mix_graph *g)
{
    while (g->objects) {
        struct mix_object *object = g->objects;
        g->objects = object->next;
        free(object);
    }
}

void *mix_member_at(const struct mix_member *member, const void *object)
{
    unsigned char *memory;
    memcpy(&memory, &object, sizeof memory);
    memory += member->offset;
    if (member->is_pointer)
        memcpy(&memory, (const void *)memory, sizeof memory);
    return memory;
}

bool mix_member_waits(const struct mix_member *member, const void *object)
{
    return member->is_pointer && member->has_room &&
           !mix_member_at(member, object);
}

uint8_t mix_counted(
    const struct mix_struct_kind *kind, const void *object)
{
    int count = 0;
    if (kind->counter != SIZE_MAX)
        memcpy(&count, (const unsigned char *)object + kind->counter,
            sizeof count);
    return (uint8_t)count;
}

uint8_t mix_member_count(const struct mix_struct_kind *kind,
    const struct mix_member *member, const void *object)
{
    return member->count ? member->count : mix_counted(kind, object);
}

/* --- Filling -------------------------------------------------------------- */

void mix_text_set(char *text, const struct mix_value *value)
{
    memset(text, 0, TEXT);
    memcpy(text, value->numbers, value->count);
}

static void fill(struct mix *m, const struct mix_struct_kind *kind,
    void *object);

static void fill_member(struct mix *m, const struct mix_struct_kind *kind,
    const struct mix_member *member, void *object)
{
    unsigned char *memory = mix_member_at(member, object);
    if (!memory || member->is_counter)
        return;
    uint8_t count = mix_member_count(kind, member, object);
    struct mix_value value = mix_fresh(m, count);
    switch (member->kind) {
    case VARVE_FIELD_IS_VALUE:
        mix_store(memory, member->dtype, &value);
        break;
    case VARVE_FIELD_IS_TEXT:
        value = mix_fresh(m, (uint8_t)(m->fresh % (MIX_NUMBERS + 1)));
        mix_text_set((char *)memory, &value);
        break;
    case VARVE_FIELD_IS_STRUCT: fill(m, member->of, memory); break;
    default:
        for (uint8_t i = 0; i < count; i++)
            fill(m, member->of, memory + i * member->of->size);
    }
}

static void fill(
    struct mix *m, const struct mix_struct_kind *kind, void *object)
{
    for (uint8_t i = 0; i < kind->member_count; i++)
        fill_member(m, kind, &kind->members[i], object);
}

/* Fills a struct. The bits of `how` select the counts and the NULL pointers. */
static void set_up(struct mix *m, struct mix_object *o,
    const struct mix_struct_kind *kind, uint8_t how)
{
    int count = how % (MIX_MOST_COUNTED + 1);
    bool is_empty = how & 4;
    if (kind == &net_kind) {
        o->of.net.k = is_empty ? 0 : count;
        o->of.net.b = is_empty ? NULL : o->floats;
    } else if (kind == &later_net_kind) {
        o->of.later_net.k = count;
        o->of.later_net.values = o->floats;
    } else if (kind == &table_kind) {
        o->of.table.b = is_empty ? NULL : o->pairs;
    } else {
        o->of.swarm.k = count;
        o->of.swarm.a = o->floats;
        o->of.swarm.b = is_empty ? NULL : o->pairs;
    }
    fill(m, kind, &o->of);
}

void *mix_struct_new(struct mix *m, struct mix_graph *g,
    const struct mix_struct_kind *kind, uint8_t how)
{
    struct mix_object *o = calloc(1, sizeof *o);
    MIX_CHECK(o, "the machine is out of memory");
    machine = m;
    o->next = g->objects;
    g->objects = o;
    set_up(m, o, kind, how);
    return &o->of;
}

void *mix_struct_change(
    struct mix *m, struct mix_graph *g, uint8_t node, uint8_t how)
{
    struct mix_object *o = g->objects;
    while (o && (void *)&o->of != g->object[node])
        o = o->next;
    if (!o)
        return NULL; /* a part of another struct */
    set_up(m, o, g->of[node], how);
    return &o->of;
}
