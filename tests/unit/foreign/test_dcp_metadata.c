/* test_dcp_metadata.c - Tests the metadata of torch.distributed checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "dcp_metadata.h"
#include "dcp_sample.h"

struct read {
    struct vv_buffer bytes;
    struct vv_pickle *p;
    struct vv_dcp_metadata m;
    varve_error error;
    varve_status status;
};

static struct read read_bytes(struct vv_buffer bytes)
{
    struct read r = { .bytes = bytes, .p = malloc(sizeof *r.p) };
    *r.p = read_pickle(&bytes);
    r.status =
        vv_dcp_metadata_read(&r.m, r.p, test_allocator(), "x", &r.error);
    return r;
}

static struct read read_sample(struct dcp *d)
{
    struct read r = read_bytes(dcp_pickle_of(d));
    dcp_clear(d);
    return r;
}

static void end(struct read *r)
{
    vv_dcp_metadata_clear(&r->m);
    vv_pickle_clear(r->p);
    free(r->p);
    vv_buffer_clear(&r->bytes);
}

/* Returns the text of the first value's name. */
static uint32_t first_name(const struct read *r)
{
    return vv_pickle_link(r->p,
        vv_pickle_item(r->p, r->m.values)->first).item;
}

TEST(dcp_metadata, finds_parts_by_names_and_starts)
{
    struct dcp d = dcp_new();
    dcp_object(&d, "w");
    dcp_part(&d, "w", (int64_t[]){ 4, 0 }, 2, "b", 7, 5);
    dcp_part(&d, "w", (int64_t[]){ 0, 0 }, 2, "b", 2, 5);
    dcp_part(&d, "w", NULL, 0, "a", 0, 9);
    dcp_part(&d, "w", (int64_t[]){ 0 }, 0, "a", 9, 1);
    struct read r = read_sample(&d);
    uint32_t w = first_name(&r);
    cr_assert_eq(r.status, VARVE_OK, "%s", r.error.message);
    cr_assert_eq(
        vv_dcp_part_of(&r.m, w, 2, (uint64_t[]){ 4, 0 })->begin, 7);
    cr_assert_eq(
        vv_dcp_part_of(&r.m, w, 2, (uint64_t[]){ 0, 0 })->begin, 2);
    cr_assert_eq(vv_dcp_part_of(&r.m, w, VV_DCP_OBJECT, NULL)->size, 9);
    cr_assert_eq(vv_dcp_part_of(&r.m, w, 0, NULL)->begin, 9);
    cr_assert_null(vv_dcp_part_of(&r.m, w, 2, (uint64_t[]){ 0, 4 }));
    cr_assert_null(vv_dcp_part_of(&r.m, w, 1, (uint64_t[]){ 0, 0 }));
    end(&r);
}

TEST(dcp_metadata, sorts_parts_by_files_and_offsets)
{
    struct dcp d = dcp_new();
    dcp_part(&d, "x", NULL, 0, "b", 7, 5);
    dcp_part(&d, "y", NULL, 0, "b", 2, 5);
    dcp_part(&d, "z", NULL, 0, "a", 4, 5);
    struct read r = read_sample(&d);
    cr_assert_eq(r.status, VARVE_OK, "%s", r.error.message);
    struct vv_dcp_part *const *parts = (const void *)r.m.parts.data;
    cr_assert_eq(parts[0]->begin, 4);
    cr_assert_eq(parts[1]->begin, 2);
    cr_assert_eq(parts[2]->begin, 7);
    end(&r);
}

TEST(dcp_metadata, returns_the_keys_of_values)
{
    struct dcp d = dcp_new();
    dcp_object(&d, "w");
    struct read r = read_sample(&d);
    cr_assert_eq(vv_dcp_path_of(&r.m, first_name(&r)), VV_PICKLE_THE_NONE);
    end(&r);
    d = dcp_new();
    dcp_object(&d, "w");
    dcp_path(&d, "w", KEYS("a", "b"));
    r = read_sample(&d);
    uint32_t path = vv_dcp_path_of(&r.m, first_name(&r));
    cr_assert(vv_pickle_is_text(r.p, vv_pickle_nth(r.p, path, 1), "b"));
    end(&r);
}

