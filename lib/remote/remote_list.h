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

/* Calls `each` with the names that a page of the list of `directory` has in it,
 * and passes over keys that are no names of files. The info of an object has
 * the device, serial, size and time that vv_remote_info gives once it is open;
 * it is NULL where the page lacks one of them. *continued asks for the next
 * page, to be freed; NULL where there is none. 1 where `each` has ended it;
 * -EIO where it is no list. The page is cut up. */
int vv_remote_parse_list(char *page, const char *directory, vv_each_name *each,
    void *user, char **continued);

#endif
