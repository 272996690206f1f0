/* pickle_magic.h - how files begin that more than their own format has to know.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SIGN_H
#define VV_SIGN_H

#include <stdbool.h>
#include <stddef.h>

/* So many bytes tell a file that torch.save wrote before torch 1.6. */
enum { VV_TORCH_LEGACY_HEAD = 23 };

/* Whether these are its first, or all that it has. */
bool vv_torch_is_legacy(const unsigned char *head, size_t size);

/* So many bytes determine a tar archive that torch.save wrote before torch
 * 0.1.10: a pax header, its records, and the header of the first member. */
enum { VV_TORCH_TAR_HEAD = 3 * 512 };

/* Returns true if these are its first bytes, or all that it has. */
bool vv_torch_is_tar(const unsigned char *head, size_t size);

/* Whether the metadata of a checkpoint of torch.distributed begins so. */
bool vv_dcp_is_metadata(const unsigned char *head, size_t size);

#endif
