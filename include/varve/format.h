/* format.h - Lists the file formats that Varve reads and writes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_FORMAT_H
#define VARVE_FORMAT_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* The format of a checkpoint. docs/foreign.md lists the contents that each
 * format can represent. */
typedef enum varve_format {
    VARVE_FORMAT_VARVE = 0,            /* Varve's own format: one file, without
                                          loss */
    VARVE_FORMAT_TENSORFLOW = 1,       /* TensorFlow, object-based: `path.index`
                                          and `path.data-00000-of-00001` */
    VARVE_FORMAT_TENSORFLOW_NAMES = 2, /* the same files, name-based */
    VARVE_FORMAT_SAFETENSORS = 3,
    VARVE_FORMAT_NPY = 4, /* one NumPy array */
    VARVE_FORMAT_NPZ = 5, /* a zip archive of NumPy arrays */
    VARVE_FORMAT_GGUF = 6,
    VARVE_FORMAT_TORCH = 7, /* PyTorch, torch.save */
    VARVE_FORMAT_ONNX = 8,  /* read only */
    VARVE_FORMAT_FLAX = 9,  /* Flax (JAX), msgpack; read only */
    VARVE_FORMAT_DCP = 10,  /* torch.distributed.checkpoint; read only */
    VARVE_FORMAT_HDF5 = 11  /* HDF5, as h5py, Keras and other programs write it;
                               needs libhdf5 */
} varve_format;

/* Returns the name of a format in lower case, such as "tensorflow-names".
 *
 * The string is static. For any other number the result is "unknown". */
VARVE_API const char *varve_format_name(varve_format format);

/* Prevents this process from reading HDF5 files.
 *
 * Each later call that would open an HDF5 file returns VARVE_NOT_A_CHECKPOINT,
 * as with the option `foreign.no_hdf5`. libhdf5 crashes or does not terminate
 * on some damaged files (SECURITY.md). HDF5 files can still be written. Files
 * that are open stay open. The call cannot be undone.
 *
 * Thread-safe. */
VARVE_API void varve_forbid_hdf5(void);

VARVE_END_DECLS

#endif
