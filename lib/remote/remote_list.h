/* remote_list.h - Lists the names in a directory of a bucket (ListObjectsV2).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_LIST_H
#define VV_REMOTE_LIST_H

#include "remote_get.h"

/* Like each_name of system.h. A missing directory is empty. */
int vv_remote_list(const struct vv_remote_settings *settings,
    const char *directory, vv_each_name *each, void *user);

/* Calls `each` with the names in a page of the list of `directory`, and skips
 * keys that are not file names. The info of an object has the device, serial,
 * size and time that vv_remote_info returns once it is open; it is NULL if the
 * page lacks one of them. Sets *continued to the token for the next page, to be
 * freed, or to NULL. Returns 1 if `each` ended the listing, and -EIO if the
 * page is not a list. Modifies the page. */
int vv_remote_parse_list(char *page, const char *directory, vv_each_name *each,
    void *user, char **continued);

#endif
