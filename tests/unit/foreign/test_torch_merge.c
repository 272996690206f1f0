/* test_torch_merge.c - Tests merging the pickles of several files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "torch_merge.h"
#include "torch_sample.h"

/* Files of torch.save in one world. */
struct made {
    struct world w;
    struct vv_foreign *foreign;
    struct vv_torch_file *file;
    struct vv_torch_merge merge;
    varve_error error;
};

static struct made *begin(void)
{
    struct made *m = calloc(1, sizeof *m);
    struct vv_buffer none = new_bytes();
    m->w = world_new();
    m->foreign = world_foreign(&m->w, "index", &none);
    m->file = vv_torch_file_new(m->foreign);
    vv_torch_merge_begin(&m->merge, m->file, m->foreign, &m->error);
    return m;
}

static void end(struct made *m)
{
    vv_torch_merge_clear(&m->merge);
    vv_foreign_free(m->foreign);
    world_free(&m->w);
    free(m);
}

/* Adds a file with a pickle and a storage "0" of `size` bytes. */
static varve_status add(struct made *m, const char *path,
    struct vv_buffer *pickle, const struct vv_buffer *file, uint32_t *root)
{
    uint32_t number;
    struct vv_torch_file part;
    struct vv_pickle p = { 0 };
    memory_put(m->w.memory, path, file->data, file->size);
    cr_assert_ok(
        vv_foreign_add_file(m->foreign, path, &number, &m->error), m->error);
    vv_torch_file_init(&part, test_allocator());
    cr_assert_ok(vv_torch_file_read(&part, m->foreign,
        vv_zip_whole(m->foreign, number), &m->error), m->error);
    cr_assert_ok(vv_torch_file_pickle(&part, &p, &m->error), m->error);
    varve_status status = vv_torch_merge_add(&m->merge, &part, &p, root);
    vv_pickle_clear(&p);
    vv_torch_file_clear(&part);
    vv_buffer_clear(pickle);
    return status;
}

static uint32_t add_floats(struct made *m, const char *path, int count)
{
    struct vv_buffer b = new_bytes();
    uint32_t root = 0;
    put_floats(&b, "0", count);
    OP(&b, ".");
    struct vv_buffer file = new_torch(&b, "0", 4 * count, NULL);
    cr_assert_ok(add(m, path, &b, &file, &root), m->error);
    vv_buffer_clear(&file);
    return root;
}

TEST(torch_merge, keeps_the_objects_of_each_pickle)
{
    struct made *m = begin();
    uint32_t roots[] = { add_floats(m, "a", 2), add_floats(m, "b", 3) };
    cr_assert_ok(vv_torch_merge_end(&m->merge, roots[0]), m->error);
    for (uint32_t i = 0; i < 2; i++) {
        struct vv_torch_tensor t;
        const struct vv_zip_entry *e = NULL;
        struct vv_torch_where where = { .error = &m->error };
        cr_assert_eq(vv_torch_tensor(&m->merge.pickle, roots[i], &t),
            VV_TORCH_TENSOR);
        cr_assert_eq(t.type.shape[0], 2 + i);
        cr_assert_eq(t.part, i);
        cr_assert_ok(vv_torch_storage(m->file, &m->merge.pickle, &t, &where,
            &e), m->error);
        cr_assert_eq(e->file, 1 + i);
        cr_assert_eq(e->size, 4 * (2 + i));
    }
    end(m);
}

TEST(torch_merge, keeps_every_kind_of_item)
{
    struct made *m = begin();
    add_floats(m, "a", 2);
    struct vv_buffer b = new_bytes();
    uint32_t root = 0;
    OP(&b, "}(");
    put_text(&b, "text");
    put_global(&b, "mod", "Class");
    OP(&b, ")\x81");
    put_text(&b, "state");
    OP(&b, "b");
    put_text(&b, "more");
    OP(&b, "(NK\7\x88\x8a\x09\1\1\1\1\1\1\1\1\1\x82\5tu.");
    struct vv_buffer file = new_torch(&b, NULL);
    cr_assert_ok(add(m, "b", &b, &file, &root), m->error);
    const struct vv_pickle *p = &m->merge.pickle;
    uint32_t call = vv_pickle_look_up(p, root, "text");
    uint32_t tuple = vv_pickle_look_up(p, root, "more");
    cr_assert(vv_pickle_is_global(p, vv_pickle_item(p, call)->a, "mod",
        "Class"));
    cr_assert(vv_pickle_is_text(p, vv_pickle_item(p, call)->state, "state"));
    cr_assert_eq(vv_pickle_nth(p, tuple, 0), VV_PICKLE_THE_NONE);
    cr_assert_eq(vv_pickle_integer(
        vv_pickle_item(p, vv_pickle_nth(p, tuple, 1))), 7);
    cr_assert_eq(vv_pickle_nth(p, tuple, 2), VV_PICKLE_THE_TRUE);
    const struct vv_pickle_item *number =
        vv_pickle_item(p, vv_pickle_nth(p, tuple, 3));
    cr_assert_eq(number->kind, VV_PICKLE_LONG);
    cr_assert_eq(vv_pickle_bytes(p, number)[8], 1);
    cr_assert_eq(vv_pickle_item(p, vv_pickle_nth(p, tuple, 4))->a, 5);
    vv_buffer_clear(&file);
    end(m);
}

TEST(torch_merge, refuses_files_of_two_byte_orders)
{
    struct made *m = begin();
    add_floats(m, "a", 2);
    struct vv_buffer b = new_bytes();
    uint32_t root;
    struct archive a = archive_new();
    OP(&b, "N.");
    archive_add(&a, (struct entry){ .name = "a/data.pkl", .bytes = "N.",
        .size = 2 });
    archive_add(&a, (struct entry){ .name = "a/byteorder", .bytes = "big",
        .size = 3 });
    archive_end(&a);
    cr_assert_eq(add(m, "b", &b, &a.file, &root), VARVE_CORRUPT);
    cr_assert(strstr(m->error.message, "b: the byte order differs"), "%s",
        m->error.message);
    archive_clear(&a);
    end(m);
}

TEST(torch_merge, of_no_pickles_has_the_constants)
{
    struct made *m = begin();
    uint32_t dict;
    cr_assert_ok(vv_torch_merge_item(&m->merge,
        (struct vv_pickle_item){ .kind = VV_PICKLE_DICT }, &dict), m->error);
    cr_assert_gt(dict, VV_PICKLE_THE_TRUE);
    cr_assert_ok(vv_torch_merge_member(&m->merge, dict, VV_PICKLE_THE_NONE),
        m->error);
    cr_assert_ok(vv_torch_merge_member(&m->merge, dict, VV_PICKLE_THE_TRUE),
        m->error);
    uint32_t first = vv_pickle_item(&m->merge.pickle, dict)->first;
    cr_assert_eq(vv_pickle_link(&m->merge.pickle,
        vv_pickle_link(&m->merge.pickle, first).next).item,
        VV_PICKLE_THE_TRUE);
    end(m);
}
