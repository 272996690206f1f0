/* test_draft.c - Tests drafts, to which formats add nodes, edges and values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "drafts.h"

TEST(draft, copies_names)
{
    struct drafted t;
    char edge[] = "w", global[] = "net/w", tag[] = "mine";
    draft_begin(&t);
    uint32_t w = add_floats(&t, 0);
    vv_draft_edge(&t.d, 0, edge, 1, w);
    vv_draft_global(&t.d, w, global, 5);
    vv_draft_tag(&t.d, w, tag);
    memset(edge, 'x', 1);
    memset(global, 'x', 5);
    memset(tag, 'x', 4);
    check_draft(&t, "0o w>1\n1v =net/w #mine\n");
}

TEST(draft, empty_is_a_root)
{
    struct drafted t;
    draft_begin(&t);
    t.d.counter = 7;
    varve_error error = { 0 };
    cr_assert_ok(draft_end(&t, &error), error);
    check_index(&t.in.parsed.index, "0o\n");
    cr_assert_eq(t.in.parsed.index.counter, 7);
    cr_assert_eq(t.place_count, 0);
    draft_free(&t);
}

TEST(draft, can_be_cleared_after_begin)
{
    struct drafted t;
    draft_begin(&t);
    add_edge(&t, 0, "w", add_floats(&t, 0));
    vv_draft_clear(&t.d);
    memory_free(t.memory);
    cr_assert_eq(test_block_count(), 0);
}

static void check_bad_name(const char *name, size_t size)
{
    for (int way = 0; way < 3; way++) {
        struct drafted t;
        draft_begin(&t);
        if (way == 0)
            vv_draft_edge(&t.d, 0, name, size, 0);
        else if (way == 1)
            vv_draft_slot(&t.d, 0, 0, name, size, 0);
        else
            vv_draft_global(&t.d, 0, name, size);
        cr_assert(t.d.failed);
        check_failure(&t, VARVE_BAD_NAME, "the name must be 1 to ");
    }
}

/* In files with a flat list of names, only values with such a name are
 * omitted. */
static void check_left_out(const char *name, size_t size, const char *says)
{
    struct drafted t;
    varve_error error = { 0 };
    draft_begin(&t);
    uint32_t node = vv_draft_path(&t.d, VARVE_STATE, name, size);
    vv_draft_state(&t.d, node, 1, &(struct vv_place){ .offset = 5 });
    vv_draft_alias(&t.d, name, size, 0);
    vv_draft_text(&t.d, name, size, "text", 4);
    cr_assert_not(t.d.failed);
    const struct vv_left_out *left = (const void *)t.d.left_out.data;
    cr_assert_eq(t.d.left_out.size, 2 * sizeof *left);
    for (int i = 0; i < 2; i++) {
        const char *text = (const char *)t.d.left_out_texts.data;
        cr_assert_str_eq(text + left[i].path, says);
        cr_assert(strstr(text + left[i].what,
            i ? "metadata under a" : "a value under a"));
    }
    cr_assert_ok(draft_end(&t, &error), error);
    cr_assert_eq(t.in.parsed.index.value_count, 0);
    draft_free(&t);
}

TEST(draft, omits_paths_and_texts_with_invalid_names)
{
    static char large[VARVE_MAX_NAME_SIZE + 1];
    char shown[104];
    memset(large, 'a', sizeof large);
    memset(shown, 'a', 100);
    strcpy(shown + 100, "...");
    check_left_out("", 0, "\"\"");
    check_left_out("a\0b", 3, "a\\x00b");
    check_left_out("\xff!", 2, "\\xff!");
    check_left_out(large, sizeof large, shown);
}

TEST(draft, refuses_invalid_names)
{
    static char large[VARVE_MAX_NAME_SIZE + 1];
    memset(large, 'a', sizeof large);
    check_bad_name("", 0);
    check_bad_name("a\0b", 3);
    check_bad_name("\xff", 1);
    check_bad_name(large, sizeof large);
    struct drafted t;
    draft_begin(&t);
    vv_draft_tag(&t.d, 0, "");
    check_failure(&t, VARVE_BAD_NAME, "file: \"\": the name must be");
}

