/* field.h - Evaluates the fields of a struct table for an object.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FIELD_H
#define VV_FIELD_H

#include <varve/struct.h>

#include "node.h"

/* The maximum nesting depth of structs, and the maximum number of extents of a
 * field. */
enum {
    VV_MAX_STRUCT_DEPTH = 32,
    VV_MAX_EXTENTS = sizeof((varve_field *)0)->extents / sizeof(varve_extent)
};

/* Returns the name of a field in the graph. */
static inline const char *vv_field_name(const varve_field *field)
{
    return field->called ? field->called : field->name;
}

/* Returns the address of the elements of a field. For a pointer it is the
 * pointer's value. */
void *vv_field_memory(const varve_field *field, const void *object);

/* Sets the pointer of a field. */
void vv_field_point(const varve_field *field, void *object, void *memory);

/* Returns true if the node of a field is made only when there is memory: its
 * pointer is NULL, and `room` can allocate. A table without columns, or without
 * rows, needs no memory. */
bool vv_field_waits(const varve_field *field, const void *object);

/* Returns an extent of a field of an object that was checked. */
uint64_t vv_field_extent(
    const varve_field *field, const void *object, unsigned i);

/* Sets the member that contains an extent. Returns false if it cannot represent
 * it. */
bool vv_field_set_extent(
    const varve_field *field, void *object, unsigned i, uint64_t extent);

/* Returns true if other fields of the table use this member as an extent. */
bool vv_field_counts(const varve_field *field, const varve_field *fields);

/* Returns a view of a value: its type, shape and memory. */
varve_tensor vv_field_view(const varve_field *field, const void *object);

/* Adds the older names of a field as aliases of its node. */
void vv_field_add_aliases(const varve_field *field, varve_node *node);

/* Returns true if a file may use this name for the field. */
bool vv_field_is_called(const varve_field *field, const char *name);

/* Returns true if a table matches an object, of this size or (0) of any size,
 * and all objects that it leads to. Otherwise records an error with the path of
 * the field below `parent` and `name`, which is "" for the node itself. */
bool vv_fields_check(const varve_node *parent, const char *name,
    const varve_field *fields, const void *object, size_t size);

#endif
