/* test_torch_tar_link.c - Tests references to tensors in tar archives of
 * torch.save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "torch_tar_link.h"
#include "torch_tar_sample.h"

/* Replaces the pickle of the sample. */
static struct vv_buffer with_pickle(struct vv_buffer pickle)
{
    struct tar_parts p = tar_sample_parts();
    vv_buffer_clear(&p.pickle);
    p.pickle = pickle;
    return tar_of_parts(&p);
}

static void check_wrong(struct vv_buffer pickle, const char *says)
{
    struct vv_buffer b = with_pickle(pickle);
    check_refused("a.pt", &b, VARVE_CORRUPT, says);
    vv_buffer_clear(&b);
}

TEST(torch_tar_link, creates_one_variable_for_all_ids_of_a_tensor)
{
    struct world w = world_new();
    varve_error error = { 0 };
    struct vv_buffer pickle = new_bytes();
    OP(&pickle, "\x80\2](");
    put_id(&pickle, "5");
    put_id(&pickle, "5");
    OP(&pickle, "K\x05Q"); /* an integer */
    put_id(&pickle, "7"); /* a storage */
    OP(&pickle, "e.");
    struct vv_buffer b = with_pickle(pickle);
    varve_reader *r = open_bytes(&w, "a.pt", &b, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "0", "float16[2]", "\3\4\5\6", 4);
    cr_assert_eq(find_node(r, "0").id, find_node(r, "1").id);
    cr_assert_eq(find_node(r, "0").id, find_node(r, "2").id);
    varve_saved_node node;
    cr_assert_not(varve_reader_find(r, "3", &node));
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(torch_tar_link, accepts_classes_with_their_source)
{
    struct world w = world_new();
    varve_error error = { 0 };
    struct vv_buffer pickle = new_bytes();
    OP(&pickle, "\x80\2}");
    put_text(&pickle, "net");
    put_global(&pickle, "models", "Net");
    put_text(&pickle, "models.py");
    put_text(&pickle, "class Net: ...");
    OP(&pickle, "\x87Q)\x81}");
    put_text(&pickle, "w");
    put_id(&pickle, "5");
    OP(&pickle, "sbs.");
    struct vv_buffer b = with_pickle(pickle);
    varve_reader *r = open_bytes(&w, "a.pt", &b, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "net/w", "float16[2]", "\3\4\5\6", 4);
    cr_assert_str_eq(varve_reader_tag_at(r, find_node(r, "net").id, 0),
        "pickle:models.Net");
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(torch_tar_link, refuses_other_ids)
{
    static const char *const keys[] = { "6", "", "-5", "5x" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct vv_buffer pickle = new_bytes();
        OP(&pickle, "\x80\2");
        put_id(&pickle, keys[i]);
        OP(&pickle, ".");
        check_wrong(pickle, "refers to an object that is not in \"tensors\"");
    }
    struct vv_buffer pickle = new_bytes();
    OP(&pickle, "\x80\2NQ.");
    check_wrong(pickle, "refers to an object that is not in \"tensors\"");
}

TEST(torch_tar_link, reports_the_offset_of_an_error_in_the_pickle)
{
    struct vv_buffer pickle = new_bytes();
    OP(&pickle, "\x80\2]Ka.");
    check_wrong(pickle, "byte 5");
}

/* Checks the class name of a parameter, and the access to its tensor. */
static void check_variable(const char *module, const char *name,
    const char *before, size_t before_size, const char *after,
    size_t after_size)
{
    struct world w = world_new();
    varve_error error = { 0 };
    struct vv_buffer pickle = new_bytes();
    OP(&pickle, "\x80\2}");
    put_text(&pickle, "p");
    put_global(&pickle, module, name);
    vv_buffer_add(&pickle, before, before_size);
    put_id(&pickle, "5");
    vv_buffer_add(&pickle, after, after_size);
    OP(&pickle, "s.");
    struct vv_buffer b = with_pickle(pickle);
    varve_reader *r = open_bytes(&w, "a.pt", &b, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "p", "float16[2]", "\3\4\5\6", 4);
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

#define LITERAL(text) text, sizeof(text) - 1

TEST(torch_tar_link, finds_the_tensors_of_old_variables)
{
    check_variable("torch.nn.parameter", "Parameter", LITERAL(""),
        LITERAL("\x85\x81\x88\x89N\x87" "b"));
    check_variable("torch.autograd.variable", "Variable", LITERAL(""),
        LITERAL("\x85R\x88\x89N\x87" "b"));
    check_variable("torch.nn.parameter", "Parameter", LITERAL(")\x81("),
        LITERAL("NN\x88\x89tb"));
}
