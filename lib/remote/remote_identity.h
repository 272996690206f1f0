/* remote_identity.h - gives an object of a store the identity and the time that
 * struct vv_file_info has, from its headers or from the list of its bucket.
 *
 * Both sources give equal numbers for one state of an object.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_IDENTITY_H
#define VV_REMOTE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

/* The device of every object. No device of a machine has this number. */
#define VV_REMOTE_DEVICE UINT64_MAX

/* The serial of an object: a hash of its path, ETag and size. Quotes around the
 * ETag and slashes at the end of the path do not count. A directory has the
 * ETag "" and the size 0. */
uint64_t vv_remote_serial(const char *path, const char *tag, uint64_t size);

/* Last-Modified, a header. Nanoseconds since 1970-01-01 UTC, of whole seconds;
 * 0 where there is none, or one that cannot be parsed. */
int64_t vv_remote_header_time(const char *date);

/* LastModified of a list: "2026-10-01T10:00:00.000Z". "+00:00" may replace the
 * "Z". The fraction is cut off, because the header has none. 0 where it has
 * another form. */
int64_t vv_remote_list_time(const char *date);

#endif
