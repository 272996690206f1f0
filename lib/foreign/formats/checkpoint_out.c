/* checkpoint_out.c - Selects the writer of a format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "formats.h"

#include "bundle_target.h"
#include "failure.h"
#include "gguf_out.h"
#include "hdf5_out.h"
#include "npy_out.h"
#include "npz_out.h"
#include "safetensors_out.h"
#include "torch_out.h"
#include "try.h"

/* All writable formats except Varve's own. To add one, write a struct
 * vv_target_format and add it here. */
static const struct vv_target_format *const formats[] = {
    &vv_bundle_target,
    &vv_bundle_names_target,
    &vv_safetensors_target,
    &vv_npy_target,
    &vv_npz_target,
    &vv_torch_target,
    &vv_gguf_target,
    &vv_hdf5_target,
};

varve_status vv_target_write(
    const struct vv_target *target, varve_format format, varve_error *error)
{
    if (vv_has_our_ending(target->path))
        return vv_fail(error, VARVE_MISUSE,
            "%s: the name ends with " VARVE_SUFFIX
            ", but `format` is %s: use another name",
            target->path, varve_format_name(format));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i]->format != format)
            continue;
        if (format != VARVE_FORMAT_NPY) /* npy files have no names */
            VV_TRY(vv_target_check_names(target, error));
        return formats[i]->write(target, error);
    }
    return vv_fail(error, VARVE_MISUSE, "%s: the format %s cannot be written",
        target->path, varve_format_name(format));
}
