/* element_text.c - Formats numbers of tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "element_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reals.h"
#include "shortest.h"

static uint64_t load(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static int64_t load_signed(const unsigned char *bytes, size_t size)
{
    uint64_t value = load(bytes, size);
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    value = (value ^ sign) - sign;
    int64_t result;
    memcpy(&result, &value, sizeof result);
    return result;
}

/* Prints special values by name, others with the fewest digits that read
 * back. */
static int print_real(
    varve_dtype dtype, char *text, size_t size, double value, bool for_json)
{
    const char *quote = for_json ? "\"" : "";
    if (isnan(value))
        return snprintf(text, size, "%sNaN%s", quote, quote);
    if (isinf(value))
        return snprintf(
            text, size, "%s%sInfinity%s", quote, value < 0 ? "-" : "", quote);
    int length = 0;
    for (int digits = sure_digits(dtype, value); digits <= 17; digits++) {
        length = snprintf(text, size, "%.*g", digits, value);
        if (reads_back(dtype, text, value))
            break;
    }
    return length;
}

const char *real_text(double value, bool for_json, char text[ELEMENT_TEXT_SIZE])
{
    print_real(VARVE_FLOAT64, text, ELEMENT_TEXT_SIZE, value, for_json);
    return text;
}

static void print_complex(varve_dtype dtype, const unsigned char *bytes,
    bool for_json, char text[ELEMENT_TEXT_SIZE])
{
    bool single = dtype == VARVE_COMPLEX64;
    double parts[2];
    reals_from(single ? VARVE_FLOAT32 : VARVE_FLOAT64, bytes, 2, parts);
    char real[40];
    char imaginary[40];
    print_real(dtype, real, sizeof real, parts[0], for_json);
    print_real(dtype, imaginary, sizeof imaginary, parts[1], for_json);
    if (for_json)
        snprintf(text, ELEMENT_TEXT_SIZE, "[%s,%s]", real, imaginary);
    else
        snprintf(text, ELEMENT_TEXT_SIZE, "%s%s%si", real,
            imaginary[0] == '-' ? "" : "+", imaginary);
}

/* There is no `default:`, so that a missing type does not compile. */
#pragma GCC diagnostic error "-Wswitch"
const char *element_text(varve_dtype dtype, const unsigned char *bytes,
    bool for_json, char text[ELEMENT_TEXT_SIZE])
{
    size_t size = varve_dtype_size(dtype);
    double real = (double)NAN;
    switch (dtype) {
    case VARVE_BOOL: return strcpy(text, bytes[0] ? "true" : "false");
    case VARVE_INT8:
    case VARVE_INT16:
    case VARVE_INT32:
    case VARVE_INT64:
        snprintf(text, ELEMENT_TEXT_SIZE, "%" PRId64, load_signed(bytes, size));
        return text;
    case VARVE_UINT8:
    case VARVE_UINT16:
    case VARVE_UINT32:
    case VARVE_UINT64:
        snprintf(text, ELEMENT_TEXT_SIZE, "%" PRIu64, load(bytes, size));
        return text;
    case VARVE_COMPLEX64:
    case VARVE_COMPLEX128:
        print_complex(dtype, bytes, for_json, text);
        return text;
    case VARVE_FLOAT16:
    case VARVE_BFLOAT16:
    case VARVE_FLOAT8_E4M3FN:
    case VARVE_FLOAT8_E5M2:
    case VARVE_FLOAT32:
    case VARVE_FLOAT64: reals_from(dtype, bytes, 1, &real); break;
    case VARVE_STRING: return strcpy(text, ""); /* see string_text */
    }
    print_real(dtype, text, ELEMENT_TEXT_SIZE, real, for_json);
    return text;
}
