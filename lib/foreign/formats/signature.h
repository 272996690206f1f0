/* signature.h - Recognizes files in other formats by signatures, without the
 * code that reads them.
 *
 * To add a format, add a line to the table in signature.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SIGNATURE_H
#define VV_SIGNATURE_H

#include "foreign_format.h"

/* Returns a description of a file, such as "a TensorFlow checkpoint", or NULL
 * if it has no signature of a format that Varve can read. */
const char *vv_format_recognize(const struct vv_candidate *candidate);

#endif
