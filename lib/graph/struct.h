/* struct.h - what nodes remember of the structs that they were made of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCT_H
#define VV_STRUCT_H

#include <varve/struct.h>

#include "node.h"

/* Of the object of a struct, and of the state of a text. */
struct vv_struct {
    const varve_field *fields; /* the table; of a text its field, or NULL */
    void *object;              /* the struct, or the text */
    bool is_later;             /* with all below it */
    size_t text_size;          /* with its NUL */
};

/* Frees what a node remembers; it may be NULL. */
void vv_struct_free(const varve_allocator *allocator, struct vv_struct *about);

#endif
