/* saver_list.h - the files of a saver: which there are, which stay, and which
 * are to be deleted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_LIST_H
#define VV_SAVER_LIST_H

#include "saver.h"

/* The time of day. */
int64_t vv_saver_now(const varve_saver *saver);

/* Room for one file more, so that noting and retiring cannot fail. */
varve_status vv_saver_reserve(varve_saver *saver, varve_error *error);

/* Takes over a path, copied, as that of the newest file. */
void vv_saver_note(varve_saver *saver, char *path, int64_t when);

/* Deletes what is beyond `keep`, as far as the system lets it. */
void vv_saver_retire(varve_saver *saver);

void vv_saver_clear_list(varve_saver *saver);

#endif
