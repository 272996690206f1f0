/* checkpoint_out.c - who writes which format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "checkpoint_out.h"

#include "bundle_target.h"
#include "failure.h"
#include "npy_out.h"
#include "npz_out.h"
#include "safetensors_out.h"
#include "try.h"

/* Every format that is written besides ours. */
static const struct vv_target_format *const formats[] = {
    &vv_bundle_target,
    &vv_bundle_names_target,
    &vv_safetensors_target,
    &vv_npy_target,
    &vv_npz_target,
};

enum { FORMATS = sizeof formats / sizeof *formats };

static const char *const names[] = {
    [VARVE_FORMAT_VARVE] = "varve",
    [VARVE_FORMAT_TENSORFLOW] = "tensorflow",
    [VARVE_FORMAT_TENSORFLOW_NAMES] = "tensorflow-names",
    [VARVE_FORMAT_SAFETENSORS] = "safetensors",
    [VARVE_FORMAT_NPY] = "npy",
    [VARVE_FORMAT_NPZ] = "npz",
    [VARVE_FORMAT_GGUF] = "gguf",
};

const char *varve_format_name(varve_format format)
{
    size_t number = (size_t)format;
    return number < sizeof names / sizeof *names ? names[number] : "unknown";
}

varve_status vv_target_write(
    const struct vv_target *target, varve_format format, varve_error *error)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i]->format != format)
            continue;
        if (format != VARVE_FORMAT_NPY) /* which has no names */
            VV_TRY(vv_target_check_names(target, error));
        return formats[i]->write(target, error);
    }
    return vv_fail(error, VARVE_MISUSE,
        "%s: expected a format that is written, found %s", target->path,
        varve_format_name(format));
}
