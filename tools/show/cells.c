/* cells.c - Computes the widths of columns of numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element_text.h"
#include "reals.h"
#include "shortest.h"
#include "style.h"

/* --- Parts -------------------------------------------------------------- */

static bool is_complex(varve_dtype dtype)
{
    return dtype == VARVE_COMPLEX64 || dtype == VARVE_COMPLEX128;
}

static bool is_real(varve_dtype dtype)
{
    return dtype >= VARVE_FLOAT16 && dtype != VARVE_STRING;
}

/* Returns a real, or one part of a complex number. */
static double part_of(varve_dtype dtype, const unsigned char *bytes, int part)
{
    varve_dtype half = dtype == VARVE_COMPLEX64    ? VARVE_FLOAT32
                       : dtype == VARVE_COMPLEX128 ? VARVE_FLOAT64
                                                   : dtype;
    double real;
    reals_from(half, bytes + (size_t)part * varve_dtype_size(half), 1, &real);
    return real;
}

static int larger(int a, size_t b)
{
    return (int)b > a ? (int)b : a;
}

/* --- Reals -------------------------------------------------------------- */

static void measure_real(struct real_cells *r, double real)
{
    double size = fabs(real);
    if (!isfinite(real)) {
        r->any_special = true;
        r->any_minus |= isinf(real) && real < 0;
        return;
    }
    r->any_finite = true;
    if (!(size > 0))
        return;
    r->least = r->least > 0 && r->least < size ? r->least : size;
    r->most = r->most > size ? r->most : size;
}

static const char *finite_text(
    const struct real_cells *r, double real, char text[REAL_TEXT_SIZE])
{
    if (r->is_wide)
        scientific_text(r->dtype, real, r->precision, text);
    else
        plain_text(r->dtype, real, r->precision, text);
    if (r->signs && *text != '-') {
        memmove(text + 1, text, strlen(text) + 1);
        *text = '+';
    }
    return text;
}

static void fit_real(struct real_cells *r, double real)
{
    char text[REAL_TEXT_SIZE];
    if (!isfinite(real))
        return;
    finite_text(r, real, text);
    size_t left = strcspn(text, ".");
    size_t right = strcspn(text + left + 1, "e");
    const char *exponent = text + left + 1 + right;
    r->left = larger(r->left, left);
    r->right = larger(r->right, right);
    r->exponent = *exponent ? larger(r->exponent, strlen(exponent) - 2) : 0;
}

/* Returns the number of columns after the point, including the exponent. */
static int columns_behind(const struct real_cells *r)
{
    return r->is_wide ? r->right + r->exponent + 2 : r->right;
}

static int columns_before(const struct real_cells *r)
{
    if (!r->any_special)
        return r->left;
    int room = columns_behind(r) + 1;
    int minus = r->signs || r->any_minus;
    int left = larger(r->left, 3 > room ? (size_t)(3 - room) : 0);
    return larger(left, 3 + minus > room ? (size_t)(3 + minus - room) : 0);
}

/* Prints a finite number. With exponents, all numbers have as many digits as
 * the one that needs most. */
static void print_finite(FILE *to, const struct real_cells *r, double real)
{
    char text[REAL_TEXT_SIZE];
    if (r->is_wide)
        snprintf(
            text, sizeof text, r->signs ? "%+#.*e" : "%#.*e", r->right, real);
    else
        finite_text(r, real, text);
    size_t left = strcspn(text, ".");
    size_t right = strcspn(text + left + 1, "e");
    const char *exponent = text + left + 1 + right;
    fprintf(to, "%*s%.*s", columns_before(r) - (int)left, "",
        (int)(left + 1 + right), text);
    if (r->is_wide)
        fprintf(to, "e%c%0*d", exponent[1], r->exponent, atoi(exponent + 2));
    else
        fprintf(to, "%*s", r->right - (int)right, "");
}

static void print_real(FILE *to, const struct real_cells *r, double real)
{
    if (isfinite(real)) {
        print_finite(to, r, real);
        return;
    }
    const char *sign = isnan(real) ? (r->signs ? "+" : "")
                       : real < 0  ? "-"
                       : r->signs  ? "+"
                                   : "";
    int width = columns_before(r) + columns_behind(r) + 1;
    fprintf(to, "%*s%s%s", width - 3 - (int)strlen(sign), "", sign,
        isnan(real) ? "nan" : "inf");
}

/* --- All types ---------------------------------------------------------- */

void cells_begin(struct cells *c, varve_dtype dtype, unsigned precision)
{
    *c = (struct cells){ .dtype = dtype };
    for (int i = 0; i < 2; i++)
        c->reals[i] = (struct real_cells){
            .dtype = dtype, .precision = precision, .signs = i == 1
        };
}

