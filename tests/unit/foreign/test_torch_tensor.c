/* test_torch_tensor.c - Tests tensors in pickles.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_tensor.h"

#include <stdio.h>

#include "support/test.h"
#include "torch_sample.h"

static varve_dtype type_of(const char *module, const char *name)
{
    struct vv_buffer b = new_bytes();
    put_global(&b, module, name);
    OP(&b, ".");
    struct vv_pickle p = read_pickle(&b);
    varve_dtype type = vv_torch_type(&p, p.root);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
    return type;
}

TEST(torch_type, recognizes_dtypes_and_storage_classes)
{
    cr_assert_eq(type_of("torch", "bfloat16"), VARVE_BFLOAT16);
    cr_assert_eq(type_of("torch", "BFloat16Storage"), VARVE_BFLOAT16);
    cr_assert_eq(type_of("torch", "float8_e4m3fn"), VARVE_FLOAT8_E4M3FN);
    cr_assert_eq(type_of("torch.storage", "UntypedStorage"), VARVE_UINT8);
    cr_assert_eq(type_of("torch", "ComplexDoubleStorage"), VARVE_COMPLEX128);
}

TEST(torch_type, rejects_other_types)
{
    cr_assert_eq(type_of("torch", "QInt8Storage"), 0);
    cr_assert_eq(type_of("torch", "float8_e4m3fnuz"), 0);
    cr_assert_eq(type_of("numpy", "float32"), 0);
    cr_assert_eq(type_of("torch.storage", "float32"), 0);
    struct vv_buffer b = new_bytes();
    OP(&b, "K\1.");
    struct vv_pickle p = read_pickle(&b);
    cr_assert_eq(vv_torch_type(&p, p.root), 0);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
}

TEST(torch_type, maps_each_element_type_of_torch)
{
    static const char *const names[] = { "float32", "float64", "float16",
        "bfloat16", "int64", "int32", "int16", "int8", "uint8", "uint16",
        "uint32", "uint64", "bool", "complex64", "complex128",
        "float8_e4m3fn", "float8_e5m2" };
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        varve_dtype type = type_of("torch", names[i]);
        cr_assert_str_eq(varve_dtype_name(type), names[i]);
        seen |= 1U << type;
    }
    cr_assert_eq(seen | 1U << VARVE_STRING, (2U << VARVE_DTYPE_COUNT) - 2);
}

struct looked {
    struct vv_buffer b;
    struct vv_pickle p;
    struct vv_torch_tensor t;
    enum vv_torch_kind kind;
};

static void look(struct looked *l)
{
    OP(&l->b, ".");
    l->p = read_pickle(&l->b);
    l->kind = vv_torch_tensor(&l->p, l->p.root, &l->t);
}

static void end(struct looked *l)
{
    vv_pickle_clear(&l->p);
    vv_buffer_clear(&l->b);
}

TEST(torch_tensor, is_a_storage_and_a_view_of_it)
{
    struct looked l = { .b = new_bytes() };
    put_tensor(&l.b, &(struct put){ .class = "HalfStorage", .key = "7",
        .count = 100, .offset = 5, .rank = 2, .shape = { 2, 3 },
        .strides = { 1, 4 } });
    look(&l);
    cr_assert_eq(l.kind, VV_TORCH_TENSOR);
    cr_assert_eq(l.t.type.dtype, VARVE_FLOAT16);
    cr_assert_eq(l.t.type.rank, 2);
    cr_assert_eq(l.t.type.shape[1], 3);
    cr_assert_eq(l.t.strides[1], 4);
    cr_assert_eq(l.t.offset, 5);
    cr_assert_eq(l.t.count, 100);
    cr_assert(vv_pickle_is_text(&l.p, l.t.key, "7"));
    cr_assert(l.t.has_storage);
    cr_assert_not(l.t.is_parameter);
    end(&l);
}

/* _rebuild_tensor_v3(storage, 0, (2,), (1,), False, None, dtype, signs) */
TEST(torch_tensor, has_its_own_type_and_signs)
{
    struct looked l = { .b = new_bytes() };
    put_global(&l.b, "torch._utils", "_rebuild_tensor_v3");
    OP(&l.b, "(");
    put_storage(&l.b, "UntypedStorage", "0", 4);
    OP(&l.b, "K\0K\2\x85K\1\x85\x89N");
    put_global(&l.b, "torch", "uint16");
    OP(&l.b, "}(");
    put_text(&l.b, "conj");
    OP(&l.b, "\x88");
    put_text(&l.b, "neg");
    OP(&l.b, "\x88utR");
    look(&l);
    cr_assert_eq(l.kind, VV_TORCH_TENSOR);
    cr_assert_eq(l.t.type.dtype, VARVE_UINT16);
    cr_assert_eq(l.t.of, VARVE_UINT8);
    cr_assert(l.t.conjugated);
    cr_assert(l.t.negated);
    end(&l);
}

