/* test_migrating.c - Tests redistributable arrays of structs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <varve/memory.h>

#include "migrating.h"
#include "struct_look.h"

struct bird {
    int8_t kind;
    float at[2][3];
    float *name;
};

/* The structs of the program. */
struct flock {
    struct bird birds[9];
    size_t count;
};

static size_t count_birds(void *user)
{
    return ((struct flock *)user)->count;
}

static void get_birds(void *user, void *structs)
{
    struct flock *flock = user;
    memcpy(structs, flock->birds, flock->count * sizeof *flock->birds);
}

static void clear_birds(void *user)
{
    ((struct flock *)user)->count = 0;
}

static varve_status put_bird(void *user, const void *one)
{
    struct flock *flock = user;
    flock->birds[flock->count++] = *(const struct bird *)one;
    return VARVE_OK;
}

static const varve_field bird_fields[] = {
    VARVE_FIELD(struct bird, kind),
    VARVE_FIELD_ARRAY(struct bird, at, .called = "where"),
    VARVE_FIELD_GONE("weight"),
    VARVE_FIELDS_END,
};

static varve_migrating migrating(struct flock *flock)
{
    return (varve_migrating){ bird_fields, sizeof(struct bird),
        .count = count_birds,
        .get = get_birds,
        .clear = clear_birds,
        .put = put_bird,
        .user = flock };
}

static varve_node *add(varve_graph *graph, const varve_migrating *m)
{
    return varve_add_migrating(varve_graph_root(graph), "birds", NULL, m);
}

TEST(migrating, are_columns_of_the_current_structs)
{
    varve_graph *graph = new_graph();
    struct flock flock = { .count = 0 };
    varve_migrating m = migrating(&flock);
    varve_node *mine = add(graph, &m);
    varve_error error = { 0 };
    for (size_t count = 0; count <= 9; count++) {
        flock.count = count;
        for (size_t i = 0; i < count; i++) {
            flock.birds[i].kind = (int8_t)(count + i);
            flock.birds[i].at[1][2] = (float)i;
        }
        cr_assert_ok(
            vv_structs_look(varve_graph_root(graph), &error), error);
        const varve_tensor *kind = varve_value(varve_find(mine, "kind"));
        const varve_tensor *where = varve_value(varve_find(mine, "where"));
        cr_assert_eq(kind->rank, 1);
        cr_assert_eq(kind->shape[0], count);
        cr_assert_eq(where->rank, 3);
        cr_assert_eq(where->shape[0], count);
        cr_assert_eq(where->shape[1], 2);
        cr_assert_eq(where->shape[2], 3);
        cr_assert_eq(where->memory->strides[0], (int64_t)sizeof(struct bird));
        for (size_t i = 0; i < count; i++) {
            const int8_t *one = kind->data;
            cr_assert_eq(
                one[i * sizeof(struct bird)], (int8_t)(count + i));
        }
    }
    cr_assert_null(varve_find(mine, "weight"));
    varve_graph_free(graph);
}

TEST(migrating, are_packed_in_memory_of_their_size)
{
    varve_graph *graph = new_graph();
    struct flock flock = { .count = 9 };
    varve_migrating m = migrating(&flock);
    struct vv_migrating *packed = vv_migrating_of(add(graph, &m));
    varve_error error = { 0 };
    cr_assert_ok(vv_structs_look(varve_graph_root(graph), &error), error);
    cr_assert_geq(packed->room, 9 * sizeof(struct bird));
    flock.count = 1;
    cr_assert_ok(vv_structs_look(varve_graph_root(graph), &error), error);
    cr_assert_lt(packed->room, 3 * sizeof(struct bird));
    varve_graph_free(graph);
}

TEST(migrating, allow_only_numbers_and_arrays_in_the_struct)
{
    static const varve_field pointer[] = {
        VARVE_FIELD_POINTER_TO(struct bird, name, 3),
        VARVE_FIELDS_END,
    };
    static const varve_field other[] = {
        VARVE_FIELD(struct flock, count),
        VARVE_FIELDS_END,
    };
    static const varve_field *const wrong[] = { NULL, pointer, other };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        varve_graph *graph = new_graph();
        struct flock flock = { .count = 0 };
        varve_migrating m = migrating(&flock);
        varve_error error = { 0 };
        m.fields = wrong[i];
        add(graph, &m);
        cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE);
        cr_assert_eq(strncmp(error.message, "birds", 5), 0, "%s",
            error.message);
        cr_assert_null(varve_find(varve_graph_root(graph), "birds"));
        varve_graph_free(graph);
    }
}

TEST(migrating, require_all_functions_except_the_owner)
{
    for (int i = 0; i < 4; i++) {
        varve_graph *graph = new_graph();
        struct flock flock = { .count = 0 };
        varve_migrating m = migrating(&flock);
        if (i == 0)
            m.count = NULL;
        else if (i == 1)
            m.get = NULL;
        else if (i == 2)
            m.clear = NULL;
        else
            m.put = NULL;
        add(graph, &m);
        cr_assert_eq(varve_graph_check(graph, NULL), VARVE_MISUSE);
        varve_graph_free(graph);
    }
}
