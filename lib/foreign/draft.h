/* draft.h - Collects the contents of a file of another format, piece by piece
 * and in any order, and builds an index from them. The index is validated by
 * the same rules as that of a Varve file.
 *
 *     begin; node, edge, slot, value, path, ...; end
 *
 * The first failure is kept and the calls after it do nothing, so only the
 * result of the end must be checked. A caller can read `failed` to stop early.
 * Names are copied.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_H
#define VV_DRAFT_H

#include <varve/error.h>

#include "allocator.h"
#include "buffer.h"
#include "context.h"
#include "failure.h"
#include "format_extras.h"
#include "opened.h"
#include "place.h"

enum { VV_DRAFT_PARTS = 9 };

struct vv_draft {
    /* to read */
    const struct vv_context *context;
    union { /* what was added so far (draft_parts.h) */
        struct {
            struct vv_buffer nodes, edges, slots, globals, tags, values,
                extents, metadata, paths;
        };
        struct vv_buffer parts[VV_DRAFT_PARTS]; /* the same as an array */
    };
    bool failed;
    struct vv_buffer left_out, left_out_texts; /* see opened.h */
    /* to fill in */
    struct vv_kept kept;
    uint64_t room;    /* bytes of all files, set before the end; limits the
                         number of objects that flat names can create */
    uint64_t counter; /* the save counter, or 0 */
    bool has_labels;  /* true if global names are labels of nodes that the
                         format finds by path, false if they are the keys of
                         values */
    /* own */
    const char *path;  /* of the file, for error messages */
    varve_error error; /* set when `failed` is */
    struct vv_arena strings;
};

/* Initializes a draft that contains the root, node 0. */
void vv_draft_begin(
    struct vv_draft *draft, const struct vv_context *context, const char *path);

/* Adds an object, a variable or a state. Returns its number. */
uint32_t vv_draft_node(struct vv_draft *draft, varve_kind kind);

/* Adds an edge. Fails with VARVE_BAD_NAME if the name is not valid.
 * vv_draft_end fails with VARVE_CORRUPT if two edges of a node have the same
 * name. */
void vv_draft_edge(struct vv_draft *draft, uint32_t parent, const char *name,
    size_t size, uint32_t child);

/* Adds a slot variable. The owner is an object, the other two nodes are
 * variables. */
void vv_draft_slot(struct vv_draft *draft, uint32_t owner, uint32_t variable,
    const char *name, size_t size, uint32_t node);

/* Sets the type, the shape and the place of the bytes of a variable. If `place`
 * is NULL, the file contains no value for it. `strings_size` is the size of a
 * string tensor in a Varve file: 8 bytes for each element plus the bytes of the
 * strings. Fails with VARVE_CORRUPT if the size of the tensor does not fit in
 * 64 bits. vv_draft_end fails if a variable has no type. For a state, call
 * vv_draft_state. */
void vv_draft_value(struct vv_draft *draft, uint32_t node,
    const varve_tensor *type, uint64_t strings_size,
    const struct vv_place *place);

/* Sets the size and the place of the bytes of a state. */
void vv_draft_state(struct vv_draft *draft, uint32_t node, uint64_t size,
    const struct vv_place *place);

/* Sets the global name of a value: the name that identifies it within the file.
 * If two values have the same global name, neither keeps it. */
void vv_draft_global(
    struct vv_draft *draft, uint32_t node, const char *name, size_t size);

void vv_draft_tag(struct vv_draft *draft, uint32_t node, const char *tag);

/* Keeps data of the format about a node, which is needed to write the node
 * again (format_extras.h). At most one call for each node. */
void vv_draft_keep(
    struct vv_draft *draft, uint32_t node, const void *bytes, size_t size);

/* Adds a variable or state of a format that has no graph. The parts of `name`,
 * separated by '/', are its path; missing objects are created. If the name is
 * not a path (it has an empty part, or a prefix of it is a value), the rest of
 * the name, including '/', becomes a single edge of the last object that
 * matches. A name of the form `<owner>/<slot>(<variable>)` adds a slot variable
 * if the two paths lead to an object and a variable. The name also becomes the
 * global name and must be unique (VARVE_CORRUPT). If the name is not valid, the
 * value is listed as left out and the node is unreachable. */
uint32_t vv_draft_path(
    struct vv_draft *draft, varve_kind kind, const char *name, size_t size);

/* Adds another path to a node. Ignored if the name is not valid. */
void vv_draft_alias(
    struct vv_draft *draft, const char *name, size_t size, uint32_t node);

/* Adds text metadata. If a name is added twice, the first text is used. A text
 * that is not UTF-8 or contains NUL, or whose name is not valid, is left
 * out. */
void vv_draft_text(struct vv_draft *draft, const char *name, size_t name_size,
    const char *text, size_t size);

/* Lists a part of the file that is not represented in the graph: its path,
 * which must be valid UTF-8, and a description. Both are copied. */
void vv_draft_leave_out(
    struct vv_draft *draft, const char *path, const char *what);

/* As vv_draft_leave_out, for a name of arbitrary bytes: those that are not
 * printable ASCII are shown as \xNN. If `what` is NULL, the reason is that the
 * name is not valid. */
void vv_draft_leave_out_name(
    struct vv_draft *draft, const char *name, size_t size, const char *what);

/* Records a failure, unless there is one already. */
void vv_draft_fail(struct vv_draft *draft, varve_status status,
    const char *format, ...) VV_PRINTF(3, 4);

/* Builds the index. Drops nodes that are not reachable from the root. Sets the
 * parsed index of `opened`, which must have begun; kept data is renumbered to
 * its nodes. Sets *places to an array of *place_count places, indexed by value;
 * places of values that are not saved are zero. The values are assigned
 * consecutive offsets, as in a Varve file. */
varve_status vv_draft_end(struct vv_draft *draft, struct vv_opened *opened,
    struct vv_place **places, size_t *place_count, varve_error *error);

/* Frees the draft. Valid after success, after a failure and directly after
 * vv_draft_begin. */
void vv_draft_clear(struct vv_draft *draft);

#endif
