/* left_out.c - Recognizes formats by signatures at the start and end of files,
 * and by names where there are none.
 *
 * SPDX-License-Identifier: MIT
 */
#include "left_out.h"

#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "name.h"
#include "pickle_magic.h"

/* IS_DEFINED(x) is 1 if the build defines x as 1, else 0; the code below needs
 * no #ifdef. */
#define SECOND(a, b, ...) b
#define IS_ONE(...) SECOND(__VA_ARGS__, 0, 0)
#define COMMA_1 0, 1
#define JOIN(word) COMMA_##word
#define IS_DEFINED(word) IS_ONE(JOIN(word))

/* --- Signatures ----------------------------------------------------------- */

static bool begins(const struct vv_candidate *c, const char *mark, size_t size)
{
    return c->head_size >= size && memcmp(c->head, mark, size) == 0;
}

static bool left_out_is_called(const struct vv_candidate *c, const char *ending)
{
    return vv_text_ends_in(c->path, strlen(c->path), ending);
}

static enum vv_bid sure_if(bool is_one)
{
    return is_one ? VV_BID_SURE : VV_BID_NONE;
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

static enum vv_bid bid_tensorflow(const struct vv_candidate *c)
{
    static const char magic[] = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
    enum { SIZE = sizeof magic - 1 };
    return sure_if(c->tail_size >= SIZE &&
                   memcmp(c->tail + c->tail_size - SIZE, magic, SIZE) == 0);
}

static enum vv_bid bid_safetensors(const struct vv_candidate *c)
{
    enum { SIZE_SIZE = 8 };
    if (left_out_is_called(c, ".safetensors.index.json"))
        return sure_if(begins(c, "{", 1));
    if (c->head_size <= SIZE_SIZE || c->head[SIZE_SIZE] != '{' ||
        vv_load64(c->head) > c->size - SIZE_SIZE)
        return VV_BID_NONE;
    return left_out_is_called(c, ".safetensors") ? VV_BID_SURE : VV_BID_LIKELY;
}

static enum vv_bid bid_numpy(const struct vv_candidate *c)
{
    bool is_archive = begins(c, "PK\3\4", 4) || begins(c, "PK\5\6", 4);
    return sure_if(begins(c, "\x93NUMPY", 6) ||
                   (is_archive && left_out_is_called(c, ".npz")));
}

static enum vv_bid bid_gguf(const struct vv_candidate *c)
{
    return sure_if(begins(c, "GGUF", 4));
}

static enum vv_bid bid_torch(const struct vv_candidate *c)
{
    size_t size;
    const char *first = first_entry(c, &size);
    return sure_if(
        vv_torch_is_legacy(c->head, c->head_size) ||
        vv_torch_is_tar(c->head, c->head_size) ||
        vv_dcp_is_metadata(c->head, c->head_size) ||
        (first && vv_text_ends_in(first, size, "/data.pkl")) ||
        (left_out_is_called(c, ".bin.index.json") && begins(c, "{", 1)));
}

/* The first field of a model is its version. */
static enum vv_bid bid_onnx(const struct vv_candidate *c)
{
    return left_out_is_called(c, ".onnx") && begins(c, "\x08", 1)
               ? VV_BID_LIKELY
               : VV_BID_NONE;
}

/* The file must begin with a map. */
static enum vv_bid bid_flax(const struct vv_candidate *c)
{
    bool is_map =
        c->head_size > 0 && ((c->head[0] & 0xf0) == 0x80 ||
                                c->head[0] == 0xde || c->head[0] == 0xdf);
    return is_map && left_out_is_called(c, ".msgpack") ? VV_BID_LIKELY
                                                       : VV_BID_NONE;
}

static enum vv_bid bid_keras(const struct vv_candidate *c)
{
    static const char name[] = "metadata.json";
    size_t size;
    const char *first = first_entry(c, &size);
    bool is_archive =
        first &&
        (left_out_is_called(c, ".keras") ||
            (size == sizeof name - 1 && memcmp(first, name, size) == 0));
    return sure_if(is_archive || begins(c, "\x89HDF\r\n\x1a\n", 8) ||
                   begins(c, "MATLAB 7.3", 10));
}

/* --- The table ------------------------------------------------------------ */

static const struct vv_format_option options[] = {
    { "tensorflow", "a TensorFlow checkpoint", bid_tensorflow,
        { VARVE_FORMAT_TENSORFLOW, VARVE_FORMAT_TENSORFLOW_NAMES },
        IS_DEFINED(VV_HAVE_TENSORFLOW) },
    { "safetensors", "a safetensors file", bid_safetensors,
        { VARVE_FORMAT_SAFETENSORS }, IS_DEFINED(VV_HAVE_SAFETENSORS) },
    { "numpy", "a NumPy file", bid_numpy,
        { VARVE_FORMAT_NPY, VARVE_FORMAT_NPZ }, IS_DEFINED(VV_HAVE_NUMPY) },
    { "gguf", "a GGUF file", bid_gguf, { VARVE_FORMAT_GGUF },
        IS_DEFINED(VV_HAVE_GGUF) },
    { "torch", "a PyTorch file", bid_torch,
        { VARVE_FORMAT_TORCH, VARVE_FORMAT_DCP }, IS_DEFINED(VV_HAVE_TORCH) },
    { "onnx", "an ONNX model", bid_onnx, { VARVE_FORMAT_ONNX },
        IS_DEFINED(VV_HAVE_ONNX) },
    { "flax", "a Flax file", bid_flax, { VARVE_FORMAT_FLAX },
        IS_DEFINED(VV_HAVE_FLAX) },
    { "keras", "a Keras or HDF5 file", bid_keras, { VARVE_FORMAT_HDF5 },
        IS_DEFINED(VV_HAVE_KERAS) },
};

enum { OPTIONS = sizeof options / sizeof *options };

enum vv_bid vv_format_option_bid(const struct vv_candidate *candidate,
    bool left_out, const struct vv_format_option **option)
{
    enum vv_bid highest = VV_BID_NONE;
    for (size_t i = 0; i < OPTIONS; i++) {
        if (left_out && options[i].is_here)
            continue;
        enum vv_bid bid = options[i].bid(candidate);
        if (bid > highest) {
            highest = bid;
            *option = &options[i];
        }
    }
    return highest;
}

const struct vv_format_option *vv_format_option_of(varve_format format)
{
    if (format == VARVE_FORMAT_VARVE)
        return NULL;
    for (size_t i = 0; i < OPTIONS; i++) {
        if (options[i].formats[0] == format || options[i].formats[1] == format)
            return &options[i];
    }
    return NULL;
}

varve_status vv_format_left_out(
    const struct vv_format_option *option, const char *path, varve_error *error)
{
    return vv_fail(error, VARVE_TOO_NEW,
        "%s: %s, which this build does not support: build Varve with "
        "-D%s=enabled",
        path, option->what, option->name);
}