TEST(torch_tensor, may_be_a_parameter_or_a_subclass)
{
    struct looked l = { .b = new_bytes() };
    put_global(&l.b, "torch._tensor", "_rebuild_from_type_v2");
    OP(&l.b, "(");
    put_global(&l.b, "torch._utils", "_rebuild_parameter");
    put_global(&l.b, "torch.nn", "Buffer");
    put_floats(&l.b, "0", 3);
    OP(&l.b, "\x88N\x87}tR");
    look(&l);
    cr_assert_eq(l.kind, VV_TORCH_TENSOR);
    cr_assert(l.t.is_parameter);
    cr_assert_eq(l.t.type.shape[0], 3);
    end(&l);
}

TEST(torch_tensor, may_have_no_value)
{
    struct looked l = { .b = new_bytes() };
    put_global(&l.b, "torch._utils", "_rebuild_meta_tensor_no_storage");
    OP(&l.b, "(");
    put_global(&l.b, "torch", "float32");
    OP(&l.b, "K\2\x85K\1\x85\x89tR");
    look(&l);
    cr_assert_eq(l.kind, VV_TORCH_TENSOR);
    cr_assert_not(l.t.has_storage);
    cr_assert_eq(l.t.type.shape[0], 2);
    end(&l);
}

TEST(torch_tensor, is_unsupported_by_its_type_layout_or_rank)
{
    static const char *const layouts[] = { "_rebuild_sparse_tensor",
        "_rebuild_qtensor", "_rebuild_wrapper_subclass" };
    struct looked l = { .b = new_bytes() };
    put_tensor(&l.b, &(struct put){ .class = "QInt8Storage", .key = "0" });
    look(&l);
    cr_assert_eq(l.kind, VV_TORCH_ALIEN);
    cr_assert(vv_pickle_is_global(&l.p, l.t.name, "torch", "QInt8Storage"));
    end(&l);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        l.b = new_bytes();
        put_global(&l.b, "torch._utils", layouts[i]);
        OP(&l.b, ")R");
        look(&l);
        cr_assert_eq(l.kind, VV_TORCH_ALIEN);
        cr_assert(vv_pickle_is_global(
            &l.p, l.t.name, "torch._utils", layouts[i]));
        end(&l);
    }
    l.b = new_bytes();
    put_tensor(&l.b, &(struct put){ .class = "FloatStorage", .key = "0",
        .rank = VARVE_MAX_RANK + 1 });
    look(&l);
    cr_assert_eq(l.kind, VV_TORCH_ALIEN);
    end(&l);
}

static void check_broken(struct looked *l, const char *expected)
{
    look(l);
    cr_assert_eq(l->kind, VV_TORCH_BROKEN);
    cr_assert_str_eq(l->t.expected, expected);
    end(l);
}

TEST(torch_tensor, is_invalid_with_arguments_of_other_kinds)
{
    struct looked l = { .b = new_bytes() };
    put_global(&l.b, "torch._utils", "_rebuild_tensor_v2");
    OP(&l.b, ")R");
    check_broken(&l, "storage");
    l.b = new_bytes();
    put_tensor(&l.b, &(struct put){ .class = "FloatStorage", .key = "0",
        .count = -1 });
    check_broken(&l, "storage with a key and a count");
    l.b = new_bytes();
    put_tensor(&l.b, &(struct put){ .class = "FloatStorage", .key = "0",
        .offset = -1 });
    check_broken(&l, "offset");
    l.b = new_bytes();
    put_tensor(&l.b, &(struct put){ .class = "FloatStorage", .key = "0",
        .rank = 1, .shape = { -1 } });
    check_broken(&l, "shape of integers");
    l.b = new_bytes();
    put_tensor(&l.b, &(struct put){ .class = "FloatStorage", .key = "0",
        .rank = 1, .shape = { 1 }, .strides = { -1 } });
    check_broken(&l, "stride for each dimension");
}