TEST(draft, keeps_its_first_failure)
{
    struct drafted t;
    draft_begin(&t);
    vv_draft_fail(&t.d, VARVE_TOO_NEW, "file: expected %d, found %s", 1, "2");
    size_t nodes = t.d.nodes.size;
    vv_draft_fail(&t.d, VARVE_CORRUPT, "another");
    cr_assert_eq(vv_draft_node(&t.d, VARVE_OBJECT), 0);
    vv_draft_edge(&t.d, 0, "", 0, 0);
    vv_draft_edge(&t.d, 0, "a", 1, 0);
    vv_draft_slot(&t.d, 0, 0, "a", 1, 0);
    vv_draft_tag(&t.d, 0, "a");
    vv_draft_text(&t.d, "a", 1, "\xff", 1);
    give_floats(&t, 0, 1, 0);
    add_path(&t, "a/b", 0);
    cr_assert_eq(t.d.nodes.size, nodes);
    cr_assert_eq(t.d.edges.size + t.d.slots.size + t.d.tags.size +
                     t.d.values.size + t.d.paths.size + t.d.metadata.size, 0);
    check_failure(&t, VARVE_TOO_NEW, "file: expected 1, found 2");
}

TEST(draft, records_types_shapes_and_offsets)
{
    struct drafted t;
    varve_error error = { 0 };
    draft_begin(&t);
    varve_tensor type = {
        .dtype = VARVE_INT16, .rank = 2, .shape = { 3, 5 } };
    struct vv_place place = { 1, VV_SUM_CRC32, 77, 1000, false };
    struct vv_place strings = { .file = VV_DECODED, .offset = 4 };
    uint32_t a = vv_draft_node(&t.d, VARVE_VARIABLE);
    uint32_t b = vv_draft_node(&t.d, VARVE_VARIABLE);
    uint32_t s = vv_draft_node(&t.d, VARVE_STATE);
    add_edge(&t, 0, "c", s);
    add_edge(&t, 0, "b", b);
    add_edge(&t, 0, "a", a);
    vv_draft_state(&t.d, s, 9, &(struct vv_place){ .offset = 5 });
    vv_draft_value(&t.d, a, &type, 0, &place);
    type = (varve_tensor){ .dtype = VARVE_STRING, .rank = 1, .shape = { 2 } };
    vv_draft_value(&t.d, b, &type, 21, &strings);
    cr_assert_ok(draft_end(&t, &error), error);
    const struct vv_index *index = &t.in.parsed.index;
    varve_tensor found = vv_index_tensor(index, &t.in.parsed.table, 0);
    cr_assert_eq(found.dtype, VARVE_INT16);
    cr_assert_eq(found.rank, 2);
    cr_assert(found.shape[0] == 3 && found.shape[1] == 5);
    cr_assert_eq(vv_at64(index->value_sizes, 0), 30);
    cr_assert_eq(vv_at64(index->value_sizes, 1), 21);
    cr_assert_eq(vv_at64(index->value_sizes, 2), 9);
    cr_assert_eq(t.place_count, 3);
    cr_assert(t.places[0].file == 1 && t.places[0].sum == 77 &&
              t.places[0].sum_kind == VV_SUM_CRC32 &&
              t.places[0].offset == 1000);
    cr_assert(t.places[1].file == VV_DECODED && t.places[1].offset == 4);
    cr_assert_eq(t.places[2].offset, 5);
    draft_free(&t);
}

static void check_shape(uint32_t rank, uint64_t a, uint64_t b)
{
    struct drafted t;
    varve_tensor type = {
        .dtype = VARVE_FLOAT32, .rank = rank, .shape = { a, b } };
    draft_begin(&t);
    uint32_t node = vv_draft_node(&t.d, VARVE_VARIABLE);
    add_edge(&t, 0, "w", node);
    vv_draft_value(&t.d, node, &type, 0, NULL);
    check_failure(&t, VARVE_CORRUPT, "file: a shape has more than ");
}

TEST(draft, refuses_shapes_of_more_than_64_bits)
{
    check_shape(2, UINT64_C(1) << 32, UINT64_C(1) << 32);
    check_shape(1, UINT64_C(1) << 62, 0);
    check_shape(VARVE_MAX_RANK + 1, 1, 1);
}

