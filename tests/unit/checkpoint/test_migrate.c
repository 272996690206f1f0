/* test_migrate.c - Tests elements that migrate between processes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <varve/migrating.h>
#include <varve/restoration.h>
#include <varve/snapshot.h>

#include "migrate.h"

enum { MOST = 700000 };

struct walker {
    int64_t id;
    uint8_t is_up;
    float extra;
};

/* The elements of the program and the behavior of its callbacks. */
struct walkers {
    struct walker *all;
    size_t count;
    uint32_t owner;
    size_t room;
};

static size_t count_walkers(void *user)
{
    return ((struct walkers *)user)->count;
}

static void get_walkers(void *user, void *structs)
{
    struct walkers *w = user;
    memcpy(structs, w->all, w->count * sizeof *w->all);
}

static void clear_walkers(void *user)
{
    ((struct walkers *)user)->count = 0;
}

static uint32_t owner_of_walker(void *user, const void *one)
{
    (void)one;
    return ((struct walkers *)user)->owner;
}

static varve_status put_walker(void *user, const void *one)
{
    struct walkers *w = user;
    if (w->count == w->room)
        return VARVE_LIMIT;
    w->all[w->count++] = *(const struct walker *)one;
    return VARVE_OK;
}

static const varve_field saved_fields[] = {
    VARVE_FIELD(struct walker, id),
    VARVE_FIELD(struct walker, is_up),
    VARVE_FIELDS_END,
};

static varve_node *build(struct walkers *w, const varve_field *fields)
{
    varve_node *root = new_root();
    varve_add_migrating(root, "walkers", NULL,
        &(varve_migrating){ fields, sizeof(struct walker),
            .count = count_walkers,
            .get = get_walkers,
            .clear = clear_walkers,
            .owner = owner_of_walker,
            .put = put_walker,
            .user = w });
    return root;
}

static void begin(struct walkers *w, size_t count)
{
    *w = (struct walkers){ .room = MOST };
    w->all = calloc(MOST, sizeof *w->all);
    cr_assert(w->all);
    for (size_t i = 0; i < count; i++)
        w->all[i] = (struct walker){ (int64_t)(i * i), i % 3 == 0, 1.5f };
    w->count = count;
}

static void save(size_t count)
{
    struct walkers w;
    varve_error error = { 0 };
    begin(&w, count);
    varve_node *root = build(&w, saved_fields);
    cr_assert_ok(varve_write(root, FILE_NAME, NULL, &error), error);
    free_root(root);
    free(w.all);
}

static varve_status load(
    struct walkers *w, const varve_field *fields, varve_error *error)
{
    varve_node *root = build(w, fields);
    varve_restoration *r = varve_read(root, FILE_NAME, NULL, error);
    varve_status status = r ? varve_assert_consumed(r, error) : error->status;
    varve_restoration_free(r);
    free_root(root);
    return status;
}

/* More than are read at once, none, and one. */
TEST(migrate, loads_elements_in_the_order_of_the_file)
{
    begin_world();
    static const size_t counts[] = { 0, 1, 600000 };
    for (int c = 0; c < 3; c++) {
        struct walkers w;
        varve_error error = { 0 };
        save(counts[c]);
        begin(&w, 5);
        cr_assert_ok(load(&w, saved_fields, &error), error);
        cr_assert_eq(w.count, counts[c]);
        for (size_t i = 0; i < w.count; i++) {
            cr_assert_eq(w.all[i].id, (int64_t)(i * i));
            cr_assert_eq(w.all[i].is_up, i % 3 == 0);
            cr_assert_eq(w.all[i].extra, 0); /* not in the file */
        }
        free(w.all);
    }
    end_world();
}

/* The error message contains the reason and the location. */
TEST(migrate, reports_refused_elements)
{
    begin_world();
    static const varve_field less[] = {
        VARVE_FIELD(struct walker, id),
        VARVE_FIELDS_END,
    };
    static const varve_field other[] = {
        VARVE_FIELD(struct walker, id),
        VARVE_FIELD(struct walker, extra, .called = "is_up"),
        VARVE_FIELDS_END,
    };
    static const varve_field more[] = {
        VARVE_FIELD(struct walker, id),
        VARVE_FIELD(struct walker, is_up),
        VARVE_FIELD(struct walker, extra),
        VARVE_FIELDS_END,
    };
    static const struct {
        const varve_field *fields;
        uint32_t owner;
        size_t room;
        const char *text;
    } wrong[] = {
        { less, 0, 9,
            "walkers/0/is_up: the table has no such field "
            "(VARVE_FIELD_GONE is for fields that only" },
        { other, 0, 9, "walkers/0/is_up: expected float32[9], found uint8" },
        { more, 0, 9, "walkers/0/extra: the value is missing" },
        { saved_fields, 1, 9, "walkers/0: 0: the owner must be below 1" },
        { saved_fields, 0, 7,
            "walkers/0: 7: the `put` callback returned VARVE_LIMIT" },
    };
    save(9);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct walkers w;
        varve_error error = { 0 };
        begin(&w, 2);
        w.owner = wrong[i].owner;
        w.room = wrong[i].room;
        cr_assert_eq(
            load(&w, wrong[i].fields, &error), VARVE_PARTIALLY_RESTORED);
        cr_assert(
            strstr(error.message, wrong[i].text), "%s", error.message);
        free(w.all);
    }
    end_world();
}

TEST(migrate, accepts_added_and_removed_fields)
{
    begin_world();
    static const varve_field newer[] = {
        VARVE_FIELD_GONE("is_up"),
        VARVE_FIELD(struct walker, extra, .is_later = true),
        VARVE_FIELD(struct walker, id),
        VARVE_FIELDS_END,
    };
    struct walkers w;
    varve_error error = { 0 };
    save(9);
    begin(&w, 2);
    cr_assert_ok(load(&w, newer, &error), error);
    cr_assert_eq(w.count, 9);
    cr_assert_eq(w.all[8].id, 64);
    cr_assert_eq(w.all[8].extra, 0);
    free(w.all);
    end_world();
}

TEST(migrate, loads_elements_added_after_the_read)
{
    begin_world();
    struct walkers w;
    varve_error error = { 0 };
    save(9);
    begin(&w, 2);
    varve_node *root = new_root();
    varve_restoration *r = varve_read(root, FILE_NAME, NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_node *later = build(&w, saved_fields);
    free_root(later);
    cr_assert_eq(w.count, 2);
    varve_add_migrating(root, "walkers", NULL,
        &(varve_migrating){ saved_fields, sizeof(struct walker),
            .count = count_walkers,
            .get = get_walkers,
            .clear = clear_walkers,
            .put = put_walker,
            .user = &w });
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    cr_assert_eq(w.count, 9);
    varve_restoration_free(r);
    free_root(root);
    free(w.all);
    end_world();
}

TEST(migrate, is_restored_by_a_snapshot_of_the_same_number)
{
    begin_world();
    struct walkers w;
    varve_error error = { 0 };
    begin(&w, 6);
    varve_node *root = build(&w, saved_fields);
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert(s, "%s", error.message);
    w.all[3].id = -1;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(w.count, 6);
    cr_assert_eq(w.all[3].id, 9);
    w.count = 4;
    w.all[3].id = -1;
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_MISMATCH);
    cr_assert_eq(w.all[3].id, -1);
    varve_snapshot_free(s);
    free_root(root);
    free(w.all);
    end_world();
}
