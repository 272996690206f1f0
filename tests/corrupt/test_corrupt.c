/* test_corrupt.c - Tests files with a single defect and recomputed digests, so
 * that only the check of the violated rule can detect it.
 *
 * The name of each file contains the expected status. If VARVE_DEFECTS names a
 * folder, the files are also written there, for other readers.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index_in.h"
#include "layout.h"
#include "reader.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

/* A valid file and the positions of its parts. */
struct subject {
    unsigned char *bytes;
    size_t size;
    unsigned char *footer;
    unsigned char *index;
    size_t index_size;
    struct vv_index columns; /* point into `bytes` */
};

struct defect {
    const char *name; /* status, then the defect */
    void (*make)(struct subject *subject);
    bool is_raw; /* digests are not recomputed */
};

static void set(const uint8_t *at, uint8_t byte)
{
    *(uint8_t *)(uintptr_t)at = byte;
}

static void set32(const uint8_t *column, size_t i, uint32_t value)
{
    vv_store32((uint8_t *)(uintptr_t)column + 4 * i, value);
}

static void set64(const uint8_t *column, size_t i, uint64_t value)
{
    vv_store64((uint8_t *)(uintptr_t)column + 8 * i, value);
}

/* --- Header and footer ---------------------------------------------------- */

static void bad_magic(struct subject *s) { s->bytes[0] ^= 1; }
static void newer(struct subject *s) { s->bytes[8] = 2; }
static void bad_reserved(struct subject *s) { s->bytes[40] = 1; }
static void bad_end(struct subject *s) { s->footer[60] ^= 1; }
static void cut(struct subject *s) { s->size -= 1; }
static void cut_short(struct subject *s) { s->size = 63; }
static void emptied(struct subject *s) { s->size = 0; }
static void bad_digest(struct subject *s) { s->footer[16] ^= 1; }
static void longer_file(struct subject *s)
{
    vv_store64(s->footer + 32, s->size - 64);
}
static void index_beyond(struct subject *s)
{
    vv_store64(s->footer, s->size + 64);
}
static void index_shorter(struct subject *s)
{
    vv_store64(s->footer + 8, s->index_size - 1);
}

/* --- CBOR ----------------------------------------------------------------- */

static void not_a_map(struct subject *s) { s->index[0] = 0x80; }

/* Duplicates the key of a column. The key is found by the bounds of the
 * column. */
static void duplicate_key(struct subject *s)
{
    uint8_t *end = (uint8_t *)(uintptr_t)s->columns.names +
                   s->columns.names_size;
    cr_assert_eq(*end, VV_KEY_NAME_ENDS);
    *end = VV_KEY_NAMES;
}

static void unknown_key(struct subject *s)
{
    const uint8_t *end = s->columns.slot_nodes + 4 * s->columns.slot_count;
    cr_assert_eq(end[0], 0x18);
    cr_assert_eq(end[1], VV_KEY_TAG_NODES);
    set(end + 1, 100);
}

/* 0x18 0x80 is 128; 0x18 0x05 is an overlong 5. */
static void not_shortest(struct subject *s)
{
    set(s->columns.slot_nodes + 4 * s->columns.slot_count + 1, 5);
}

/* --- Columns -------------------------------------------------------------- */

static void bad_utf8(struct subject *s) { set(s->columns.names, 0xff); }
static void nul_in_name(struct subject *s) { set(s->columns.names, 0); }
static void unsorted(struct subject *s) { set(s->columns.names, 'z'); }
static void names_beyond(struct subject *s)
{
    set32(s->columns.name_ends, 0, UINT32_MAX);
}
static void bad_kind(struct subject *s) { set(s->columns.node_kinds + 1, 9); }
static void edge_to_nowhere(struct subject *s)
{
    set32(s->columns.edge_children, 0, s->columns.node_count);
}
static void unknown_name(struct subject *s)
{
    set32(s->columns.edge_names, 0, s->columns.name_count);
}
static void edges_beyond(struct subject *s)
{
    set32(s->columns.node_edge_ends, 0, UINT32_MAX);
}
static void bad_dtype(struct subject *s) { set(s->columns.value_dtypes, 99); }
static void rank_17(struct subject *s) { set(s->columns.value_ranks, 17); }
static void huge_extent(struct subject *s)
{
    set64(s->columns.value_extents, 0, UINT64_MAX);
}
static void overlapping(struct subject *s)
{
    set64(s->columns.value_offsets, 2, vv_at64(s->columns.value_offsets, 0));
}
static void unaligned(struct subject *s)
{
    set64(s->columns.value_offsets, 0,
        vv_at64(s->columns.value_offsets, 0) + 1);
}
static void value_beyond(struct subject *s)
{
    set64(s->columns.value_offsets, 0, UINT64_MAX - 63);
}
static void wrong_size(struct subject *s)
{
    set64(s->columns.value_sizes, 0, UINT64_MAX);
}
static void value_without_node(struct subject *s)
{
    set32(s->columns.value_nodes, s->columns.value_count - 1, UINT32_MAX - 1);
}
static void slot_without_node(struct subject *s)
{
    set32(s->columns.slot_variables, 0, s->columns.node_count);
}
static void slot_nowhere(struct subject *s)
{
    set32(s->columns.slot_nodes, 0, s->columns.node_count + 7);
}
static void tag_without_node(struct subject *s)
{
    set32(s->columns.tag_nodes, s->columns.tag_count - 1, UINT32_MAX);
}

