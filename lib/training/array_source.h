/* array_source.h - records that lie in memory. Its function is
 * varve_records_open_array.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ARRAY_SOURCE_H
#define VV_ARRAY_SOURCE_H

#include <varve/records.h>

#endif
