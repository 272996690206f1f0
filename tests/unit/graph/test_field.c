/* test_field.c - Tests field tables of structs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <complex.h>
#include <stdlib.h>

#include "field.h"

enum color { RED, GREEN, BLUE };

struct point {
    float at[2];
    int8_t weight;
};

struct all {
    bool flag;
    enum color color;
    signed char i8;
    short i16;
    int i32;
    long long i64;
    unsigned char u8;
    unsigned short u16;
    unsigned u32;
    unsigned long long u64;
    size_t size;
    float f32;
    double f64;
    float complex c64;
    double complex c128;
    varve_string string;
    float row[5];
    enum color colors[3];
    double matrix[3][4];
    float cube[2][3][9];
    uint16_t half[6];
    char raw[8];
    int *many;
    float *restrict grid;
    double (*rows)[9];
    int8_t count;
    uint16_t width;
    char name[16];
    struct point point;
    struct point points[2];
    struct point *behind;
    struct point *one;
    uint8_t tail_count;
    short tail[];
};

static const varve_field point_fields[] = {
    VARVE_FIELD_ARRAY(struct point, at),
    VARVE_FIELD(struct point, weight),
    VARVE_FIELDS_END,
};

static const varve_field all_fields[] = {
    VARVE_FIELD(struct all, flag),
    VARVE_FIELD(struct all, color),
    VARVE_FIELD(struct all, i8),
    VARVE_FIELD(struct all, i16),
    VARVE_FIELD(struct all, i32),
    VARVE_FIELD(struct all, i64),
    VARVE_FIELD(struct all, u8),
    VARVE_FIELD(struct all, u16),
    VARVE_FIELD(struct all, u32),
    VARVE_FIELD(struct all, u64),
    VARVE_FIELD(struct all, size),
    VARVE_FIELD(struct all, f32),
    VARVE_FIELD(struct all, f64),
    VARVE_FIELD(struct all, c64),
    VARVE_FIELD(struct all, c128),
    VARVE_FIELD(struct all, string),
    VARVE_FIELD_ARRAY(struct all, row),
    VARVE_FIELD_ARRAY(struct all, colors),
    VARVE_FIELD_ARRAY(struct all, matrix),
    VARVE_FIELD_ARRAY_3D(struct all, cube),
    VARVE_FIELD_AS(struct all, half, VARVE_FLOAT16),
    VARVE_FIELD_AS(struct all, raw, VARVE_UINT8),
    VARVE_FIELD_POINTER(struct all, many, count),
    VARVE_FIELD_POINTER_2D(struct all, grid, count, width),
    VARVE_FIELD_POINTER(struct all, rows, width),
    VARVE_FIELD_END(struct all, tail, tail_count),
    VARVE_FIELDS_END,
};

static void check_view(const struct all *all, const char *name, void *data,
    const char *text)
{
    char found[VARVE_TENSOR_TEXT_SIZE];
    const varve_field *f = all_fields;
    while (f->kind && strcmp(f->name, name) != 0)
        f++;
    cr_assert(f->kind, "%s", name);
    varve_tensor view = vv_field_view(f, all);
    cr_assert_eq(view.data, data, "%s", name);
    cr_assert_str_eq(varve_tensor_text(&view, found), text, "%s", name);
}

TEST(field, has_the_type_shape_and_offset_of_its_member)
{
    char room[sizeof(struct all) + 8 * sizeof(short)] = { 0 };
    struct all *a = (struct all *)(void *)room;
    static int many[3];
    static float grid[6];
    static double rows[2][9];
    a->many = many;
    a->grid = grid;
    a->rows = rows;
    a->count = 3;
    a->width = 2;
    a->tail_count = 4;
    check_view(a, "flag", &a->flag, "bool[]");
    check_view(a, "color", &a->color, "uint32[]");
    check_view(a, "i8", &a->i8, "int8[]");
    check_view(a, "i16", &a->i16, "int16[]");
    check_view(a, "i32", &a->i32, "int32[]");
    check_view(a, "i64", &a->i64, "int64[]");
    check_view(a, "u8", &a->u8, "uint8[]");
    check_view(a, "u16", &a->u16, "uint16[]");
    check_view(a, "u32", &a->u32, "uint32[]");
    check_view(a, "u64", &a->u64, "uint64[]");
    check_view(a, "size", &a->size,
        sizeof(size_t) == 8 ? "uint64[]" : "uint32[]");
    check_view(a, "f32", &a->f32, "float32[]");
    check_view(a, "f64", &a->f64, "float64[]");
    check_view(a, "c64", &a->c64, "complex64[]");
    check_view(a, "c128", &a->c128, "complex128[]");
    check_view(a, "string", &a->string, "string[]");
    check_view(a, "row", a->row, "float32[5]");
    check_view(a, "colors", a->colors, "uint32[3]");
    check_view(a, "matrix", a->matrix, "float64[3,4]");
    check_view(a, "cube", a->cube, "float32[2,3,9]");
    check_view(a, "half", a->half, "float16[6]");
    check_view(a, "raw", a->raw, "uint8[8]");
    check_view(a, "many", many, "int32[3]");
    check_view(a, "grid", grid, "float32[3,2]");
    check_view(a, "rows", rows, "float64[2,9]");
    check_view(a, "tail", a->tail, "int16[4]");
}

/* Counts of every integer type, and their invalid values. */
TEST(field, is_counted_by_any_integer)
{
    struct counts {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        float *p;
    } c = { 0 };
    static const varve_field fields[] = {
        VARVE_FIELD_POINTER(struct counts, p, i8),
        VARVE_FIELD_POINTER(struct counts, p, i16),
        VARVE_FIELD_POINTER(struct counts, p, i32),
        VARVE_FIELD_POINTER(struct counts, p, i64),
        VARVE_FIELD_POINTER(struct counts, p, u8),
        VARVE_FIELD_POINTER(struct counts, p, u16),
        VARVE_FIELD_POINTER(struct counts, p, u32),
        VARVE_FIELD_POINTER(struct counts, p, u64),
    };
    static const uint64_t most[] = { INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX,
        UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX };
    for (size_t i = 0; i < 8; i++) {
        cr_assert(vv_field_set_extent(&fields[i], &c, 0, most[i]), "%zu", i);
        cr_assert_eq(vv_field_extent(&fields[i], &c, 0), most[i], "%zu", i);
        if (i != 7)
            cr_assert(!vv_field_set_extent(&fields[i], &c, 0, most[i] + 1));
        cr_assert_eq(vv_field_extent(&fields[i], &c, 0), most[i], "%zu", i);
    }
    cr_assert_eq(c.i8, INT8_MAX);
    cr_assert_eq(c.u64, UINT64_MAX);
}