static const struct defect defects[] = {
    { "VARVE_NOT_A_CHECKPOINT-bad-magic", bad_magic, true },
    { "VARVE_TOO_NEW-version-2", newer, false },
    { "VARVE_CORRUPT-header-reserved", bad_reserved, false },
    { "VARVE_EMPTY_FILE-no-bytes", emptied, true },
    { "VARVE_TRUNCATED-short-header", cut_short, true },
    { "VARVE_TRUNCATED-last-byte-gone", cut, true },
    { "VARVE_CORRUPT-other-end-magic", bad_end, true },
    { "VARVE_CORRUPT-longer-than-it-says", longer_file, false },
    { "VARVE_CORRUPT-index-beyond-the-end", index_beyond, false },
    { "VARVE_CORRUPT-index-too-short", index_shorter, false },
    { "VARVE_CORRUPT-index-digest", bad_digest, true },
    { "VARVE_CORRUPT-index-not-a-map", not_a_map, false },
    { "VARVE_CORRUPT-duplicate-key", duplicate_key, false },
    { "VARVE_TOO_NEW-unknown-required-key", unknown_key, false },
    { "VARVE_CORRUPT-not-shortest-integer", not_shortest, false },
    { "VARVE_CORRUPT-name-not-utf8", bad_utf8, false },
    { "VARVE_CORRUPT-name-with-nul", nul_in_name, false },
    { "VARVE_CORRUPT-names-unsorted", unsorted, false },
    { "VARVE_CORRUPT-names-beyond-the-pool", names_beyond, false },
    { "VARVE_CORRUPT-unknown-kind", bad_kind, false },
    { "VARVE_CORRUPT-edge-to-nowhere", edge_to_nowhere, false },
    { "VARVE_CORRUPT-edge-without-name", unknown_name, false },
    { "VARVE_CORRUPT-edges-beyond-the-end", edges_beyond, false },
    { "VARVE_CORRUPT-unknown-type", bad_dtype, false },
    { "VARVE_CORRUPT-rank-17", rank_17, false },
    { "VARVE_CORRUPT-extents-overflow", huge_extent, false },
    { "VARVE_CORRUPT-values-overlap", overlapping, false },
    { "VARVE_CORRUPT-value-unaligned", unaligned, false },
    { "VARVE_CORRUPT-value-beyond-the-end", value_beyond, false },
    { "VARVE_CORRUPT-size-not-that-of-the-shape", wrong_size, false },
    { "VARVE_CORRUPT-value-without-node", value_without_node, false },
    { "VARVE_CORRUPT-slot-without-node", slot_without_node, false },
    { "VARVE_CORRUPT-slot-to-nowhere", slot_nowhere, false },
    { "VARVE_CORRUPT-tag-without-node", tag_without_node, false },
};

/* --- Making and opening --------------------------------------------------- */

/* Recomputes the digests as a writer does. The end of the index in the footer
 * may be part of the defect. */
static void seal(struct subject *s)
{
    struct vv_digest digest = vv_digest_of(s->index, s->index_size);
    memcpy(s->bytes + 16, digest.bytes, 16);
    memcpy(s->footer + 16, digest.bytes, 16);
    memcpy(s->footer + 40, digest.bytes, 8);
    vv_store64(s->bytes + 56, vv_hash_of(s->bytes, 56));
    vv_store64(s->footer + 48, vv_hash_of(s->footer, 48));
}

static void take_apart(struct subject *s)
{
    varve_error error;
    struct vv_context context = test_context(&vv_posix_system);
    varve_reader *reader = vv_reader_open_in(&context, GOLDEN_FILE, &error);
    cr_assert(reader, "%s", error.message);
    s->bytes = test_read_file(GOLDEN_FILE, &s->size);
    s->footer = s->bytes + s->size - VV_FOOTER_SIZE;
    s->index = s->bytes + reader->file.data_end;
    s->index_size = reader->file.index_size;
    struct vv_parsed_index parsed;
    cr_assert_ok(vv_index_parse(&context, "golden", s->index, s->index_size,
        reader->file.data_end, &parsed, &error), error);
    s->columns = parsed.index;
    vv_parsed_index_clear(&context, &parsed);
    varve_reader_free(reader);
}

static void keep(const struct subject *s, const char *name)
{
    const char *folder = getenv("VARVE_DEFECTS");
    char path[4096];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    test_write_file(path, s->bytes, s->size);
}

static void check(struct memory *memory, const struct defect *defect)
{
    char path[128];
    struct subject s;
    varve_error error = { 0 };
    struct vv_context context = test_context(memory_system(memory));
    take_apart(&s);
    defect->make(&s);
    if (!defect->is_raw)
        seal(&s);
    snprintf(path, sizeof path, "%s.varve", defect->name);
    memory_put(memory, path, s.bytes, s.size);
    keep(&s, path);
    varve_reader *reader = vv_reader_open_in(&context, path, &error);
    size_t size = strcspn(defect->name, "-");
    const char *status = varve_status_name(error.status);
    cr_expect(!reader && strlen(status) == size &&
        memcmp(status, defect->name, size) == 0, "%s gives %s: %s", path,
        status, error.message);
    cr_expect(strncmp(error.message, path, strlen(path)) == 0 &&
        !strchr(error.message, '\n'), "%s: %s", path, error.message);
    varve_reader_free(reader);
    free(s.bytes);
}

TEST(corrupt, every_defect_gives_the_status_in_its_name)
{
    struct memory *memory = memory_new();
    size_t count = sizeof defects / sizeof *defects;
    for (size_t i = 0; i < count; i++)
        check(memory, &defects[i]);
    memory_free(memory);
    cr_log_info("%zu defects", count);
}
