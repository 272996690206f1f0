/* draft.h - what a file of another format holds, added piece by piece in any
 * order; then an index like that of a file of ours, checked by the same rules.
 *
 *     begin; node, edge, slot, value, path, ...; end
 *
 * The first failure sticks, and what follows it is a no-op, so that only the
 * end has to be checked; `failed` may be asked to stop early. Names are copied.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_H
#define VV_DRAFT_H

#include <varve/error.h>

#include "arena.h"
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
        struct vv_buffer parts[VV_DRAFT_PARTS]; /* the same, as one */
    };
    bool failed;
    struct vv_buffer left_out, left_out_texts; /* as of opened.h */
    /* to fill in */
    struct vv_kept kept;
    uint64_t room;    /* bytes of all files, set before the end: what
                         flat names may cost is bound by it */
    uint64_t counter; /* the save counter; 0: none */
    bool has_labels;  /* global names are labels of nodes that the format finds
                         by paths; else they are the keys of values */
    /* own */
    const char *path;  /* of the file, for messages */
    varve_error error; /* once it has failed */
    struct vv_arena strings;
};

/* Node 0, the root, is there already. */
void vv_draft_begin(
    struct vv_draft *draft, const struct vv_context *context, const char *path);

/* A further node: an object, a variable or a state. Its number. */
uint32_t vv_draft_node(struct vv_draft *draft, varve_kind kind);

/* An edge. Fails for a name that is not valid (VARVE_BAD_NAME). That names are
 * unique at a node is found at the end (VARVE_CORRUPT). */
void vv_draft_edge(struct vv_draft *draft, uint32_t parent, const char *name,
    size_t size, uint32_t child);

/* A slot variable. The owner is an object, the other two are variables. */
void vv_draft_slot(struct vv_draft *draft, uint32_t owner, uint32_t variable,
    const char *name, size_t size, uint32_t node);

/* The type and shape of a variable, and where its bytes are; NULL: it is known
 * and has no value in the file. `strings_size` is what the elements of a string
 * tensor take in a file of ours: 8 bytes each, and their bytes. The shape must
 * be one whose size 64 bits hold (VARVE_CORRUPT). A variable without this is of
 * no type and fails at the end; a state has vv_draft_state. */
void vv_draft_value(struct vv_draft *draft, uint32_t node,
    const varve_tensor *type, uint64_t strings_size,
    const struct vv_place *place);

/* The bytes of a state. */
void vv_draft_state(struct vv_draft *draft, uint32_t node, uint64_t size,
    const struct vv_place *place);

/* The name that a value has in its file as a whole. Where two values have the
 * same, neither gets it; one with an empty part is none. */
void vv_draft_global(
    struct vv_draft *draft, uint32_t node, const char *name, size_t size);

void vv_draft_tag(struct vv_draft *draft, uint32_t node, const char *tag);

/* What the format keeps of a node to write it again (format_extras.h); once a
 * node. */
void vv_draft_keep(
    struct vv_draft *draft, uint32_t node, const void *bytes, size_t size);

/* For formats without a graph: a new variable or state at the path that `name`
 * is, its parts separated by '/'. Objects between are made. A name that is no
 * path (an empty part, or one that is a value already) hangs as one edge, '/'
 * and all, at the last object that fits. One of the form
 * `<owner>/<slot>(<variable>)`, where the two lead to an object and a variable,
 * is a slot variable. The name is the global name too, and unique
 * (VARVE_CORRUPT). A name that is not valid is listed as left out, and nothing
 * leads to the node. */
uint32_t vv_draft_path(
    struct vv_draft *draft, varve_kind kind, const char *name, size_t size);

/* A further path that leads to a node, if it is a valid name. */
void vv_draft_alias(
    struct vv_draft *draft, const char *name, size_t size, uint32_t node);

/* Text metadata. Of a name that comes twice the first counts. A text that is
 * not UTF-8, or that has a NUL, is left out, and so is one under a name that is
 * not valid. */
void vv_draft_text(struct vv_draft *draft, const char *name, size_t name_size,
    const char *text, size_t size);

/* Lists a part of the file that is in no node, value or text: its path, valid
 * UTF-8, and a description. Both are copied. */
void vv_draft_leave_out(
    struct vv_draft *draft, const char *path, const char *what);

/* The same for a name as the file has it, whatever its bytes are: those beyond
 * ASCII are shown as \xNN. `what` NULL: the reason is that it is not valid. */
void vv_draft_leave_out_name(
    struct vv_draft *draft, const char *name, size_t size, const char *what);

/* Notes a failure, unless there is one. Its message: `where: expected this,
 * found that`. */
void vv_draft_fail(struct vv_draft *draft, varve_status status,
    const char *format, ...) VV_PRINTF(3, 4);

/* Whatever cannot be reached from the root is left out. Sets the parsed index
 * of `opened`, which has begun (what was kept has its numbers from then on),
 * and its places: an array of `*place_count` by value (those that are not saved
 * are zero). The values lie in a range of offsets of their own, as a file of
 * ours would have them. */
varve_status vv_draft_end(struct vv_draft *draft, struct vv_opened *opened,
    struct vv_place **places, size_t *place_count, varve_error *error);

/* Frees everything; after success, failure or begin alone. */
void vv_draft_clear(struct vv_draft *draft);

#endif