TEST(field, may_have_additional_fixed_extents)
{
    struct sparse {
        int rows;
        uint64_t most;
        int *begin;
        float *always;
    } s = { .rows = 3 };
    static int begin[4];
    static float always[20];
    static const varve_field fields[] = {
        VARVE_FIELD_POINTER(struct sparse, begin, rows, .more = 1),
        VARVE_FIELD_POINTER(struct sparse, begin, most, .more = 2),
        VARVE_FIELD_POINTER_TO(struct sparse, always, 4 * 5),
    };
    s.begin = begin;
    s.always = always;
    cr_assert_eq(vv_field_view(&fields[0], &s).shape[0], 4);
    cr_assert_eq(vv_field_view(&fields[2], &s).shape[0], 20);
    cr_assert_eq(vv_field_view(&fields[2], &s).data, always);
    cr_assert(vv_field_set_extent(&fields[0], &s, 0, 6) && s.rows == 5);
    cr_assert(vv_field_set_extent(&fields[0], &s, 0, 1) && s.rows == 0);
    cr_assert(!vv_field_set_extent(&fields[0], &s, 0, 0) && s.rows == 0);
    cr_assert(vv_field_set_extent(
        &fields[0], &s, 0, (uint64_t)INT32_MAX + 1));
    cr_assert(!vv_field_set_extent(
        &fields[0], &s, 0, (uint64_t)INT32_MAX + 2));
    cr_assert(vv_field_set_extent(&fields[1], &s, 0, UINT64_MAX));
    cr_assert_eq(s.most, UINT64_MAX - 2);
    s.most = UINT64_MAX;
    cr_assert_eq(vv_field_extent(&fields[1], &s, 0), UINT64_MAX);
}

static size_t twice(const void *object)
{
    const struct point *point = object;
    return 2 * (size_t)point->weight;
}

