/* remote_list.h - the names in a directory of a bucket (ListObjectsV2).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_LIST_H
#define VV_REMOTE_LIST_H

#include "remote_get.h"

/* As each_name of system.h. One that is not there has no names. */
int vv_remote_list(const struct vv_remote_settings *settings,
    const char *directory, vv_each_name *each, void *user);

/* Calls `each` with the names in a page of a list, without `prefix`, which all
 * begin with; those that are no names of files are passed over. *continued is
 * what the next page is asked for by, to be freed; NULL where there is none.
 * 1 where `each` has ended it; -EIO where it is no list. It is cut up. */
int vv_remote_parse_list(char *page, const char *prefix, vv_each_name *each,
    void *user, char **continued);

#endif
