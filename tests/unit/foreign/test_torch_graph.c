/* test_torch_graph.c - Tests the graph made from a pickle.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_graph.h"
#include "torch_sample.h"

struct made {
    struct world w;
    varve_reader *r;
};

static struct made make(struct vv_buffer *pickle)
{
    struct made m = { .w = world_new() };
    varve_error error = { 0 };
    struct vv_buffer file = new_torch(pickle, "0", 24, NULL);
    m.r = open_bytes(&m.w, "a.pt", &file, &error);
    cr_assert(m.r, "%s", error.message);
    vv_buffer_clear(pickle);
    vv_buffer_clear(&file);
    return m;
}

static void end(struct made *m)
{
    varve_reader_free(m->r);
    world_free(&m->w);
}

static bool is_there(const struct made *m, const char *path)
{
    varve_saved_node node;
    return varve_reader_find(m->r, path, &node);
}

static const char *tag_of(const struct made *m, const char *path)
{
    const char *tag =
        varve_reader_tag_at(m->r, find_node(m->r, path).id, 0);
    return tag ? tag : "";
}

TEST(torch_graph, has_dicts_and_lists_as_objects)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(");
    put_text(&b, "model");
    OP(&b, "}");
    put_text(&b, "a.b");
    put_floats(&b, "0", 6);
    OP(&b, "s");
    put_text(&b, "list");
    OP(&b, "](N");
    put_text(&b, "x");
    OP(&b, "e");
    OP(&b, "K\7");
    put_text(&b, "seven");
    OP(&b, "u.");
    struct made m = make(&b);
    cr_assert(is_there(&m, "model/a.b"));
    cr_assert_not(is_there(&m, "list/0"), "None is not there");
    cr_assert(is_there(&m, "list/1"));
    cr_assert(is_there(&m, "7"));
    cr_assert_eq(varve_reader_node_count(m.r), 6);
    end(&m);
}

/* {"a": {0: 1, -7: 2}, "b": {0: 1, "1": 2}, "c": {"0": 1}} */
TEST(torch_graph, tags_dicts_with_integer_keys)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(X\1\0\0\0a}(K\0K\1J\xf9\xff\xff\xffK\2u"
           "X\1\0\0\0b}(K\0K\1X\1\0\0\0" "1K\2u"
           "X\1\0\0\0c}X\1\0\0\0" "0K\1su.");
    struct made m = make(&b);
    cr_assert(is_there(&m, "a/-7"));
    cr_assert_str_eq(tag_of(&m, "a"), "int keys");
    cr_assert_str_eq(tag_of(&m, "b"), "");
    cr_assert_str_eq(tag_of(&m, "c"), "");
    end(&m);
}

TEST(torch_graph, keeps_the_last_of_equal_keys)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(");
    put_text(&b, "a");
    OP(&b, "K\1");
    put_text(&b, "a");
    OP(&b, "K\2u.");
    struct made m = make(&b);
    check_value(m.r, "a", "int64[]", "\2\0\0\0\0\0\0\0", 8);
    end(&m);
}

TEST(torch_graph, names_a_tensor_of_a_state_dict_as_in_the_file)
{
    struct vv_buffer b = new_bytes();
    varve_saved_node node;
    put_global(&b, "collections", "OrderedDict");
    OP(&b, ")R(");
    put_text(&b, "a.b");
    put_floats(&b, "0", 6);
    OP(&b, "u}");
    put_text(&b, "_metadata");
    OP(&b, "}sb.");
    struct made m = make(&b);
    node = find_node(m.r, "a.b");
    cr_assert_str_eq(node.global_name, "a.b");
    cr_assert_eq(varve_reader_node_count(m.r), 2);
    cr_assert_str_eq(tag_of(&m, ""), "");
    end(&m);
}

