/* test_worker_pieces.c - Tests reading selected elements as boxes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>

#include "worker.h"
#include "support/test_context.h"
#include "system.h"

enum { COUNT = 5, LARGE = (5 << 20) + 77 };

static const size_t sizes[COUNT] = { 3, 0, LARGE, 1000, LARGE / 3 };

static struct vv_piece piece(const void *user, size_t i)
{
    struct vv_piece p = { 0 };
    unsigned char *const *memory = user;
    for (size_t k = 0; k < i; k++)
        p.at += sizes[k] + 10;
    p.to = i == 3 ? NULL : memory[1] + p.at;
    p.from = memory[0] + p.at;
    p.size = sizes[i];
    return p;
}

TEST(pieces, copies_each_and_no_bytes_between_them)
{
    struct vv_context context = test_context(&vv_posix_system);
    for (size_t count = 1; count <= COUNT; count++) {
        size_t room = 2 * LARGE;
        unsigned char *memory[2] = { malloc(room), calloc(1, room) };
        cr_assert(memory[0] && memory[1]);
        for (size_t i = 0; i < room; i++)
            memory[0][i] = (unsigned char)(i * 31 + (i >> 12) + 1);
        struct vv_piece last = piece(memory, count - 1);
        struct vv_pieces pieces = { .count = count,
            .size = last.at + last.size,
            .piece = piece,
            .user = memory };
        vv_copy_pieces(&context, &pieces);
        for (size_t i = 0; i < count; i++) {
            struct vv_piece p = piece(memory, i);
            if (p.to)
                cr_assert_eq(memcmp(p.to, p.from, p.size), 0);
            for (size_t k = 0; k < 10; k++)
                cr_assert_eq(memory[1][p.at + p.size + k], 0);
        }
        free(memory[0]);
        free(memory[1]);
    }
}
