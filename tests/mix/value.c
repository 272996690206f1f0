/* value.c - Converts small integers to elements of every type.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "mix/views.h"

const char *mix_name(uint8_t name)
{
    static const char *const pool[MIX_NAMES] = { "a", "b", "c", "d", "k",
        "x/y" };
    static char decimals[UINT8_MAX + 1 - MIX_POSITIONS][4];
    if (name < MIX_POSITIONS)
        return pool[name % MIX_NAMES];
    char *text = decimals[name - MIX_POSITIONS];
    snprintf(text, sizeof decimals[0], "%d", name - MIX_POSITIONS);
    return text;
}

varve_tensor mix_view(void *memory, uint8_t dtype, uint8_t count)
{
    return varve_view(memory, (varve_dtype)dtype, VARVE_SHAPE(count));
}

varve_shape mix_extents(const struct mix_value *value)
{
    switch (value->form) {
    case MIX_SCALAR: return VARVE_SCALAR;
    case MIX_ROWS: return VARVE_SHAPE(value->count / 2u, 2);
    default: return VARVE_SHAPE(value->count);
    }
}

/* Returns the text of a number: two letters, so that texts differ from their
 * bytes. Some texts are long repetitions that compress well. */
static varve_string text_of(uint8_t number)
{
    static char texts[256][MIX_LONG_TEXT];
    uint64_t size = number % 4 == 3 ? MIX_LONG_TEXT : 2;
    for (uint64_t i = 0; i < size && !texts[number][size - 1]; i += 2) {
        texts[number][i] = (char)('a' + number / 16);
        texts[number][i + 1] = (char)('a' + number % 16);
    }
    return (varve_string){ texts[number], size };
}

static void store_one(unsigned char *to, uint8_t dtype, uint8_t number)
{
    float f = number;
    double d[2] = { number, 0 };
    int32_t i = number;
    uint32_t bits;
    uint16_t upper;
    varve_string text = text_of(number);
    memcpy(&bits, &f, 4);
    upper = (uint16_t)(bits >> 16);
    switch (dtype) {
    case VARVE_UINT8: *to = number; break;
    case VARVE_INT32: memcpy(to, &i, 4); break;
    case VARVE_FLOAT32: memcpy(to, &f, 4); break;
    case VARVE_BFLOAT16: memcpy(to, &upper, 2); break;
    case VARVE_FLOAT64: memcpy(to, d, 8); break;
    case VARVE_COMPLEX128: memcpy(to, d, 16); break;
    default: memcpy(to, &text, sizeof text); break;
    }
}

void mix_store(void *memory, uint8_t dtype, const struct mix_value *value)
{
    size_t size = varve_dtype_size((varve_dtype)dtype);
    for (uint8_t i = 0; i < value->count; i++)
        store_one((unsigned char *)memory + i * size, dtype, value->numbers[i]);
}

void mix_fill(const varve_tensor *tensor, const struct mix_value *value)
{
    for (uint8_t i = 0; i < value->count; i++)
        store_one(
            mix_element(tensor, i), (uint8_t)tensor->dtype, value->numbers[i]);
}

static bool is_text(const void *element, uint8_t number)
{
    varve_string text, wanted = text_of(number);
    memcpy(&text, element, sizeof text);
    /* Zeroed memory of the library contains empty strings. */
    if (number == 0 && text.size == 0)
        return true;
    return text.size == wanted.size &&
           memcmp(text.data, wanted.data, wanted.size) == 0;
}

static bool has_shape(
    const varve_tensor *tensor, const struct mix_value *value)
{
    varve_shape wanted = mix_extents(value);
    return tensor->rank == wanted.rank &&
           memcmp(tensor->shape, wanted.extents,
               wanted.rank * sizeof *wanted.extents) == 0;
}

bool mix_holds(
    const varve_tensor *tensor, uint8_t dtype, const struct mix_value *value)
{
    unsigned char element[16];
    if (!tensor || tensor->dtype != (varve_dtype)dtype ||
        !has_shape(tensor, value) ||
        (value->count && !tensor->data && !tensor->memory))
        return false;
    size_t size = varve_dtype_size(tensor->dtype);
    for (uint8_t i = 0; i < value->count; i++) {
        const unsigned char *at = mix_element(tensor, i);
        store_one(element, dtype, value->numbers[i]);
        if (dtype == VARVE_STRING ? !is_text(at, value->numbers[i])
                                  : memcmp(at, element, size) != 0)
            return false;
    }
    return true;
}

bool mix_equal(const struct mix_value *a, const struct mix_value *b)
{
    return mix_has_shape_of(a, b) &&
           memcmp(a->numbers, b->numbers, a->count) == 0;
}

bool mix_has_shape_of(const struct mix_value *a, const struct mix_value *b)
{
    return a->count == b->count && a->form == b->form;
}

bool mix_can_cast(uint8_t from, uint8_t to)
{
    return (from == VARVE_STRING) == (to == VARVE_STRING);
}
