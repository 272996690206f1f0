/* page_out.h - the bytes of a page on their way out, and what is put into it as
 * JSON.
 *
 * The first failure sticks; what follows is a no-op, so that only the end has
 * to be checked.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAGE_OUT_H
#define VV_PAGE_OUT_H

#include <varve/error.h>

#include "buffer.h"

/* Where they go: all of `size` bytes, which lie behind those before. */
typedef varve_status vv_page_sink(
    void *user, const void *bytes, size_t size, varve_error *error);

struct vv_page_out {
    vv_page_sink *sink;
    void *user;
    varve_error *error;
    struct vv_buffer buffer;
    varve_status status;
};

void vv_page_out_begin(
    struct vv_page_out *out, const varve_allocator *allocator);

/* Hands out what is left, and frees. Returns the first failure. */
varve_status vv_page_out_end(struct vv_page_out *out);

/* Notes a failure that has its message already, unless there was one. */
void vv_page_out_fail(struct vv_page_out *out, varve_status status);

/* Text as it is. */
void vv_page_out_text(struct vv_page_out *out, const char *text);

/* A comma but for the first of a list. */
void vv_page_out_comma(struct vv_page_out *out, size_t index);

void vv_page_out_number(struct vv_page_out *out, uint64_t number);

/* A number that reads back as the same; `null` for what is not finite. */
void vv_page_out_real(struct vv_page_out *out, double number);

/* A JSON string. What means something to HTML, steers a terminal or turns the
 * direction of writing is escaped; bytes that are not UTF-8 become U+FFFD. */
void vv_page_out_string(struct vv_page_out *out, const char *text, size_t size);

/* The same of a terminated text; 0 for NULL. */
void vv_page_out_maybe(struct vv_page_out *out, const char *text);

#endif