static void check(struct dcp *d, varve_status status, const char *says)
{
    struct read r = read_sample(d);
    cr_assert_eq(r.status, status, "%s: %s", says, r.error.message);
    cr_assert(strstr(r.error.message, says), "%s", r.error.message);
    end(&r);
}

TEST(dcp_metadata, refuses_parts_with_common_bytes_or_offsets)
{
    struct dcp d = dcp_new();
    dcp_part(&d, "x", NULL, 0, "b", 0, 5);
    dcp_part(&d, "y", NULL, 0, "b", 4, 5);
    check(&d, VARVE_CORRUPT, "\"y\": its bytes overlap");
    d = dcp_new();
    dcp_part(&d, "x", NULL, 0, "b", 0, 5);
    dcp_part(&d, "x", NULL, 0, "b", 5, 5);
    check(&d, VARVE_CORRUPT, "\"x\": a piece is stored twice");
    d = dcp_new();
    dcp_part(&d, "x", NULL, 0, "b", INT64_MAX, INT64_MAX);
    dcp_part(&d, "y", NULL, 0, "b", INT64_MAX, 2);
    check(&d, VARVE_CORRUPT, "\"");
}

TEST(dcp_metadata, refuses_missing_and_invalid_entries)
{
    struct dcp d = dcp_new();
    dcp_part(&d, "x", NULL, 0, "b", -1, 5);
    check(&d, VARVE_CORRUPT, "\"x\": its file, offset or length is");
    d = dcp_new();
    OP(&d.parts, "NN");
    check(&d, VARVE_CORRUPT, "an entry of storage_data does not");
    d = dcp_new();
    int64_t many[17] = { 0 };
    dcp_part(&d, "x", many, 17, "b", 0, 5);
    check(&d, VARVE_LIMIT, "\"x\": a piece has too many");
}

TEST(dcp_metadata, refuses_encoded_parts)
{
    struct dcp d = dcp_new();
    dcp_part(&d, "x", NULL, 0, "b", 0, 5);
    d.parts.size -= 2;
    put_text(&d.parts, "transform_descriptors");
    OP(&d.parts, "](");
    put_text(&d.parts, "zstd");
    OP(&d.parts, "eub");
    check(&d, VARVE_TOO_NEW, "\"x\": its bytes were encoded");
}

TEST(dcp_metadata, is_distinguished_from_other_pickles)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}.");
    struct read r = read_bytes(b);
    cr_assert_eq(r.status, VARVE_NOT_A_CHECKPOINT);
    end(&r);
    struct vv_buffer c = new_bytes();
    put_object(&c, DCP_MODULE, "Metadata");
    OP(&c, "ub.");
    r = read_bytes(c);
    cr_assert_eq(r.status, VARVE_CORRUPT);
    cr_assert(strstr(r.error.message, "state_dict_metadata"));
    end(&r);
}

TEST(dcp_metadata, leaks_nothing_without_memory)
{
    struct dcp d = dcp_new();
    dcp_object(&d, "w");
    dcp_path(&d, "w", KEYS("a", "b"));
    dcp_part(&d, "w", NULL, 0, "b", 0, 5);
    struct vv_buffer bytes = dcp_pickle_of(&d);
    dcp_clear(&d);
    struct vv_pickle p = read_pickle(&bytes);
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct vv_dcp_metadata m;
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = vv_dcp_metadata_read(&m, &p, test_allocator(), "x", &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        vv_dcp_metadata_clear(&m);
    }
    vv_pickle_clear(&p);
    vv_buffer_clear(&bytes);
}
