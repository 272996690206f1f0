/* read_back.h - no test of a writer ends without reading what it wrote.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_READ_BACK_H
#define UNIT_READ_BACK_H

#include "reader.h"
#include "support/test.h"

/* What was written is opened, and every byte of it verified, each time. */
static inline void read_back(
    const struct vv_context *context, const char *path)
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(context, path, &error);
    cr_assert(reader, "cannot be read back: %s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
}

#endif
