/* remote_identity.h - Computes the identity and time of an object for struct
 * vv_file_info, from its headers or from the list of its bucket.
 *
 * Both sources give equal numbers for the same state of an object.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_IDENTITY_H
#define VV_REMOTE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

/* The device of all objects. No local device has this number. */
#define VV_REMOTE_DEVICE UINT64_MAX

/* Returns the serial of an object: a hash of its path, ETag and size, without
 * quotes around the ETag and slashes at the end of the path. A directory has
 * the ETag "" and the size 0. */
uint64_t vv_remote_serial(const char *path, const char *tag, uint64_t size);

/* Parses the header Last-Modified. Returns whole seconds in nanoseconds since
 * 1970-01-01 UTC, or 0 if it is missing or malformed. */
int64_t vv_remote_header_time(const char *date);

/* Parses LastModified of a list: "2026-10-01T10:00:00.000Z", or with "+00:00"
 * instead of "Z". Drops the fraction, because the header has none. Returns 0 if
 * it has another form. */
int64_t vv_remote_list_time(const char *date);

#endif
