/* page_notes.h - what a caller says of nodes, and of what the file does not
 * have, as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAGE_NOTES_H
#define VV_PAGE_NOTES_H

#include <varve/page.h>

#include "page_out.h"

enum { VV_PAGE_MOST_MARKS = 32 };

/* VARVE_MISUSE where marks are too many or have no name. */
varve_status vv_page_check_options(
    const varve_page_options *options, varve_error *error);

/* The members of an object, without a comma behind the last: the marks, the
 * notes of all nodes, the rows. Each callback is called here. */
void vv_page_add_notes(struct vv_page_out *out, varve_reader *reader,
    const varve_page_options *options);

#endif
