/* test_disjoint.c - Tests whether strided views overlap.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "disjoint.h"
#include "strided.h"

enum { ROOM = 512 };

static uint64_t next(uint64_t *seed, uint64_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % below;
}

/* Returns a random view within the buffer, with one to three dimensions and
 * gaps between elements, or a row-major one. */
static varve_tensor random_view(
    unsigned char *room, varve_memory *memory, int64_t *strides, uint64_t *seed)
{
    const varve_dtype dtypes[] = { VARVE_UINT8, VARVE_INT16, VARVE_INT32 };
    for (;;) {
        varve_tensor view = { .dtype = dtypes[next(seed, 3)],
            .rank = (uint32_t)(1 + next(seed, 3)) };
        int64_t at = (int64_t)next(seed, ROOM / 2), low = at;
        int64_t high = at + (int64_t)varve_dtype_size(view.dtype);
        for (uint32_t i = 0; i < view.rank; i++) {
            view.shape[i] = next(seed, 5);
            strides[i] = (int64_t)next(seed, 80) - 40;
            int64_t way = strides[i] * ((int64_t)view.shape[i] - 1);
            low += way < 0 ? way : 0;
            high += way > 0 ? way : 0;
        }
        *memory = (varve_memory){ .strides = strides };
        view.memory = next(seed, 4) ? memory : NULL;
        if (!view.memory)
            high = at + (int64_t)varve_tensor_size(&view), low = at;
        if (varve_tensor_count(&view) > 0 && (low < 0 || high > ROOM))
            continue;
        view.data = room + at;
        if (!view.memory || vv_strides_are_disjoint(&view))
            return view;
    }
}

/* Sets the bytes of the elements. */
static void paint(const varve_tensor *view, unsigned char *room)
{
    unsigned char ones[ROOM * 4];
    size_t size = (size_t)varve_tensor_size(view);
    cr_assert_leq(size, sizeof ones);
    memset(ones, 1, sizeof ones);
    memset(room, 0, ROOM);
    if (view->memory && size)
        vv_strided_in(view, 0, ones, size);
    else if (size)
        memcpy(view->data, ones, size);
}

TEST(disjoint, views_overlap_if_an_elementwise_search_finds_a_byte)
{
    static unsigned char room[ROOM], first[ROOM];
    uint64_t seed = 7;
    int shared = 0;
    for (int i = 0; i < 50000; i++) {
        varve_memory memory[2];
        int64_t strides[2][VARVE_MAX_RANK];
        varve_tensor a = random_view(room, &memory[0], strides[0], &seed);
        varve_tensor b = random_view(room, &memory[1], strides[1], &seed);
        bool wanted = false;
        paint(&a, room);
        memcpy(first, room, ROOM);
        paint(&b, room);
        struct vv_address_range span = vv_tensor_span(&b);
        for (size_t k = 0; k < ROOM; k++) {
            uintptr_t byte = (uintptr_t)room + k;
            wanted |= first[k] && room[k];
            cr_assert(!room[k] || (byte >= span.begin && byte < span.end));
        }
        cr_assert_eq(vv_tensors_share(&a, &b), wanted, "%d", i);
        cr_assert_eq(vv_tensors_share(&b, &a), wanted, "%d", i);
        shared += wanted;
    }
    cr_assert(shared > 1000 && shared < 45000, "%d", shared);
}

/* One column of a hundred million rows beside other columns. */
TEST(disjoint, columns_of_any_length_are_found_to_be_disjoint)
{
    const uint64_t rows = 100000000;
    int64_t four[] = { 32 }, other[] = { 96 }, rest[] = { 32, 8 };
    varve_memory column = { .strides = four }, third = { .strides = other },
                 columns = { .strides = rest };
    char *base = (char *)(uintptr_t)0x100000;
    varve_tensor x = { base, VARVE_FLOAT64, 1, &column, { rows } };
    varve_tensor y = { base + 8, VARVE_FLOAT64, 1, &column, { rows } };
    varve_tensor z = { base + 16, VARVE_FLOAT64, 2, &columns, { rows, 2 } };
    varve_tensor some = { base + 40, VARVE_FLOAT64, 1, &third, { rows / 3 } };
    cr_assert_not(vv_tensors_share(&x, &y));
    cr_assert_not(vv_tensors_share(&x, &z));
    cr_assert_not(vv_tensors_share(&y, &z));
    cr_assert_not(vv_tensors_share(&x, &some));
    cr_assert(vv_tensors_share(&y, &some));
    cr_assert(vv_tensors_share(&x, &x));
}
