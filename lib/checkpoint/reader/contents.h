/* contents.h - all values of a file, one after the other: varve_reader_each,
 * varve_reader_digest.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CONTENTS_H
#define VV_CONTENTS_H

#include <varve/reader.h>

#endif
