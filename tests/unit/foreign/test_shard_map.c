/* test_shard_map.c - Tests the index of models in several files.
 * test_safetensors_in_index.c and test_torch_index.c test invalid ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "arrays.h"
#include "shard_map.h"

static char seen[200];

static varve_status see(void *user, uint32_t file,
    const struct vv_shard_entry *entries, size_t count, varve_error *error)
{
    (void)error;
    const struct vv_shard_map *map = user;
    char *to = seen + strlen(seen);
    *to++ = (char)('0' + file);
    for (size_t i = 0; i < count; i++) {
        struct vv_json_item item;
        vv_shard_map_item(map, entries[i].name, &item);
        *to++ = ' ';
        memcpy(to, item.text, item.size);
        to += item.size;
    }
    strcpy(to, "; ");
    return VARVE_OK;
}

static varve_status read_map(const char *text, varve_error *error)
{
    struct world w = world_new();
    struct vv_buffer bytes = new_bytes();
    struct vv_shard_map map;
    vv_buffer_add_string(&bytes, text);
    memory_put(w.memory, "d/x", "", 0);
    memory_put(w.memory, "d/y", "", 0);
    struct vv_foreign *f = world_foreign(&w, "d/index", &bytes);
    seen[0] = '\0';
    vv_shard_map_begin(&map, f, error);
    varve_status status = vv_shard_map_read(&map);
    if (!status)
        status = vv_shard_map_each(&map, see, &map);
    vv_shard_map_clear(&map);
    vv_foreign_free(f);
    vv_buffer_clear(&bytes);
    world_free(&w);
    return status;
}

TEST(shard_map, lists_each_file_and_its_tensors)
{
    varve_error error = { 0 };
    cr_assert_ok(read_map("{\"weight_map\": {\"c\": \"y\", \"b\": \"\\u0078\", "
        "\"a\": \"y\", \"d\": \"x\"}}", &error), error);
    cr_assert_str_eq(seen, "1 b d; 2 a c; ");
}

/* Unusual but valid. */
TEST(shard_map, may_begin_with_a_bom_and_use_relative_paths)
{
    varve_error error = { 0 };
    cr_assert_ok(read_map("\xef\xbb\xbf{\"weight_map\": {\"c\": \"./y\", "
        "\"b\": \"././x\"}}", &error), error);
    cr_assert_str_eq(seen, "1 b; 2 c; ");
    cr_assert_eq(read_map("{\"weight_map\": {\"c\": \"./\"}}", &error),
        VARVE_CORRUPT);
    cr_assert_eq(read_map("{\"weight_map\": {\"c\": \"./../x\"}}", &error),
        VARVE_CORRUPT);
}

TEST(shard_map, reports_a_missing_file)
{
    varve_error error = { 0 };
    cr_assert_eq(read_map("{\"weight_map\": {\"c\": \"z\"}}", &error),
        VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, "d/index: weight_map: the file \"z\" "
        "is missing"), "%s", error.message);
}
