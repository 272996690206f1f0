/* bounded.c - Counts the memory in use and ends the process when it exceeds the
 * bound.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/bounded.h"

#include <string.h>

#include "fuzz/fuzz.h"
#include "flax_in.h"
#include "layers_in.h"
#include "onnx_in.h"
#include "magic_bytes.h"

struct bounded bounded_by(size_t file_size)
{
    return (struct bounded){
        .bound = FUZZ_FACTOR * file_size + FUZZ_CONSTANT,
    };
}

static bool is_torch_archive(const uint8_t *bytes, size_t size)
{
    static const char name[] = "/data.pkl";
    enum { LOCAL_SIZE = 30, NAME_SIZE = sizeof name - 1 };
    if (size < LOCAL_SIZE || memcmp(bytes, "PK\3\4", 4) != 0)
        return false;
    size_t end = LOCAL_SIZE + ((size_t)bytes[26] | (size_t)bytes[27] << 8);
    return end <= size && memcmp(bytes + end - NAME_SIZE, name, NAME_SIZE) == 0;
}

static bool is_bid_for(
    const struct vv_foreign_format *format, const uint8_t *bytes, size_t size)
{
    struct vv_candidate candidate = { .path = "",
        .size = size,
        .head = bytes,
        .head_size = size < VV_CANDIDATE_HEAD ? size : VV_CANDIDATE_HEAD };
    return format->probe(&candidate) != VV_PROBE_NONE;
}

struct bounded bounded_for(const uint8_t *bytes, size_t size)
{
    struct bounded bounded = bounded_by(size);
    if (is_torch_archive(bytes, size) || vv_torch_is_legacy(bytes, size) ||
        vv_torch_is_tar(bytes, size))
        bounded.bound += FUZZ_TORCH_FACTOR * size;
    if (is_bid_for(&vv_onnx_format, bytes, size))
        bounded.bound += FUZZ_ONNX_FACTOR * size;
    if (is_bid_for(&vv_flax_format, bytes, size))
        bounded.bound += FUZZ_FLAX_FACTOR * size;
    return bounded;
}

void bounded_raise(struct bounded *bounded, size_t size)
{
    bounded->bound += size;
}

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    struct bounded *b = user;
    FUZZ_CHECK(old_size <= b->used && !old == !old_size,
        "a block of %zu bytes is freed, %zu are in use", old_size, b->used);
    if (b->is_free && new_size > old_size && new_size < SIZE_MAX / 4)
        b->bound += new_size - old_size;
    FUZZ_CHECK(
        new_size <= b->bound && b->used - old_size <= b->bound - new_size,
        "%zu bytes requested with %zu in use: above the bound of %zu", new_size,
        b->used - old_size, b->bound);
    b->used = b->used - old_size + new_size;
    if (b->used > b->peak)
        b->peak = b->used;
    b->blocks += (new_size > 0) - (old_size > 0);
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    void *block = realloc(old, new_size);
    FUZZ_CHECK(block, "the machine is out of memory");
    return block;
}

varve_allocator bounded_allocator(struct bounded *bounded)
{
    return (varve_allocator){ .function = allocate, .user = bounded };
}

/* Room for two chunks. A compressed chunk is at most one frame, whatever sizes
 * the index contains. */
enum { UNPACKER = 2 * VV_CHUNK_SIZE + 1024 };

size_t bounded_unpacking(const struct vv_index *index)
{
    size_t frame = 0, chunk = 0;
    if (index->layer_count == 0)
        return 0;
    for (uint32_t i = 0; i < index->place_count; i++) {
        struct vv_pack pack =
            vv_layer_place_at(index, i, vv_at64(index->place_begins, i)).pack;
        size_t taken = (size_t)pack.size + 2 * (size_t)pack.plain;
        frame = taken > frame ? taken : frame;
    }
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint64_t size = vv_at64(index->value_sizes, i);
        size_t part = size < VV_CHUNK_SIZE ? (size_t)size : VV_CHUNK_SIZE;
        chunk = part > chunk ? part : chunk;
    }
    size_t unpacker = index->packed_count ? UNPACKER : 0;
    return frame + chunk + unpacker + VV_PAGE_ALIGNMENT;
}

void bounded_check_empty(const struct bounded *bounded)
{
    FUZZ_CHECK(bounded->used == 0 && bounded->blocks == 0,
        "%ld blocks with %zu bytes are left", bounded->blocks, bounded->used);
}
