/* migrate.h - Distributes structs to the processes that own them now
 * (varve/migrating.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MIGRATE_H
#define VV_MIGRATE_H

#include <varve/migrating.h>
#include <varve/rank_local.h>

/* The merge callback of such a node. Clears the structs of the program, reads
 * the parts of all processes and keeps the structs that belong to this process.
 */
varve_status vv_migrate(void *user, varve_node *mine, varve_reader *saved,
    const char *path, size_t count, varve_error *error);

#endif
