/* link_check.h - Checks that a file whose name another file contains is in the
 * directory of that file, after links are followed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LINK_CHECK_H
#define VV_LINK_CHECK_H

#include <varve/error.h>

#include "context.h"

/* Returns VARVE_NO_PERMISSION if `path`, a name from the file at `naming`
 * joined to its directory, is a symbolic link out of that directory. Links to
 * files of the directory are allowed. If `naming` itself is a link, files of
 * the directory to which it leads are allowed too: the cache of Hugging Face
 * keeps all files of a model in one directory, and links to them in another.
 * Returns VARVE_OK if there is no such file. The context's `follows_links`
 * allows any link. */
varve_status vv_file_check_directory(const struct vv_context *context,
    const char *naming, const char *path, varve_error *error);

#endif