TEST(field, may_be_counted_by_a_function)
{
    struct counted {
        float at[2];
        int8_t weight; /* as in a point */
        float *many;
        struct point *points;
    } c = { .weight = 3 };
    static const varve_field fields[] = {
        VARVE_FIELD_POINTER_BY(struct counted, many, twice, .more = 1),
        VARVE_FIELD_STRUCTS_BY(struct counted, points, point_fields, twice),
    };
    cr_assert_eq(vv_field_extent(&fields[0], &c, 0), 7);
    cr_assert_eq(vv_field_extent(&fields[1], &c, 0), 6);
    cr_assert(vv_field_set_extent(&fields[0], &c, 0, 7));
    cr_assert(!vv_field_set_extent(&fields[0], &c, 0, 6));
    cr_assert_eq(c.weight, 3);
}

TEST(field, may_have_another_name)
{
    static const varve_field f = VARVE_FIELD(
        struct point, weight, .called = "mass", .older_names = "m");
    cr_assert_str_eq(vv_field_name(&f), "mass");
    cr_assert(vv_field_is_called(&f, "mass"));
    cr_assert(vv_field_is_called(&f, "m"));
    cr_assert(!vv_field_is_called(&f, "weight"));
}

TEST(field, is_found_by_its_name_and_older_names)
{
    static const varve_field f =
        VARVE_FIELD(struct point, weight, .older_names = "mass|m");
    cr_assert(vv_field_is_called(&f, "weight"));
    cr_assert(vv_field_is_called(&f, "mass"));
    cr_assert(vv_field_is_called(&f, "m"));
    cr_assert(!vv_field_is_called(&f, "ma"));
    cr_assert(!vv_field_is_called(&f, "mass|m"));
    cr_assert(!vv_field_is_called(&f, ""));
}

/* --- Invalid tables ----------------------------------------------------- */

static void check_refused(const varve_field *fields, void *object, size_t size,
    const char *says)
{
    varve_graph *graph = new_graph();
    varve_error error = { 0 };
    varve_node *root = varve_graph_root(graph);
    size_t before = node_count(graph);
    varve_node *net = varve_add_object(root, "net");
    varve_node *node = varve_add_sized_struct(net, "s", fields, object, size);
    cr_assert_eq(varve_node_kind(node), VARVE_NIL);
    cr_assert_eq(node_count(graph), before + 1);
    cr_assert_neq(varve_graph_check(graph, &error), VARVE_OK);
    cr_assert(strstr(error.message, says), "%s", error.message);
    varve_graph_free(graph);
}

TEST(field, reports_a_table_that_does_not_match_its_struct)
{
    struct net {
        struct point *points;
        int count;
        struct point in[2];
        char name[4];
    } net = { .count = -1 };
    struct point point = { 0 };
    const varve_field list = VARVE_FIELD_STRUCTS_AT(
        struct net, points, point_fields, count);
    varve_field fields[3] = { list, VARVE_FIELDS_END };
    check_refused(fields, &net, sizeof net,
        "net/s/points: the count is -1: set it to the number of elements");
    net.count = 1;
    check_refused(fields, &net, sizeof net,
        "net/s/points: the pointer for 1 element is NULL");
    net.points = &point;
    check_refused(fields, &net, sizeof(void *),
        "net/s/points: the fields belong to another struct");
    check_refused(NULL, &net, sizeof net,
        "net/s: the fields of the struct "
        "are NULL");
    check_refused(fields, NULL, sizeof net, "net/s: the struct is NULL");
    fields[0].fields = all_fields;
    check_refused(
        fields, &net, sizeof net, "net/s/points/0/flag: the fields belong");
    fields[0].fields = NULL;
    check_refused(fields, &net, sizeof net, "net/s/points/0: the");
    fields[0] = fields[1] = list;
    fields[2] = (varve_field)VARVE_FIELDS_END;
    check_refused(fields, &net, sizeof net,
        "net/s/points: the member is "
        "listed twice");
    fields[1] = point_fields[1];
    check_refused(fields, &net, 0,
        "net/s/weight: the member belongs to "
        "another struct than those before");
    fields[1] = (varve_field)VARVE_FIELD_STRUCT(struct net, in, point_fields);
    check_refused(fields, &net, 0,
        "net/s/in/at: the fields belong to "
        "another struct");
}

