/* snapshot_file.h - the calls are public (varve/snapshot.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SNAPSHOT_FILE_H
#define VV_SNAPSHOT_FILE_H

#include <varve/snapshot.h>

#endif