TEST(torch_graph, reads_containers_as_their_content)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "(");
    put_global(&b, "torch", "Size");
    OP(&b, "K\2K\3\x86\x85R");
    put_global(&b, "collections", "OrderedDict");
    OP(&b, "]](");
    put_text(&b, "k");
    OP(&b, "\x88"
           "ea\x85R"); /* as pairs, written by Python 2 */
    put_global(&b, "__builtin__", "set");
    OP(&b, "]\x88" "a\x85R");
    put_global(&b, "collections", "deque");
    OP(&b, ")R(");
    put_text(&b, "x");
    OP(&b, "et.");
    struct made m = make(&b);
    check_value(m.r, "0", "int64[2]", "\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16);
    check_value(m.r, "1/k", "bool[]", "\1", 1);
    check_value(m.r, "2/0", "bool[]", "\1", 1);
    cr_assert(is_there(&m, "3/0"));
    for (char path[2] = "1"; *path <= '3'; ++*path)
        cr_assert_str_eq(tag_of(&m, path), "");
    end(&m);
}

TEST(torch_graph, calls_no_function_and_tags_its_name)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "(");
    put_global(&b, "os", "system");
    OP(&b, "(");
    put_text(&b, "rm -rf /");
    OP(&b, "tR");
    put_global(&b, "argparse", "Namespace");
    OP(&b, ")\x81}");
    put_text(&b, "w");
    put_floats(&b, "0", 6);
    OP(&b, "sb");
    put_global(&b, "m", "Listed");
    OP(&b, ")RK\1a");
    put_global(&b, "m", "Stated");
    OP(&b, ")R](K\1K\2eb");
    put_global(&b, "m", "Slotted");
    OP(&b, ")RN}");
    put_text(&b, "s");
    OP(&b, "\x88s\x86" "b");
    OP(&b, "\x82\7");
    put_global(&b, "torch", "float16");
    OP(&b, ")N)RR");
    OP(&b, "t.");
    b.size -= 7; /* the call of a call, which is its child */
    OP(&b, "K\1)Rt.");
    struct made m = make(&b);
    cr_assert_str_eq(tag_of(&m, "0"), "pickle:os.system");
    cr_assert(is_there(&m, "0/<arguments>/0"));
    cr_assert_str_eq(tag_of(&m, "1"), "pickle:argparse.Namespace");
    check_value(m.r, "1/w", "float32[6]", "\1\2\3\4\5\6\7\10\11\12\13\14\15\16"
        "\17\20\21\22\23\24\25\26\27\30", 24);
    check_value(m.r, "2/0", "int64[]", "\1\0\0\0\0\0\0\0", 8);
    check_value(m.r, "3/<state>", "int64[2]",
        "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
    cr_assert_str_eq(tag_of(&m, "4"), "pickle:m.Slotted");
    cr_assert_str_eq(tag_of(&m, "5"), "pickle:extension 7");
    cr_assert_str_eq(tag_of(&m, "6"), "pickle:torch.float16");
    cr_assert_str_eq(tag_of(&m, "7"), "pickle:?");
    end(&m);
}

static void put_module(struct vv_buffer *b)
{
    put_global(b, "torch.nn", "Linear");
    OP(b, ")\x81}(");
    put_text(b, "training");
    OP(b, "\x88");
    put_text(b, "_parameters");
    OP(b, "}");
    put_text(b, "weight");
    put_floats(b, "0", 6);
    OP(b, "s");
    put_text(b, "_buffers");
    OP(b, "}");
    put_text(b, "mean");
    put_floats(b, "0", 5);
    OP(b, "s");
    put_text(b, "_modules");
}

TEST(torch_graph, has_a_module_as_its_parameters_buffers_and_modules)
{
    struct vv_buffer b = new_bytes();
    put_module(&b);
    OP(&b, "}");
    put_text(&b, "inner");
    put_module(&b);
    OP(&b, "}ub");
    OP(&b, "sub.");
    struct made m = make(&b);
    cr_assert_str_eq(tag_of(&m, ""), "pickle:torch.nn.Linear");
    cr_assert(is_there(&m, "weight"));
    cr_assert(is_there(&m, "mean"));
    cr_assert(is_there(&m, "inner/weight"));
    cr_assert_not(is_there(&m, "training"));
    cr_assert_eq(
        find_node(m.r, "weight").id, find_node(m.r, "inner/weight").id);
    cr_assert_eq(varve_reader_node_count(m.r), 4);
    end(&m);
}

