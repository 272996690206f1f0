/* field.h - the fields of a struct's table, and what they say of the memory of
 * an object.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FIELD_H
#define VV_FIELD_H

#include <varve/struct.h>

#include "node.h"

/* How deep structs may be in each other, and how many members count. */
enum {
    VV_MAX_STRUCT_DEPTH = 32,
    VV_MAX_EXTENTS = sizeof((varve_field *)0)->extents / sizeof(varve_extent)
};

/* Its name in the graph. */
static inline const char *vv_field_name(const varve_field *field)
{
    return field->called ? field->called : field->name;
}

/* Where what the field is about begins; behind a pointer, NULL if that is. */
void *vv_field_memory(const varve_field *field, const void *object);

/* Lets the pointer of a field lead to other memory. */
void vv_field_point(const varve_field *field, void *object, void *memory);

/* Whether the node of a field waits until there is memory: its pointer is NULL,
 * and room can be made. A table of rows without columns, or of columns without
 * rows, needs none. */
bool vv_field_waits(const varve_field *field, const void *object);

/* How many there are in a dimension, of an object that was checked. */
uint64_t vv_field_extent(
    const varve_field *field, const void *object, unsigned i);

/* Sets the member that counts; false if it cannot hold that many. */
bool vv_field_set_extent(
    const varve_field *field, void *object, unsigned i, uint64_t extent);

/* Whether it is a member by which others of the table say how many they
 * have. */
bool vv_field_counts(const varve_field *field, const varve_field *fields);

/* A value: its type, shape and memory. */
varve_tensor vv_field_view(const varve_field *field, const void *object);

/* Makes its older names aliases of its node. */
void vv_field_add_aliases(const varve_field *field, varve_node *node);

/* Whether a file may have the field under that name. */
bool vv_field_is_called(const varve_field *field, const char *name);

/* Whether a table matches an object, of that size or (0) of any, and all that
 * it leads to; else a mistake that names the field, below `parent` and `name`,
 * which is "" for the node itself. */
bool vv_fields_check(const varve_node *parent, const char *name,
    const varve_field *fields, const void *object, size_t size);

#endif
