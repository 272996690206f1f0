/* magic_bytes.h - Recognizes files by their first bytes, for several formats.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MAGIC_BYTES_H
#define VV_MAGIC_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* The number of bytes needed to recognize a file that torch.save wrote before
 * torch 1.6. */
enum { VV_TORCH_LEGACY_HEAD = 23 };

/* Returns true if these are the first bytes of such a file. `head` may be
 * shorter. */
bool vv_torch_is_legacy(const unsigned char *head, size_t size);

/* This number of bytes identifies a tar archive that torch.save wrote before
 * torch 0.1.10: a pax header, its records, and the header of the first member.
 */
enum { VV_TORCH_TAR_HEAD = 3 * 512 };

/* Returns true if `head` is the beginning of such an archive, or all of a
 * shorter one. */
bool vv_torch_is_tar(const unsigned char *head, size_t size);

/* Returns true if these are the first bytes of the metadata of a checkpoint of
 * torch.distributed. */
bool vv_dcp_is_metadata(const unsigned char *head, size_t size);

/* The number of bytes that identifies a Git LFS pointer. */
enum { VV_LFS_POINTER_HEAD = 40 };

/* Returns true if these are the first bytes of a Git LFS pointer, which takes
 * the place of a file that has not been fetched. */
bool vv_is_lfs_pointer(const void *head, size_t size);

#endif
