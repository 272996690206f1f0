/* beside.h - whether a file that another file names lies in the directory of
 * that one, when links are followed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BESIDE_H
#define VV_BESIDE_H

#include <varve/error.h>

#include "context.h"

/* VARVE_NO_PERMISSION where `path`, a name from the file at `naming` joined to
 * its directory, is a symbolic link out of that directory. A link to a file of
 * the directory is allowed. So is one to the directory to which `naming` itself
 * is a link: the cache of Hugging Face has all files of a model in one
 * directory, and links to them in another. VARVE_OK also where there is no such
 * file. The context's `follows_links` allows any link. */
varve_status vv_file_check_beside(const struct vv_context *context,
    const char *naming, const char *path, varve_error *error);

#endif
