/* safetensors_string.h - Writes a string as text metadata, and reads it back as
 * a variable.
 *
 * The format has no tensors of strings. The text of a string has the name
 * "varve:string:" and the name of the value. Only single strings of UTF-8
 * without NUL, of at most 64 KiB, are written, up to 4 MiB in all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_STRING_H
#define VV_SAFETENSORS_STRING_H

#include "draft.h"
#include "foreign.h"
#include "target.h"

#define VV_SAFETENSORS_STRING "varve:string:"

enum { VV_SAFETENSORS_STRING_SIZE = sizeof VV_SAFETENSORS_STRING - 1 };

/* Sets *text to the text of a value, valid until the next value is read, and
 * to NULL if the value is no such string. */
varve_status vv_safetensors_string_of(const struct vv_target *target,
    uint32_t value, const char **text, size_t *size, varve_error *error);

/* Adds a string variable to the draft. Returns false if out of memory. */
bool vv_safetensors_add_string(struct vv_foreign *foreign,
    struct vv_draft *draft, const char *name, size_t name_size,
    const char *text, size_t size);

#endif
