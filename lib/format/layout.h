/* layout.h - format version 1 on one page; docs/format.md is the full text.
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

/* A layer holds data of checkpoints that lie beside its folder, and nothing
 * else: a header as above with a magic and a nonce of its own, the data, and
 *
 *   footer  at  0  nonce, 16 bytes
 *              16  file size, u64
 *              24  1 where it was not synced, else 0, u32
 *              28  zero, 20 bytes
 *              48  XXH3-64 of 0..47
 *              56  magic, 8 bytes
 */
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
    VV_CHUNK_SIZE = 1 << 20,  /* bytes of a value under one digest */
    VV_ALIGNMENT = 64,        /* of the index, and of values of as many bytes */
    VV_SMALL_ALIGNMENT = 8,   /* of smaller values */
    VV_PAGE_ALIGNMENT = 4096, /* of values of VV_PAGED_SIZE and more */
    VV_PAGED_SIZE = 64 * 1024,
    VV_DIGEST_SIZE = 16,
    VV_REAL_TAG = 86, /* of a float64 in the metadata */
    VV_NONCE_SIZE = 16,
    VV_MOST_LAYERS = 256, /* that an index may name */
};

/* Keys of the index, a CBOR map. A reader that meets a key below
 * VV_FIRST_OPTIONAL_KEY which it does not know refuses the file; a later one it
 * skips. Columns are byte strings tagged as typed arrays (RFC 8746: tag 64 is
 * uint8, 70 is uint32 and 71 is uint64, little-endian); digests and names are
 * plain byte strings. */
enum vv_index_key {
    VV_KEY_NAMES = 0,          /* bytes of all names, sorted, end to end */
    VV_KEY_NAME_ENDS = 1,      /* u32: where each name ends */
    VV_KEY_NODE_KINDS = 2,     /* u8: varve_kind of each node */
    VV_KEY_NODE_EDGE_ENDS = 3, /* u32: the number of edges up to each node */
    VV_KEY_EDGE_NAMES = 4,     /* u32: name of each edge */
    VV_KEY_EDGE_CHILDREN = 5,  /* u32: node of each edge */
    VV_KEY_VALUE_NODES = 6,    /* u32: node of each value, increasing */
    VV_KEY_VALUE_DTYPES = 7,   /* u8 */
    VV_KEY_VALUE_RANKS = 8,    /* u8 */
    VV_KEY_VALUE_EXTENTS = 9,  /* u64: shapes, one after another */
    VV_KEY_VALUE_OFFSETS = 10, /* u64: in the file; 0: the value is not saved */
    VV_KEY_VALUE_SIZES = 11,   /* u64: bytes */
    VV_KEY_DIGESTS = 12,       /* 16 bytes for each chunk of each value */
    VV_KEY_SLOT_OWNERS = 13,   /* u32: node */
    VV_KEY_SLOT_VARIABLES = 14, /* u32: node */
    VV_KEY_SLOT_NAMES = 15,     /* u32: name */
    VV_KEY_SLOT_NODES = 16,     /* u32: node */
    VV_KEY_LAYER_NONCES = 17,   /* 16 bytes for each layer; 17 to 21 are there
                                   where the data lies in layers */
    VV_KEY_LAYER_SIZES = 18,    /* u64: bytes of the file */
    VV_KEY_PLACE_BEGINS = 19,   /* u64: where in the data a place begins */
    VV_KEY_PLACE_LAYERS = 20,   /* u32: the layer that has it; 2^32 - 1: none,
                                   it is zeros */
    VV_KEY_PLACE_OFFSETS = 21,  /* u64: where in that */
    VV_KEY_PLACE_PACKED = 22,   /* u32: bytes of the frame in which it is
                                   packed; 0: it is not; 22 to 25 are there
                                   where some place is */
    VV_KEY_PLACE_PLAIN = 23,    /* u32: bytes that come out of that */
    VV_KEY_PLACE_SKIPS = 24,    /* u32: where in these the place begins */
    VV_KEY_PLACE_PLANES = 25,   /* u8: of bytes, that they are split into */
    VV_KEY_PIECED_VALUES = 26,  /* u32: value that is in pieces, increasing; 26
                                   to 28 are there where some value is */
    VV_KEY_PIECE_ENDS = 27,     /* u32: the number of pieces up to each */
    VV_KEY_PIECE_BOXES = 28,    /* u64: of each piece the start, then the
                                   extents */
    VV_KEY_PAGED_CHUNKS = 29,   /* u64: chunk that is summed by pages,
                                   increasing; 29 and 30 are there where some
                                   chunk is */
    VV_KEY_PAGE_DIGESTS = 30,   /* 16 bytes for each page of each of these */
    VV_KEY_WHOLE_EXTENTS = 31,  /* u64: of what each value is all or a part,
                                   shapes as in 9; 31 and 32 are there where
                                   some value is a part */
    VV_KEY_PART_STARTS = 32,    /* u64: where in that it starts */
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
