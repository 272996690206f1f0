/* checkpoint_out.c - Selects the writer of a format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "checkpoint_out.h"

#include "bundle_target.h"
#include "checkpoint_find.h"
#include "failure.h"
#include "gguf_out.h"
#include "hdf5_out.h"
#include "left_out.h"
#include "npy_out.h"
#include "npz_out.h"
#include "safetensors_out.h"
#include "torch_out.h"
#include "try.h"

/* All writable formats except Varve's own. */
static const struct vv_target_format *const formats[] = {
#ifdef VV_HAVE_TENSORFLOW
    &vv_bundle_target,
    &vv_bundle_names_target,
#endif
#ifdef VV_HAVE_SAFETENSORS
    &vv_safetensors_target,
#endif
#ifdef VV_HAVE_NUMPY
    &vv_npy_target,
    &vv_npz_target,
#endif
#ifdef VV_HAVE_TORCH
    &vv_torch_target,
#endif
#ifdef VV_HAVE_GGUF
    &vv_gguf_target,
#endif
#ifdef VV_HAVE_KERAS
    &vv_hdf5_target,
#endif
    NULL,
};

/* A format without a case below is a compile-time error. */
#pragma GCC diagnostic error "-Wswitch"
const char *varve_format_name(varve_format format)
{
    switch (format) {
    case VARVE_FORMAT_VARVE: return "varve";
    case VARVE_FORMAT_TENSORFLOW: return "tensorflow";
    case VARVE_FORMAT_TENSORFLOW_NAMES: return "tensorflow-names";
    case VARVE_FORMAT_SAFETENSORS: return "safetensors";
    case VARVE_FORMAT_NPY: return "npy";
    case VARVE_FORMAT_NPZ: return "npz";
    case VARVE_FORMAT_GGUF: return "gguf";
    case VARVE_FORMAT_TORCH: return "torch";
    case VARVE_FORMAT_ONNX: return "onnx";
    case VARVE_FORMAT_FLAX: return "flax";
    case VARVE_FORMAT_DCP: return "dcp";
    case VARVE_FORMAT_HDF5: return "hdf5";
    }
    return "unknown";
}

varve_status vv_target_write(
    const struct vv_target *target, varve_format format, varve_error *error)
{
    if (vv_has_our_ending(target->path))
        return vv_fail(error, VARVE_MISUSE,
            "%s: the name ends with " VARVE_SUFFIX
            ", but `format` is %s: use another name",
            target->path, varve_format_name(format));
    for (size_t i = 0; formats[i]; i++) {
        if (formats[i]->format != format)
            continue;
        if (format != VARVE_FORMAT_NPY) /* npy files have no names */
            VV_TRY(vv_target_check_names(target, error));
        return formats[i]->write(target, error);
    }
    const struct vv_format_option *option = vv_format_option_of(format);
    if (option && !option->is_here)
        return vv_format_left_out(option, target->path, error);
    return vv_fail(error, VARVE_MISUSE, "%s: the format %s cannot be written",
        target->path, varve_format_name(format));
}
