/* read_back.h - Verifies every file that a test of a writer has written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_READ_BACK_H
#define UNIT_READ_BACK_H

#include "reader.h"
#include "support/test.h"

/* Opens the file and verifies every byte. */
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
