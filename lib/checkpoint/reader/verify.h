/* verify.h - varve_reader_verify is public (varve/reader.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VERIFY_H
#define VV_VERIFY_H

#include <varve/reader.h>

#endif