static void each_real(struct cells *c, const unsigned char *bytes,
    uint64_t count, void (*function)(struct real_cells *r, double real))
{
    size_t size = varve_dtype_size(c->dtype);
    for (uint64_t i = 0; i < count; i++, bytes += size) {
        function(&c->reals[0], part_of(c->dtype, bytes, 0));
        if (is_complex(c->dtype))
            function(&c->reals[1], part_of(c->dtype, bytes, 1));
    }
}

static const char *whole_text(const struct cells *c, const unsigned char *bytes,
    char text[ELEMENT_TEXT_SIZE])
{
    if (c->dtype == VARVE_BOOL)
        return *bytes ? "True" : "False";
    return element_text(c->dtype, bytes, false, text);
}

void cells_measure(struct cells *c, const unsigned char *bytes, uint64_t count)
{
    char text[ELEMENT_TEXT_SIZE];
    size_t size = varve_dtype_size(c->dtype);
    if (is_real(c->dtype))
        each_real(c, bytes, count, measure_real);
    else if (c->dtype == VARVE_BOOL)
        c->width = 5;
    else if (c->dtype != VARVE_STRING)
        for (uint64_t i = 0; i < count; i++)
            c->width =
                larger(c->width, strlen(whole_text(c, bytes + i * size, text)));
}

void cells_fit(struct cells *c, const unsigned char *bytes, uint64_t count)
{
    if (!is_real(c->dtype))
        return;
    for (int i = 0; i < 2; i++) {
        struct real_cells *r = &c->reals[i];
        r->is_wide = r->most > 0 && (r->most >= 1e8 || r->least < 1e-4 ||
                                        r->most / r->least > 1000);
    }
    each_real(c, bytes, count, fit_real);
}

/* Places the j before the trailing spaces of the number. */
static void move_spaces(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == ' ')
        size--;
    memmove(text + size + 1, text + size, strlen(text + size) + 1);
    text[size] = 'j';
}

const char *cell_text(
    const struct cells *c, const unsigned char *bytes, char text[CELL_SIZE])
{
    char whole[ELEMENT_TEXT_SIZE];
    if (!is_real(c->dtype)) {
        snprintf(text, CELL_SIZE, "%*s", c->width, whole_text(c, bytes, whole));
        return text;
    }
    FILE *to = fmemopen(text, CELL_SIZE, "w");
    if (!to)
        return strcpy(text, "?");
    print_real(to, &c->reals[0], part_of(c->dtype, bytes, 0));
    if (is_complex(c->dtype))
        print_real(to, &c->reals[1], part_of(c->dtype, bytes, 1));
    fclose(to);
    if (is_complex(c->dtype))
        move_spaces(text);
    return text;
}

/* --- Strings ------------------------------------------------------------ */

static const char *escape_of(unsigned char byte)
{
    static const struct {
        char byte;
        const char *text;
    } escapes[] = { { '\n', "\\n" }, { '\t', "\\t" }, { '\r', "\\r" },
        { '"', "\\\"" }, { '\\', "\\\\" } };
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        if (escapes[i].byte == (char)byte)
            return escapes[i].text;
    }
    return NULL;
}

/* Prints one code point or an invalid byte. */
static size_t print_point(FILE *to, const char *begin, const char *end)
{
    char buffer[8] = "";
    const char *escape = escape_of((unsigned char)*begin);
    size_t width = 0;
    if (escape)
        return fputs(escape, to), strlen(escape);
    memcpy(buffer, begin, (size_t)(end - begin));
    const char *at = buffer;
    if (!point_steers(text_next(&at)))
        return fputs(buffer, to), text_width(buffer);
    for (; begin < end; begin++, width += 4)
        fprintf(to, "\\x%02x", (unsigned char)*begin);
    return width;
}

size_t print_quoted(FILE *to, const varve_string *string, uint64_t most)
{
    char point[8] = "";
    size_t width = 2, size;
    putc('"', to);
    for (uint64_t i = 0; i < string->size; i += size) {
        if (i >= most)
            return fputs("...\"", to), width + 3;
        /* text_next needs NUL-terminated text */
        size = string->size - i < 4 ? (size_t)(string->size - i) : 4;
        memset(point, 0, sizeof point);
        memcpy(point, string->data + i, size);
        const char *end = point;
        text_next(&end);
        size = (size_t)(end - point) < size ? (size_t)(end - point) : size;
        width += print_point(to, string->data + i, string->data + i + size);
    }
    putc('"', to);
    return width;
}
