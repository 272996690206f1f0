/* format.h - the formats that checkpoints are read and written in.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_FORMAT_H
#define VARVE_FORMAT_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Whose format a checkpoint is in. docs/foreign.md says what each can hold. */
typedef enum varve_format {
    VARVE_FORMAT_VARVE = 0,            /* one file; nothing is lost in it */
    VARVE_FORMAT_TENSORFLOW = 1,       /* object-based: `path.index` and
                                          `path.data-00000-of-00001` */
    VARVE_FORMAT_TENSORFLOW_NAMES = 2, /* the same files, name-based */
    VARVE_FORMAT_SAFETENSORS = 3,
    VARVE_FORMAT_NPY = 4, /* one NumPy array */
    VARVE_FORMAT_NPZ = 5, /* a zip archive of NumPy arrays */
    VARVE_FORMAT_GGUF = 6,
    VARVE_FORMAT_TORCH = 7, /* of torch.save */
    VARVE_FORMAT_ONNX = 8,  /* is only read */
    VARVE_FORMAT_FLAX = 9,  /* msgpack of Flax (JAX); is only read */
    VARVE_FORMAT_DCP = 10,  /* of torch.distributed.checkpoint; is only read */
    VARVE_FORMAT_HDF5 = 11  /* of h5py, Keras and others, by libhdf5 */
} varve_format;

/* Its name in small: "tensorflow-names"; "unknown" for any other number. */
VARVE_API const char *varve_format_name(varve_format format);

/* Forbids the process to read HDF5 files: each later call that would open one
 * fails with VARVE_NOT_A_CHECKPOINT, as with `foreign.no_hdf5`. libhdf5 crashes
 * or does not terminate on some damaged files (SECURITY.md). HDF5 files can
 * still be written. The call cannot be undone. It may be called from any thread
 * at any time. Files that are open stay open. */
VARVE_API void varve_forbid_hdf5(void);

VARVE_END_DECLS

#endif
