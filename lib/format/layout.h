/* layout.h - Defines version 1 of the file format; docs/format.md specifies it.
 *
 *   header     64 bytes
 *   data       the values in order of their nodes, zero bytes between them
 *   index      deterministic CBOR, at a multiple of 64
 *   footer     64 bytes, the end of the file
 *
 *   header  at  0  magic, 8 bytes        footer  at  0  index offset, u64
 *               8  version, u32                       8  index size, u64
 *              12  zero, u32                         16  index digest, 16 bytes
 *              16  nonce, 16 bytes                   32  file size, u64
 *              32  zero, 24 bytes                    40  nonce, first 8 bytes
 *              56  XXH3-64 of 0..55                  48  XXH3-64 of 0..47
 *                                                    56  magic, 8 bytes
 *
 * Numbers are little-endian; digests are XXH3-128 in canonical (big-endian)
 * form. The nonce is the digest of the index, so that the parts of two files
 * never pass for one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYOUT_H
#define VV_LAYOUT_H

#include <stdint.h>

#define VV_HEADER_MAGIC "\x89VRV\r\n\x1a\n"
#define VV_FOOTER_MAGIC                                                        \
    "VRV\x89"                                                                  \
    "end\n"

/* A layer contains only data, of checkpoints that are beside its folder. It has
 * a header as above with its own magic and nonce, the data, and
 *
 *   footer  at  0  nonce, 16 bytes
 *              16  file size, u64
 *              24  1 if it was not synced, else 0, u32
 *              28  zero, 20 bytes
 *              48  XXH3-64 of 0..47
 *              56  magic, 8 bytes */
#define VV_LAYER_MAGIC "\x89VRD\r\n\x1a\n"
#define VV_LAYER_END_MAGIC                                                     \
    "VRD\x89"                                                                  \
    "end\n"
#define VV_LAYER_FOLDER "layers"
#define VV_LAYER_ENDING ".data"
#define VV_LAYER_SHARED                                                        \
    "shared" /* layers of other directories are there too                      \
              */

enum {
    VV_FORMAT_VERSION = 1,
    VV_HEADER_SIZE = 64,
    VV_FOOTER_SIZE = 64,
    /* largest number of bytes of a value under one digest */
    VV_CHUNK_SIZE = 1 << 20,
    VV_ALIGNMENT = 64, /* of the index, and of values of at least this size */
    VV_SMALL_ALIGNMENT = 8,   /* of smaller values */
    VV_PAGE_ALIGNMENT = 4096, /* of values of at least VV_PAGED_SIZE bytes */
    VV_PAGED_SIZE = 64 * 1024,
    VV_DIGEST_SIZE = 16,
    VV_REAL_TAG = 86, /* of a float64 in the metadata */
    VV_NONCE_SIZE = 16,
    VV_MOST_LAYERS = 256, /* that an index can name */
};

/* Keys of the index, a CBOR map. A reader must refuse a file that contains an
 * unknown key below VV_FIRST_OPTIONAL_KEY, and must skip later unknown keys.
 * Columns are byte strings tagged as typed arrays (RFC 8746: tag 64 is uint8,
 * 70 is uint32 and 71 is uint64, little-endian); digests and names are plain
 * byte strings. */
enum vv_index_key {
    VV_KEY_NAMES = 0,           /* bytes of all names, sorted, end to end */
    VV_KEY_NAME_ENDS = 1,       /* u32: end of each name */
    VV_KEY_NODE_KINDS = 2,      /* u8: varve_kind of each node */
    VV_KEY_NODE_EDGE_ENDS = 3,  /* u32: cumulative number of edges, by node */
    VV_KEY_EDGE_NAMES = 4,      /* u32: name of each edge */
    VV_KEY_EDGE_CHILDREN = 5,   /* u32: node of each edge */
    VV_KEY_VALUE_NODES = 6,     /* u32: node of each value, increasing */
    VV_KEY_VALUE_DTYPES = 7,    /* u8 */
    VV_KEY_VALUE_RANKS = 8,     /* u8 */
    VV_KEY_VALUE_EXTENTS = 9,   /* u64: shapes, concatenated */
    VV_KEY_VALUE_OFFSETS = 10,  /* u64: offset in the file; 0: not saved */
    VV_KEY_VALUE_SIZES = 11,    /* u64: bytes */
    VV_KEY_DIGESTS = 12,        /* 16 bytes for each chunk of each value */
    VV_KEY_SLOT_OWNERS = 13,    /* u32: node */
    VV_KEY_SLOT_VARIABLES = 14, /* u32: node */
    VV_KEY_SLOT_NAMES = 15,     /* u32: name */
    VV_KEY_SLOT_NODES = 16,     /* u32: node */
    /* 16 bytes for each layer; 17 to 21 exist if the data is in layers */
    VV_KEY_LAYER_NONCES = 17,
    VV_KEY_LAYER_SIZES = 18, /* u64: bytes of the file */
    /* u64: offset in the data at which a place starts */
    VV_KEY_PLACE_BEGINS = 19,
    /* u32: the layer that contains it; 2^32 - 1: none, it is zeros */
    VV_KEY_PLACE_LAYERS = 20,
    VV_KEY_PLACE_OFFSETS = 21, /* u64: offset in the layer */
    /* u32: size of the compressed frame; 0: not compressed; 22 to 25 exist if a
     * place is compressed */
    VV_KEY_PLACE_PACKED = 22,
    VV_KEY_PLACE_PLAIN = 23, /* u32: decompressed size of the frame */
    /* u32: offset of the place in the decompressed bytes */
    VV_KEY_PLACE_SKIPS = 24,
    VV_KEY_PLACE_PLANES = 25, /* u8: number of byte planes */
    /* u32: value in pieces, increasing; 26 to 28 exist if a value is in
     * pieces */
    VV_KEY_PIECED_VALUES = 26,
    /* u32: cumulative number of pieces, by these values */
    VV_KEY_PIECE_ENDS = 27,
    /* u64: for each piece the start, then the extents */
    VV_KEY_PIECE_BOXES = 28,
    /* u64: chunk that has page digests, increasing; 29 and 30 exist if there is
     * one */
    VV_KEY_PAGED_CHUNKS = 29,
    /* 16 bytes for each page of each of these chunks */
    VV_KEY_PAGE_DIGESTS = 30,
    /* u64: shapes of the whole values, as in 9; 31 and 32 exist if a value is a
     * part */
    VV_KEY_WHOLE_EXTENTS = 31,
    VV_KEY_PART_STARTS = 32, /* u64: start of each value in its whole */
    VV_FIRST_OPTIONAL_KEY = 128,
    VV_KEY_TAG_NODES = 128,    /* u32: node of each tag, not decreasing */
    VV_KEY_TAG_NAMES = 129,    /* u32: name of each tag */
    VV_KEY_COUNTER = 130,      /* unsigned integer: the save counter */
    VV_KEY_METADATA = 131,     /* map: text to integer, boolean, text, or a
                                  float64 as a typed array of one (tag 86) */
    VV_KEY_GLOBAL_NODES = 132, /* u32: node of each global name, increasing */
    VV_KEY_GLOBAL_NAMES = 133, /* u32: global name of each, unique */
};

#endif
