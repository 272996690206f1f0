/* structs.h - structs of the program, each with a table for the library and one
 * for the model.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_STRUCTS_H
#define MIX_STRUCTS_H

#include "mix/mix.h"

enum { MIX_STRUCT_KINDS = 4, MIX_MOST_COUNTED = 2, MIX_TEXT = 8 };

/* What the model has of a member. */
struct mix_member {
    uint8_t name; /* of the pool */
    uint8_t older;
    varve_field_kind kind;
    uint8_t dtype; /* of a value, */
    uint8_t form;
    uint8_t count; /* and of a list; 0: as many as the counter says */
    bool is_pointer;
    bool has_room;
    bool is_counter;
    bool is_later;
    size_t offset;
    const struct mix_struct_kind *of;
};

struct mix_struct_kind {
    const char *name;
    const varve_field *fields;
    size_t size;
    size_t counter; /* where it is; SIZE_MAX: there is none */
    bool retires;   /* names of older files */
    uint8_t member_count;
    const struct mix_member *members;
};
extern const struct mix_struct_kind *const mix_struct_kinds[MIX_STRUCT_KINDS];

/* The one of which lists are. */
extern const struct mix_struct_kind *const mix_pair_kind;

/* Where a member is, or what it points at; whether it waits for memory; how
 * many it has, and how many are counted. */
void *mix_member_at(const struct mix_member *member, const void *object);
bool mix_member_waits(const struct mix_member *member, const void *object);
uint8_t mix_member_count(const struct mix_struct_kind *kind,
    const struct mix_member *member, const void *object);
uint8_t mix_counted(const struct mix_struct_kind *kind, const void *object);

/* A new struct with other values, which stays until the graph goes. By the bits
 * of `how`: how much is counted, and what is NULL. */
void *mix_struct_new(struct mix *m, struct mix_graph *graph,
    const struct mix_struct_kind *kind, uint8_t how);

/* The same of one that is there and stays where it is; NULL: it is a part of
 * another one. */
bool mix_struct_can_change(const struct mix_graph *graph, uint8_t node);
void *mix_struct_change(
    struct mix *m, struct mix_graph *graph, uint8_t node, uint8_t how);

/* What the model has when a struct was added below a node: the node. */
uint8_t mix_struct_put(struct mix_graph *graph, uint8_t parent, uint8_t name,
    const struct mix_struct_kind *kind, void *object);

/* What it has when one was looked at again: the nodes that are gone. Not where
 * there is no room, or where the program has put what may be a member's. */
bool mix_struct_can_rebind(
    const struct mix_graph *graph, uint8_t node, const void *object);
mix_set mix_struct_rebind(struct mix_graph *graph, uint8_t node, void *object);

/* Where the nodes are that the library has made of structs. */
void mix_struct_find(struct mix_graph *graph);

/* Keeps places for what resize buffers may be made for. */
void mix_note_resize_buffers(struct mix_graph *graph);

/* What resize buffers were made for since. */
void mix_follow_resize_buffers(struct mix *m, uint8_t graph);

/* Text of a struct: whether it is a value, and being set to one. */
bool mix_text_is(struct mix_graph *graph, uint8_t node,
    const struct mix_value *value);
void mix_text_set(char *text, const struct mix_value *value);

/* The end of structs of a graph, and of all resize buffers. */
void mix_structs_end(struct mix_graph *graph);
void mix_resize_buffers_end(struct mix *m);

#endif
