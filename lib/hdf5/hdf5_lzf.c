/* hdf5_lzf.c - Decompresses chunks in the format of LibLZF: runs of literal
 * bytes, and copies of bytes up to 8 KiB before.
 *
 * A chunk is read twice. The first pass checks every copy and computes the size
 * of the result. The second pass needs no checks, and allocates this size,
 * whatever size the file claims.
 *
 * libhdf5 reads the size of a whole chunk from the result and does not compare
 * the sizes. A result that is too short is therefore an error here.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_lzf.h"

#include <string.h>

#include "hdf5_file.h"

enum { NUMBER = 32000, SHORTEST_COPY = 2, LONG_COPY = 7, FIRST_COPY = 32 };

/* The size of a chunk in bytes while this module reads a dataset, otherwise 0.
 * Protected by the lock of hdf5_file.c. */
static size_t chunk_size;

struct step {
    size_t size;     /* size of its output */
    size_t distance; /* distance to the bytes to copy; 0: literal bytes */
    const unsigned char *literal;
};

/* Decodes one step at *at and advances *at. Returns false if the input ends
 * within it. */
static bool take_step(
    const unsigned char **at, const unsigned char *end, struct step *step)
{
    const unsigned char *in = *at;
    unsigned control = *in++;
    *step = (struct step){ .size = control + 1, .literal = in };
    if (control < FIRST_COPY) {
        *at = in + step->size;
        return step->size <= (size_t)(end - in);
    }
    step->size = control >> 5;
    if (step->size == LONG_COPY) {
        if (in == end)
            return false;
        step->size += *in++;
    }
    if (in == end)
        return false;
    step->size += SHORTEST_COPY;
    step->distance = ((size_t)(control & 31) << 8 | *in++) + 1;
    *at = in;
    return true;
}

/* Returns the size of the decompressed chunk, or 0 if it is damaged. */
static size_t hdf5_lzf_measure(
    const unsigned char *in, const unsigned char *end)
{
    size_t size = 0;
    struct step step;
    while (in < end) {
        if (!take_step(&in, end, &step) || step.distance > size)
            return 0;
        size += step.size;
    }
    return size;
}

static void hdf5_lzf_unpack(
    const unsigned char *in, const unsigned char *end, unsigned char *out)
{
    struct step step;
    while (in < end && take_step(&in, end, &step)) {
        if (step.distance == 0)
            memcpy(out, step.literal, step.size);
        /* Source and destination of a copy may overlap. */
        for (size_t i = 0; step.distance > 0 && i < step.size; i++)
            out[i] = out[i - step.distance];
        out += step.size;
    }
}

/* Returns the minimum size of the result. If the chunk size is not set, another
 * reader of the process uses the filter; then it is the size that h5py stores
 * with the filter. */
static size_t hdf5_lzf_least_size(size_t count, const unsigned *values)
{
    enum { OF_CHUNK = 2 };
    return chunk_size > 0     ? chunk_size
           : count > OF_CHUNK ? values[OF_CHUNK]
                              : SIZE_MAX;
}

static size_t filter(unsigned flags, size_t count, const unsigned *values,
    size_t size, size_t *room, void **bytes)
{
    const unsigned char *in = *bytes;
    size_t made =
        flags & H5Z_FLAG_REVERSE ? hdf5_lzf_measure(in, in + size) : 0;
    bool is_whole = made > 0 && made >= hdf5_lzf_least_size(count, values);
    unsigned char *out = is_whole ? H5allocate_memory(made, false) : NULL;
    if (!out)
        return 0;
    hdf5_lzf_unpack(in, in + size, out);
    H5free_memory(*bytes);
    *bytes = out;
    *room = made;
    return made;
}

static const H5Z_class2_t class = {
    .version = H5Z_CLASS_T_VERS,
    .id = NUMBER,
    .decoder_present = 1,
    .name = "lzf",
    .filter = filter,
};

void vv_hdf5_lzf_expect(size_t size)
{
    chunk_size = size;
}

void vv_hdf5_use_lzf(void)
{
    unsigned plugins = 0;
    /* Disables the search for plugins, which H5Zfilter_avail would do. */
    bool has_plugins =
        H5PLget_loading_state(&plugins) >= 0 && H5PLset_loading_state(0) >= 0;
    if (H5Zfilter_avail(NUMBER) <= 0)
        H5Zregister(&class);
    if (has_plugins)
        H5PLset_loading_state(plugins);
}
