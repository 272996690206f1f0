/* test_layer_out_folder.c - Tests the folder of data files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <errno.h>

#include "directory.h"
#include "file.h"
#include "layer_out.h"
#include "layers_in.h"
#include "support/faulty_system.h"

static int open_folder(const struct vv_context *context)
{
    struct vv_buffer inside;
    varve_error error = { 0 };
    int folder = -1;
    vv_buffer_init(&inside, &context->allocator);
    cr_assert_ok(vv_layer_folder_open(
                     context, "run/m.varve", 0, &inside, &folder, &error),
        error);
    cr_assert_str_eq(vv_buffer_string(&inside), "run/layers/");
    vv_buffer_clear(&inside);
    return folder;
}

TEST(layer_folder, is_created_and_locked_shared)
{
    const struct vv_system *s;
    begin_world();
    s = world.context.system;
    int one = open_folder(&world.context), other = open_folder(&world.context);
    int third = s->open_directory(s->state, VV_WORKING_DIRECTORY, "run/layers");
    cr_assert_eq(s->lock(s->state, third), -EWOULDBLOCK);
    vv_file_close(&world.context, one);
    vv_file_close(&world.context, other);
    cr_assert_eq(s->lock(s->state, third), 0);
    vv_file_close(&world.context, third);
    end_world();
}

/* Its name is synced only once for a program that saves repeatedly. */
TEST(layer_folder, parent_is_synced_once_if_that_is_recorded)
{
    struct vv_durable durable = { 0 };
    begin_world();
    struct faulty *faulty = faulty_new(world.context.system);
    struct vv_context context = test_context(faulty_system(faulty));
    vv_file_close(&context, open_folder(&context));
    for (int i = 0; i < 4; i++) {
        context.durable_layers = i < 2 ? NULL : &durable;
        faulty_plan(faulty, NULL);
        vv_file_close(&context, open_folder(&context));
        size_t at = faulty_log_find(faulty, FAULTY_SYNC_DIRECTORY, 0);
        cr_assert_eq(at < faulty_log_size(faulty), i < 3, "time %d", i);
    }
    faulty_free(faulty);
    end_world();
}

TEST(layer_folder, chooses_unused_names)
{
    uint8_t one[16], other[16], found[16];
    struct vv_buffer inside;
    varve_error error = { 0 };
    begin_world();
    vv_buffer_init(&inside, &world.context.allocator);
    cr_assert_ok(
        vv_layer_choose(&world.context, "m", one, &inside, &error), error);
    cr_assert(vv_layer_parse_name(vv_buffer_string(&inside), found));
    cr_assert_eq(memcmp(one, found, sizeof one), 0);
    inside.size = 0;
    cr_assert_ok(
        vv_layer_choose(&world.context, "m", other, &inside, &error), error);
    cr_assert_neq(memcmp(one, other, sizeof one), 0);
    vv_buffer_clear(&inside);
    end_world();
}

TEST(layer_folder, reports_names_that_may_not_be_durable)
{
    varve_error error = { 0 };
    begin_world();
    struct faulty *faulty = faulty_new(world.context.system);
    struct vv_context context = test_context(faulty_system(faulty));
    int folder = open_folder(&context);
    cr_assert_ok(vv_layer_folder_sync(&context, folder, "m", &error), error);
    faulty_plan(faulty,
        &(struct faulty_plan){
            .sticky = true, .kinds = FAULTY_SYNC_DIRECTORY, .error = EIO });
    cr_assert_eq(
        vv_layer_folder_sync(&context, folder, "m", &error), VARVE_IO);
    vv_file_close(&context, folder);
    faulty_free(faulty);
    end_world();
}

static int refuse_link(void *state, int directory, const char *name)
{
    (void)state, (void)directory, (void)name;
    return -ENOTDIR;
}

TEST(layer_folder, is_marked_as_shared_if_it_is_a_link)
{
    size_t size;
    begin_world();
    vv_file_close(&world.context, open_folder(&world.context));
    cr_assert_null(memory_bytes(world.memory, "run/layers/shared", &size));
    struct vv_system linked = *world.context.system;
    struct vv_context context = world.context;
    linked.open_real_directory = refuse_link;
    context.system = &linked;
    for (int i = 0; i < 2; i++) /* the second time it exists already */
        vv_file_close(&context, open_folder(&context));
    cr_assert(memory_bytes(world.memory, "run/layers/shared", &size));
    end_world();
}

TEST(layer_folder, is_not_opened_if_the_marker_cannot_be_created)
{
    struct vv_buffer inside;
    varve_error error = { 0 };
    int folder = -1;
    begin_world();
    vv_file_close(&world.context, open_folder(&world.context));
    struct faulty *faulty = faulty_new(world.context.system);
    struct vv_system linked = *faulty_system(faulty);
    struct vv_context context = test_context(&linked);
    linked.open_real_directory = refuse_link;
    faulty_plan(faulty,
        &(struct faulty_plan){
            .sticky = true, .kinds = FAULTY_CREATE, .error = ENOSPC });
    vv_buffer_init(&inside, &context.allocator);
    cr_assert_eq(vv_layer_folder_open(
                     &context, "run/m.varve", 0, &inside, &folder, &error),
        VARVE_NO_SPACE);
    cr_assert_eq(folder, -1);
    cr_assert(strstr(error.message, "\"shared\""), "%s", error.message);
    vv_buffer_clear(&inside);
    faulty_free(faulty);
    end_world();
}
