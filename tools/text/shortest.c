/* shortest.c - Finds the number of digits by trial, until they read back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shortest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 17, DIGITS_SIZE = 40 };

/* The precision of a type. */
struct fineness {
    int fraction_bits;
    int least_exponent; /* smallest exponent of a normal number */
    int sure_digits;    /* number of digits that always reads back */
};

static struct fineness fineness_of(varve_dtype dtype)
{
    switch (dtype) {
    case VARVE_FLOAT16: return (struct fineness){ 10, -14, 3 };
    case VARVE_BFLOAT16: return (struct fineness){ 7, -126, 2 };
    case VARVE_FLOAT8_E4M3FN: return (struct fineness){ 3, -6, 1 };
    case VARVE_FLOAT8_E5M2: return (struct fineness){ 2, -14, 1 };
    case VARVE_FLOAT32:
    case VARVE_COMPLEX64: return (struct fineness){ 23, -126, 6 };
    default: return (struct fineness){ 52, -1022, 15 };
    }
}

static bool is_same(double a, double b)
{
    return !(a < b) && !(a > b);
}

int sure_digits(varve_dtype dtype, double real)
{
    const struct fineness f = fineness_of(dtype);
    return fabs(real) < ldexp(1, f.least_exponent) ? 1 : f.sure_digits;
}

bool reads_back(varve_dtype dtype, const char *text, double real)
{
    const struct fineness f = fineness_of(dtype);
    if (f.fraction_bits == 52)
        return is_same(strtod(text, NULL), real);
    if (f.fraction_bits == 23)
        return is_same((double)strtof(text, NULL), real);
    int exponent;
    double part = frexp(fabs(real), &exponent); /* 0.5 <= part < 1 */
    exponent--;
    bool is_least = exponent <= f.least_exponent;
    if (is_least)
        exponent = f.least_exponent;
    double step = ldexp(1, exponent - f.fraction_bits);
    double off = fabs(strtod(text, NULL)) - fabs(real);
    /* below a power of two the distance is half as large */
    double below = is_same(part, 0.5) && !is_least ? step / 4 : step / 2;
    return off < step / 2 && -off < below;
}

/* Removes trailing zeros from "d.ddde[+-]xx". */
static void drop_zeros(char *text)
{
    char *exponent = strchr(text, 'e');
    char *end = exponent;
    while (end > text && end[-1] == '0')
        end--;
    if (strchr(text, '.'))
        memmove(end, exponent, strlen(exponent) + 1);
}

/* Writes the shortest text in the form of "%e". Returns the number of digits
 * after the point. */
static int find_digits(
    varve_dtype dtype, double real, char text[DIGITS_SIZE], int *exponent)
{
    int digits = sure_digits(dtype, real);
    for (; digits <= MOST_DIGITS; digits++) {
        snprintf(text, DIGITS_SIZE, "%.*e", digits - 1, real);
        if (reads_back(dtype, text, real))
            break;
    }
    drop_zeros(text);
    const char *point = strchr(text, '.');
    const char *behind = strchr(text, 'e');
    *exponent = atoi(behind + 1);
    return point ? (int)(behind - point - 1) : 0;
}

/* Removes trailing zeros; adds a point if there is none. */
static const char *trim(char *text)
{
    if (!strchr(text, '.'))
        return strcat(text, ".");
    char *end = text + strlen(text);
    while (end[-1] == '0')
        end--;
    *end = '\0';
    return text;
}

const char *plain_text(varve_dtype dtype, double real, unsigned precision,
    char text[REAL_TEXT_SIZE])
{
    char digits[DIGITS_SIZE];
    int exponent;
    int behind = find_digits(dtype, real, digits, &exponent) - exponent;
    if (behind < 0)
        behind = 0;
    if ((unsigned)behind > precision)
        behind = (int)precision;
    snprintf(text, REAL_TEXT_SIZE, "%.*f", behind, real);
    return trim(text);
}

const char *scientific_text(varve_dtype dtype, double real, unsigned precision,
    char text[REAL_TEXT_SIZE])
{
    char digits[DIGITS_SIZE];
    int exponent;
    int behind = find_digits(dtype, real, digits, &exponent);
    if ((unsigned)behind > precision) {
        snprintf(digits, sizeof digits, "%.*e", (int)precision, real);
        drop_zeros(digits);
    }
    const char *mark = strchr(digits, 'e');
    snprintf(text, REAL_TEXT_SIZE, "%.*s%s%s", (int)(mark - digits), digits,
        memchr(digits, '.', (size_t)(mark - digits)) ? "" : ".", mark);
    return text;
}
