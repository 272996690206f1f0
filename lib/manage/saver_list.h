/* saver_list.h - Lists the files of a saver, and deletes those that are not
 * kept.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_LIST_H
#define VV_SAVER_LIST_H

#include "saver.h"

/* Returns the time of day. */
int64_t vv_saver_now(const varve_saver *saver);

/* Reserves memory for one more file, so that vv_saver_note and vv_saver_retire
 * cannot fail. */
varve_status vv_saver_reserve(varve_saver *saver, varve_error *error);

/* Adds a path as the newest file. Takes ownership of `path`. */
void vv_saver_note(varve_saver *saver, char *path, int64_t when);

/* Deletes the files beyond `keep`, if the system permits it. */
void vv_saver_retire(varve_saver *saver);

void vv_saver_clear_list(varve_saver *saver);

#endif
