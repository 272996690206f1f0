/* test_set_aside.c - Tests renaming files of other sets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "redundancy_world.h"

#include "set_aside.h"

static varve_status set_aside(const char *path, varve_error *message)
{
    varve_comm comm = { .size = 1 };
    const struct vv_redundancy r = redundancy_of(&comm);
    varve_error error = { 0 };
    *message = (varve_error){ 0 };
    return vv_set_aside(&r, path, UINT64_C(0xfe), message, &error);
}

static void check_bytes(const char *path, const char *bytes)
{
    size_t size;
    const unsigned char *found = memory_bytes(world.memory, path, &size);
    cr_assert(found, "%s", path);
    cr_assert(size == strlen(bytes) && memcmp(found, bytes, size) == 0);
}

TEST(set_aside, replaces_no_file)
{
    varve_error message;
    begin_world(1, VARVE_XOR);
    memory_put(world.memory, "run/ckpt-3.varve", "one", 3);
    cr_assert_eq(set_aside("run/ckpt-3.varve", &message), VARVE_OK);
    cr_assert_eq(message.status, VARVE_EXISTS);
    cr_assert(strstr(message.message,
                  "run/ckpt-3.varve: another run saved this file") &&
                  strstr(message.message, "ckpt-3.00000000000000fe.varve"),
        "%s", message.message);
    memory_put(world.memory, "run/ckpt-3.varve", "two", 3);
    cr_assert_eq(set_aside("run/ckpt-3.varve", &message), VARVE_OK);
    check_bytes("run/ckpt-3.00000000000000fe.varve", "one");
    check_bytes("run/ckpt-3.00000000000000ff.varve", "two");
    cr_assert_eq(memory_file_count(world.memory), 2);
    end_world();
}

TEST(set_aside, does_nothing_without_a_file)
{
    varve_error message;
    begin_world(1, VARVE_XOR);
    cr_assert_eq(set_aside("run/ckpt-3.parity", &message), VARVE_OK);
    cr_assert_eq(message.status, VARVE_OK);
    cr_assert_eq(memory_file_count(world.memory), 0);
    end_world();
}
