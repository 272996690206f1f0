/* signature.c - Recognizes formats by signatures at the start and end of files,
 * and by names where there are none.
 *
 * SPDX-License-Identifier: MIT
 */
#include "signature.h"

#include <string.h>

#include "bytes.h"
#include "name.h"
#include "magic_bytes.h"

/* --- Signatures ----------------------------------------------------------- */

static bool begins(const struct vv_candidate *c, const char *mark, size_t size)
{
    return c->head_size >= size && memcmp(c->head, mark, size) == 0;
}

static bool path_ends_in(const struct vv_candidate *c, const char *ending)
{
    return vv_text_ends_in(c->path, strlen(c->path), ending);
}

static enum vv_probe_result sure_if(bool is_one)
{
    return is_one ? VV_PROBE_SURE : VV_PROBE_NONE;
}

/* Returns the name of the first entry of a zip archive, or NULL. */
static const char *first_entry(const struct vv_candidate *c, size_t *size)
{
    enum { LOCAL_SIZE = 30, AT_SIZE = 26 };
    if (c->head_size < LOCAL_SIZE || !begins(c, "PK\3\4", 4))
        return NULL;
    *size = (size_t)c->head[AT_SIZE] | (size_t)c->head[AT_SIZE + 1] << 8;
    return *size <= c->head_size - LOCAL_SIZE
               ? (const char *)c->head + LOCAL_SIZE
               : NULL;
}

static enum vv_probe_result probe_tensorflow(const struct vv_candidate *c)
{
    static const char magic[] = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
    enum { SIZE = sizeof magic - 1 };
    return sure_if(c->tail_size >= SIZE &&
                   memcmp(c->tail + c->tail_size - SIZE, magic, SIZE) == 0);
}

static enum vv_probe_result probe_safetensors(const struct vv_candidate *c)
{
    enum { SIZE_SIZE = 8 };
    if (path_ends_in(c, ".safetensors.index.json"))
        return sure_if(begins(c, "{", 1));
    if (c->head_size <= SIZE_SIZE || c->head[SIZE_SIZE] != '{' ||
        vv_load64(c->head) > c->size - SIZE_SIZE)
        return VV_PROBE_NONE;
    return path_ends_in(c, ".safetensors") ? VV_PROBE_SURE : VV_PROBE_LIKELY;
}

static enum vv_probe_result probe_numpy(const struct vv_candidate *c)
{
    bool is_archive = begins(c, "PK\3\4", 4) || begins(c, "PK\5\6", 4);
    return sure_if(
        begins(c, "\x93NUMPY", 6) || (is_archive && path_ends_in(c, ".npz")));
}

static enum vv_probe_result probe_gguf(const struct vv_candidate *c)
{
    return sure_if(begins(c, "GGUF", 4));
}

static enum vv_probe_result probe_torch(const struct vv_candidate *c)
{
    size_t size;
    const char *first = first_entry(c, &size);
    return sure_if(vv_torch_is_legacy(c->head, c->head_size) ||
                   vv_torch_is_tar(c->head, c->head_size) ||
                   vv_dcp_is_metadata(c->head, c->head_size) ||
                   (first && vv_text_ends_in(first, size, "/data.pkl")) ||
                   (path_ends_in(c, ".bin.index.json") && begins(c, "{", 1)));
}

/* The first field of a model is its version. */
static enum vv_probe_result probe_onnx(const struct vv_candidate *c)
{
    return path_ends_in(c, ".onnx") && begins(c, "\x08", 1) ? VV_PROBE_LIKELY
                                                            : VV_PROBE_NONE;
}

/* The file must begin with a map. */
static enum vv_probe_result probe_flax(const struct vv_candidate *c)
{
    bool is_map =
        c->head_size > 0 && ((c->head[0] & 0xf0) == 0x80 ||
                                c->head[0] == 0xde || c->head[0] == 0xdf);
    return is_map && path_ends_in(c, ".msgpack") ? VV_PROBE_LIKELY
                                                 : VV_PROBE_NONE;
}

static enum vv_probe_result probe_keras(const struct vv_candidate *c)
{
    static const char name[] = "metadata.json";
    size_t size;
    const char *first = first_entry(c, &size);
    bool is_archive =
        first &&
        (path_ends_in(c, ".keras") ||
            (size == sizeof name - 1 && memcmp(first, name, size) == 0));
    return sure_if(is_archive || begins(c, "\x89HDF\r\n\x1a\n", 8) ||
                   begins(c, "MATLAB 7.3", 10));
}

/* --- Names ---------------------------------------------------------------- */

static const struct signature {
    const char *what;
    enum vv_probe_result (*probe)(const struct vv_candidate *candidate);
} signatures[] = {
    { "a TensorFlow checkpoint", probe_tensorflow },
    { "a safetensors file", probe_safetensors },
    { "a NumPy file", probe_numpy },
    { "a GGUF file", probe_gguf },
    { "a PyTorch file", probe_torch },
    { "an ONNX model", probe_onnx },
    { "a Flax file", probe_flax },
    { "a Keras or HDF5 file", probe_keras },
};

/* The first of equal bids wins. */
const char *vv_format_recognize(const struct vv_candidate *candidate)
{
    enum vv_probe_result highest = VV_PROBE_NONE;
    const char *what = NULL;
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        enum vv_probe_result result = signatures[i].probe(candidate);
        if (result > highest) {
            highest = result;
            what = signatures[i].what;
        }
    }
    return what;
}

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
