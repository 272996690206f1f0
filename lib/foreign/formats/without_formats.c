/* without_formats.c - Takes the place of all formats in a build without the
 * option `formats`: recognizes their files, and refuses to read and write them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "format_choice.h"

#include "failure.h"
#include "signature.h"

#define REMEDY                                                                 \
    "which this build does not support: build Varve with -Dformats=enabled"

varve_status vv_format_open(struct vv_opened *o,
    const struct vv_context *context, const struct vv_candidate *candidate,
    bool *is_known, varve_error *error)
{
    (void)o, (void)context;
    const char *what = vv_format_recognize(candidate);
    *is_known = what != NULL;
    return what ? vv_fail(error, VARVE_TOO_NEW, "%s: %s, " REMEDY,
                      candidate->path, what)
                : VARVE_OK;
}

varve_status vv_target_write(
    const struct vv_target *target, varve_format format, varve_error *error)
{
    return vv_fail(error, VARVE_TOO_NEW, "%s: the format %s, " REMEDY,
        target->path, varve_format_name(format));
}

struct vv_kept *vv_checkpoint_kept(const struct vv_opened *opened)
{
    (void)opened;
    return NULL;
}

varve_format vv_checkpoint_format(const struct vv_opened *opened)
{
    (void)opened;
    return VARVE_FORMAT_VARVE;
}

/* No HDF5 file is opened in any case. */
void varve_forbid_hdf5(void)
{
}