TEST(torch_graph, keeps_sharing)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "(");
    OP(&b, "]q\1\x88" "a");          /* 0: a list */
    OP(&b, "h\1");                   /* 1: the same */
    OP(&b, "K\1K\2\x86q\2h\2");      /* 2, 3: a small tuple, twice */
    put_text(&b, "short");
    OP(&b, "q\3h\3");                /* 4, 5: a small text, twice */
    put_text(&b, "a text of more than sixty-four bytes, which Python made "
        "once and keeps");
    OP(&b, "q\4h\4t.");              /* 6, 7 */
    struct made m = make(&b);
    cr_assert_eq(find_node(m.r, "0").id, find_node(m.r, "1").id);
    cr_assert_neq(find_node(m.r, "2").id, find_node(m.r, "3").id);
    cr_assert_neq(find_node(m.r, "4").id, find_node(m.r, "5").id);
    cr_assert_eq(find_node(m.r, "6").id, find_node(m.r, "7").id);
    end(&m);
}

TEST(torch_graph, may_have_cycles)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "]q\1h\1a\x88" "a.");
    struct made m = make(&b);
    cr_assert_eq(find_node(m.r, "0").id, find_node(m.r, "").id);
    cr_assert(is_there(&m, "0/0/0/1"));
    end(&m);
}

TEST(torch_graph, names_a_single_value_value)
{
    struct vv_buffer b = new_bytes();
    put_floats(&b, "0", 6);
    OP(&b, ".");
    struct made m = make(&b);
    cr_assert(is_there(&m, "value"));
    end(&m);
    b = new_bytes();
    OP(&b, "(K\1K\2t.");
    m = make(&b);
    check_value(m.r, "value", "int64[2]",
        "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
    end(&m);
    b = new_bytes();
    OP(&b, "N.");
    m = make(&b);
    cr_assert_eq(varve_reader_node_count(m.r), 1);
    end(&m);
}

TEST(torch_graph, reports_an_invalid_tensor_by_path)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}");
    put_text(&b, "a/b");
    OP(&b, "](K\1}");
    put_text(&b, "w");
    put_global(&b, "torch._utils", "_rebuild_tensor_v2");
    OP(&b, ")Rses.");
    struct vv_buffer file = new_torch(&b, "0", 24, NULL);
    check_refused("a.pt", &file, VARVE_CORRUPT, "a.pt: a%2Fb/1/w: the "
        "tensor has no storage");
    vv_buffer_clear(&file);
    vv_buffer_clear(&b);
}

/* Shared objects and names are stored once: memory is at most a multiple of the
 * pickle's size. */
static void check_bomb(const char *name, struct vv_buffer *b)
{
    struct made m = make(b);
    cr_assert_lt(varve_reader_node_count(m.r), 5000, "%s: %zu", name,
        (size_t)varve_reader_node_count(m.r));
    end(&m);
}

static void put_numbers(struct vv_buffer *b, int count)
{
    OP(b, "(");
    for (int i = 0; i < count; i++)
        put_integer(b, i);
}

enum { TIMES = 1000 };

TEST(torch_graph, does_not_duplicate_shared_arguments)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "(}q\1");
    put_numbers(&b, 2 * TIMES);
    OP(&b, "u");
    for (int i = 0; i < TIMES; i++) {
        put_global(&b, "m", "O");
        OP(&b, ")Rh\1" "b");
    }
    OP(&b, "t.");
    check_bomb("states", &b);
    b = new_bytes();
    OP(&b, "(]q\1");
    put_numbers(&b, TIMES);
    OP(&b, "\x88" "e");
    for (int i = 0; i < TIMES; i++) {
        put_global(&b, "builtins", "set");
        OP(&b, "h\1\x85R");
    }
    for (int i = 0; i < TIMES; i++) {
        put_global(&b, "collections", "OrderedDict");
        OP(&b, "h\1\x85R");
    }
    OP(&b, "t.");
    check_bomb("containers", &b);
}
