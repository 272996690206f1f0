/* test_bundle_kept.c - Tests the data that is kept for writing TensorFlow
 * checkpoints again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "bundle.h"
#include "bundle_kept.h"
#include "drafts.h"
#include "wire.h"

static const unsigned char *find(
    const void *user, uint32_t node, size_t *size)
{
    return vv_kept_find(user, node, size);
}

static void add_record(struct vv_buffer *b)
{
    vv_wire_bytes(b, VV_ATTRIBUTE_NAME, "table", 5);
    vv_wire_bytes(b, VV_ATTRIBUTE_FULL_NAME, "full", 4);
    vv_wire_bytes(b, VV_ATTRIBUTE_KEY, "key", 3);
    vv_wire_number(b, 4, 1);
    vv_wire_bytes(b, 77, "later", 5);
}

TEST(bundle_kept, is_returned_as_recorded)
{
    static const uint32_t numbers[] = { 0, 1 };
    struct drafted t;
    struct vv_bundle_kept kept;
    struct vv_buffer record;
    draft_begin(&t);
    struct vv_target target = { .user = &t.d.kept, .kept = find };
    uint32_t node = vv_draft_node(&t.d, VARVE_OBJECT);
    vv_buffer_init(&record, test_allocator());
    add_record(&record);
    vv_bundle_keep(&t.d, 0, &(struct vv_bundle_kept){ .members = 0 });
    vv_bundle_keep(&t.d, node,
        &(struct vv_bundle_kept){ .role = VV_ROLE_MEMBER,
            .record = record.data, .record_size = record.size,
            .entry = "key-a", .entry_size = 5, .members = 2, .number = 29,
            .shape = { .rank = 2, .shape = { 3, 0 } },
            .rest = (const unsigned char *)"rest", .rest_size = 4 });
    vv_kept_number(&t.d.kept, numbers);
    cr_assert_not(vv_bundle_kept_of(&target, 0, &kept), "nothing to keep");
    cr_assert(vv_bundle_kept_of(&target, 1, &kept));
    cr_assert(kept.role == VV_ROLE_MEMBER && kept.members == 2);
    cr_assert(kept.number == 29 && kept.shape.rank == 2);
    cr_assert(kept.shape.shape[0] == 3 && kept.shape.shape[1] == 0);
    cr_assert(kept.name_size == 5 && memcmp(kept.name, "table", 5) == 0);
    cr_assert(kept.full_name_size == 4 && kept.key_size == 3);
    cr_assert(kept.entry_size == 5 && memcmp(kept.entry, "key-a", 5) == 0);
    cr_assert(kept.rest_size == 4 && memcmp(kept.rest, "rest", 4) == 0);
    target.kept = NULL;
    cr_assert_not(vv_bundle_kept_of(&target, 1, &kept), "of a program");
    vv_buffer_clear(&record);
    vv_draft_clear(&t.d);
    memory_free(t.memory);
}

/* The same except for the name and the key. */
TEST(bundle_kept, writes_a_record_with_all_its_fields)
{
    struct vv_buffer record, full_name, key, out, wanted;
    struct vv_buffer *const all[] = {
        &record, &full_name, &key, &out, &wanted
    };
    for (size_t i = 0; i < 5; i++)
        vv_buffer_init(all[i], test_allocator());
    add_record(&record);
    struct vv_bundle_kept kept = { .name = "table", .name_size = 5,
        .record = record.data, .record_size = record.size };
    vv_buffer_add_string(&full_name, "full");
    vv_buffer_add_string(&key, "key");
    vv_bundle_kept_record(&kept, &full_name, &key, &out);
    vv_wire_bytes(&wanted, VV_OBJECT_ATTRIBUTE, record.data, record.size);
    cr_assert_eq(out.size, wanted.size);
    cr_assert_eq(memcmp(out.data, wanted.data, out.size), 0);
    for (size_t i = 0; i < 5; i++)
        vv_buffer_clear(all[i]);
}