TEST(torch_tensor, is_distinguished_from_other_objects)
{
    struct looked l = { .b = new_bytes() };
    put_global(&l.b, "os", "system");
    OP(&l.b, "X\2\0\0\0ls\x85R");
    look(&l);
    cr_assert_eq(l.kind, VV_TORCH_OTHER);
    end(&l);
    l.b = new_bytes();
    OP(&l.b, "K\1");
    look(&l);
    cr_assert_eq(l.kind, VV_TORCH_OTHER);
    end(&l);
}

/* --- Positions of elements ------------------------------------------------ */

static struct vv_torch_tensor view(uint64_t offset, uint64_t a, uint64_t b,
    uint64_t stride_a, uint64_t stride_b)
{
    return (struct vv_torch_tensor){
        .type = { .dtype = VARVE_INT16, .rank = 2, .shape = { a, b } },
        .offset = offset, .strides = { stride_a, stride_b } };
}

TEST(torch_tensor, has_the_extent_of_its_last_element)
{
    uint64_t extent;
    struct vv_torch_tensor t = view(5, 2, 3, 10, 2);
    cr_assert(vv_torch_extent(&t, &extent));
    cr_assert_eq(extent, 5 + 10 + 2 * 2 + 1);
    t = view(1000, 0, 3, 10, 2);
    cr_assert(vv_torch_extent(&t, &extent));
    cr_assert_eq(extent, 0);
    t = view(0, UINT64_C(1) << 62, 3, 0, 0);
    cr_assert(vv_torch_extent(&t, &extent));
    cr_assert_eq(extent, 1);
    t = view(0, UINT64_C(1) << 33, 3, UINT64_C(1) << 32, 0);
    cr_assert_not(vv_torch_extent(&t, &extent));
    t = view(UINT64_MAX, 1, 1, 0, 0);
    cr_assert_not(vv_torch_extent(&t, &extent));
    t = view(UINT64_MAX, 2, 1, 1, 0);
    cr_assert_not(vv_torch_extent(&t, &extent));
}

TEST(torch_tensor, has_runs_of_elements)
{
    static const struct {
        uint64_t a, b, stride_a, stride_b, run;
        uint32_t outer;
    } cases[] = {
        { 2, 3, 3, 1, 6, 0 }, { 2, 3, 4, 1, 3, 1 }, { 2, 3, 1, 2, 1, 2 },
        { 1, 3, 77, 1, 3, 0 }, { 2, 3, 0, 1, 3, 1 }, { 2, 1, 1, 9, 2, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t outer;
        struct vv_torch_tensor t = view(0, cases[i].a, cases[i].b,
            cases[i].stride_a, cases[i].stride_b);
        cr_assert_eq(vv_torch_run(&t, &outer), cases[i].run, "%zu", i);
        cr_assert_eq(outer, cases[i].outer, "%zu", i);
    }
}

TEST(torch_tensor, has_a_size)
{
    uint64_t size;
    struct vv_torch_tensor t = view(0, 2, 3, 0, 0);
    cr_assert(vv_torch_size(&t, &size));
    cr_assert_eq(size, 12);
    t = view(0, UINT64_C(1) << 62, 3, 0, 0);
    cr_assert_not(vv_torch_size(&t, &size));
    t = view(0, UINT64_C(1) << 62, 2, 0, 0);
    cr_assert_not(vv_torch_size(&t, &size));
}

/* Each wraps the previous one; the number of nested wrappers is limited. */
TEST(torch_tensor, is_found_only_in_a_limited_number_of_wrappers)
{
    struct looked l = { .b = new_bytes() };
    put_floats(&l.b, "0", 1);
    OP(&l.b, "q\1" "0");
    for (int i = 0; i < 9; i++) {
        put_global(&l.b, "torch._utils", "_rebuild_parameter");
        OP(&l.b, "h\1\x85Rq\1" "0");
    }
    OP(&l.b, "h\1");
    look(&l);
    cr_assert_eq(l.kind, VV_TORCH_OTHER);
    end(&l);
}
