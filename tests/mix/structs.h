/* structs.h - Declares structs of the program, each with a table for the
 * library and one for the model.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_STRUCTS_H
#define MIX_STRUCTS_H

#include "mix/mix.h"

enum { MIX_STRUCT_KINDS = 4, MIX_MOST_COUNTED = 2, MIX_TEXT = 8 };

/* The model of a member. */
struct mix_member {
    uint8_t name; /* of the pool */
    uint8_t older;
    varve_field_kind kind;
    uint8_t dtype; /* of a value */
    uint8_t form;
    uint8_t count; /* of a value or list; 0: taken from the counter */
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
    size_t counter; /* offset of the counter; SIZE_MAX: none */
    bool retires;   /* has names of older files */
    uint8_t member_count;
    const struct mix_member *members;
};
extern const struct mix_struct_kind *const mix_struct_kinds[MIX_STRUCT_KINDS];

/* The kind of all list elements. */
extern const struct mix_struct_kind *const mix_pair_kind;

/* Return the address of a member or its target, whether it is pending without
 * memory, its number of elements, and the counted number. */
void *mix_member_at(const struct mix_member *member, const void *object);
bool mix_member_waits(const struct mix_member *member, const void *object);
uint8_t mix_member_count(const struct mix_struct_kind *kind,
    const struct mix_member *member, const void *object);
uint8_t mix_counted(const struct mix_struct_kind *kind, const void *object);

/* Creates a struct with new values, which lives as long as the graph. The bits
 * of `how` select the counts and the NULL pointers. */
void *mix_struct_new(struct mix *m, struct mix_graph *graph,
    const struct mix_struct_kind *kind, uint8_t how);

/* Changes an existing struct in place in the same way. Returns NULL if it is a
 * part of another one. */
bool mix_struct_can_change(const struct mix_graph *graph, uint8_t node);
void *mix_struct_change(
    struct mix *m, struct mix_graph *graph, uint8_t node, uint8_t how);

/* Adds the model of a struct below a node and returns the new node. */
uint8_t mix_struct_put(struct mix_graph *graph, uint8_t parent, uint8_t name,
    const struct mix_struct_kind *kind, void *object);

/* Updates the model after a rebind and returns the removed nodes. Not possible
 * if there is no room, or if the program replaced a node that may belong to a
 * member. */
bool mix_struct_can_rebind(
    const struct mix_graph *graph, uint8_t node, const void *object);
mix_set mix_struct_rebind(struct mix_graph *graph, uint8_t node, void *object);

/* Finds the nodes that the library created for structs. */
void mix_struct_find(struct mix_graph *graph);

/* Reserves places for nodes that resize buffers may need. */
void mix_note_resize_buffers(struct mix_graph *graph);

/* Adds nodes for resize buffers that were created since the last call. */
void mix_follow_resize_buffers(struct mix *m, uint8_t graph);

/* Returns true if a text of a struct has a value, and sets a text. */
bool mix_text_is(struct mix_graph *graph, uint8_t node,
    const struct mix_value *value);
void mix_text_set(char *text, const struct mix_value *value);

/* Free the structs of a graph, and all resize buffers. */
void mix_structs_end(struct mix_graph *graph);
void mix_resize_buffers_end(struct mix *m);

#endif