static const struct {
    varve_field field;
    const char *says;
} refused_fields[] = {
    { { .kind = (varve_field_kind)9, .name = "x" },
        "the kind of the field is invalid" },
    { { .kind = VARVE_FIELD_IS_VALUE },
        "s/?: the name of the member is invalid; does the table end with "
        "VARVE_FIELDS_END?" },
    { { .kind = VARVE_FIELD_IS_VALUE, .name = "" }, "the name of the member" },
    { { .kind = VARVE_FIELD_IS_VALUE, .name = "x" },
        "the element type is invalid" },
    { { .kind = VARVE_FIELD_IS_VALUE, .name = "x", .offset = 20 },
        "the member is outside its struct" },
    { { .kind = VARVE_FIELD_IS_VALUE, .name = "x", .is_pointer = true },
        "the member is outside its struct" },
    { { .kind = VARVE_FIELD_IS_VALUE, .name = "x", .rank = 4 },
        "this kind of field cannot have these extents" },
    { { .kind = VARVE_FIELD_IS_STRUCT, .name = "x", .rank = 1 },
        "this kind of field cannot have these extents" },
    { { .kind = VARVE_FIELD_IS_LIST, .name = "x" },
        "this kind of field cannot have these extents" },
    { { .kind = VARVE_FIELD_IS_TEXT, .name = "x" }, "the text has no room" },
    { { .kind = VARVE_FIELD_IS_VALUE,
          .name = "x",
          .size = 4,
          .element_size = 4,
          .dtype = VARVE_FLOAT64 },
        "the size of the elements does not fit their type" },
    { { .kind = VARVE_FIELD_IS_VALUE,
          .name = "x",
          .size = 4,
          .element_size = 6,
          .dtype = VARVE_FLOAT32,
          .has_rows = true },
        "the size of the elements does not fit their type" },
    { { .kind = VARVE_FIELD_IS_VALUE,
          .name = "x",
          .size = 8,
          .element_size = 4,
          .dtype = VARVE_FLOAT32 },
        "the size of the member differs from its extents" },
    { { .kind = VARVE_FIELD_IS_VALUE,
          .name = "x",
          .size = 8,
          .rank = 1,
          .extents = { { 0, VARVE_FLOAT32 } } },
        "the member that counts is not an integer" },
    { { .kind = VARVE_FIELD_IS_VALUE,
          .name = "x",
          .size = 8,
          .rank = 1,
          .extents = { { 11, VARVE_INT16 } } },
        "the member is outside its struct" },
    { { .kind = VARVE_FIELD_IS_VALUE,
          .name = "x",
          .element_size = 4,
          .dtype = VARVE_FLOAT32,
          .rank = 2,
          .extents = { { SIZE_MAX, 0 }, { 2, 0 } } },
        "does not fit in memory" },
    { { .kind = VARVE_FIELD_IS_VALUE,
          .name = "x",
          .element_size = 4,
          .dtype = VARVE_FLOAT32,
          .rank = 1,
          .extents = { { SIZE_MAX / 2, 0 } } },
        "does not fit in memory" },
    { { .kind = VARVE_FIELD_IS_VALUE,
          .name = "x",
          .size = 8,
          .rank = 1,
          .more = 1,
          .extents = { { 2, 0 } } },
        "the member that counts its elements is missing" },
    { { .kind = VARVE_FIELD_IS_VALUE, .name = "x", .older_names = "a|\xff" },
        "older names" },
    { { .kind = VARVE_FIELD_IS_VALUE,
          .name = "x",
          .reserved = { (void *)"later" } },
        "the field was made for a newer version of Varve" },
};

TEST(field, reports_invalid_fields_of_a_handwritten_table)
{
    struct point p = { 0 };
    for (size_t i = 0; i < sizeof refused_fields / sizeof *refused_fields;
         i++) {
        varve_field fields[2] = { refused_fields[i].field, VARVE_FIELDS_END };
        fields[0].struct_size = sizeof p;
        check_refused(fields, &p, sizeof p, refused_fields[i].says);
    }
}

/* A cycle of structs is infinitely deep. */
TEST(field, reports_structs_nested_too_deeply)
{
    struct ring {
        struct ring *next;
    } ring = { &ring };
    static varve_field fields[2];
    fields[0] = (varve_field)VARVE_FIELD_STRUCT_AT(struct ring, next, fields);
    check_refused(fields, &ring, sizeof ring,
        "structs are nested more than 32 deep or in a cycle");
}