TEST(draft, assigns_a_global_name_to_one_value)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t nodes[5];
    for (int i = 0; i < 5; i++) {
        nodes[i] = add_floats(&t, 0);
        add_edge(&t, 0, (const char *[]){ "a", "b", "c", "d", "e" }[i],
            nodes[i]);
    }
    vv_draft_global(&t.d, nodes[0], "one", 3);
    vv_draft_global(&t.d, nodes[1], "two", 3);
    vv_draft_global(&t.d, nodes[2], "two", 3); /* of an unreachable node */
    vv_draft_global(&t.d, nodes[2], "other", 5);
    vv_draft_global(&t.d, nodes[3], "z", 1);
    vv_draft_global(&t.d, nodes[3], "y", 1);     /* the first in order */
    vv_draft_global(&t.d, nodes[3], "y", 1);
    vv_draft_global(&t.d, nodes[4], "an//empty", 9);
    vv_draft_global(&t.d, 0, "root", 4);         /* an object has none */
    check_draft(&t, "0o a>1 b>2 c>3 d>4 e>5\n1v =one\n2v\n3v =other\n"
                    "4v =y\n5v =an//empty\n");
}

TEST(draft, has_each_tag_of_a_node_once)
{
    struct drafted t;
    draft_begin(&t);
    add_edge(&t, 0, "w", add_floats(&t, 0));
    vv_draft_tag(&t.d, 1, "b");
    vv_draft_tag(&t.d, 1, "a");
    vv_draft_tag(&t.d, 1, "b");
    vv_draft_tag(&t.d, 0, "a");
    check_draft(&t, "0o w>1 #a\n1v #a #b\n");
}

TEST(draft, keeps_the_first_metadata_of_a_name)
{
    struct drafted t;
    varve_error error = { 0 };
    draft_begin(&t);
    vv_draft_text(&t.d, "b", 1, "1", 1);
    vv_draft_text(&t.d, "a", 1, "2", 1);
    for (int i = 0; i < 40; i++)
        vv_draft_text(&t.d, i % 2 ? "a" : "b", 1, "later", 5);
    vv_draft_text(&t.d, "empty", 5, "", 0);
    cr_assert_ok(draft_end(&t, &error), error);
    const struct vv_index *index = &t.in.parsed.index;
    cr_assert_eq(index->metadata_count, 3);
    cr_assert_str_eq(index->metadata[0].name, "a");
    cr_assert_str_eq(index->metadata[0].string, "2");
    cr_assert_str_eq(index->metadata[1].string, "1");
    cr_assert_str_eq(index->metadata[2].string, "");
    draft_free(&t);
}

TEST(draft, omits_metadata_that_is_not_text)
{
    struct drafted t;
    varve_error error = { 0 };
    draft_begin(&t);
    vv_draft_text(&t.d, "a", 1, "\xff", 1);
    vv_draft_text(&t.d, "b", 1, "a\0b", 3);
    cr_assert_eq(t.d.left_out.size, 2 * sizeof(struct vv_left_out));
    cr_assert_str_eq((const char *)t.d.left_out_texts.data, "a");
    cr_assert_eq(t.d.metadata.size, 0);
    cr_assert_ok(draft_end(&t, &error), error);
    draft_free(&t);
}

static void add_all(struct drafted *t)
{
    uint32_t w = add_floats(t, 0);
    uint32_t m = add_floats(t, 4);
    add_edge(t, 0, "w", w);
    vv_draft_slot(&t->d, 0, w, "m", 1, m);
    vv_draft_global(&t->d, w, "net/w", 5);
    vv_draft_tag(&t->d, w, "tag");
    vv_draft_text(&t->d, "name", 4, "text", 4);
    uint32_t s = vv_draft_node(&t->d, VARVE_STATE);
    add_edge(t, 0, "s", s);
    vv_draft_state(&t->d, s, 3, &(struct vv_place){ .offset = 8 });
}

TEST(draft, fails_without_memory)
{
    check_memory(add_all);
}
