/* statistics_text.c - Writes statistics as JSON and as characters.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "reals.h"
#include "statistics.h"

const char *number_text(
    struct number n, bool for_json, char text[ELEMENT_TEXT_SIZE])
{
    if (n.kind == NUMBER_UNSIGNED)
        snprintf(text, ELEMENT_TEXT_SIZE, "%" PRIu64, n.key);
    else if (n.kind == NUMBER_SIGNED)
        snprintf(text, ELEMENT_TEXT_SIZE, "%s%" PRIu64,
            n.key < KEY_BIAS ? "-" : "",
            n.key < KEY_BIAS ? KEY_BIAS - n.key : n.key - KEY_BIAS);
    else if (for_json)
        real_text(n.real, true, text);
    else
        snprintf(text, ELEMENT_TEXT_SIZE, "%.6g", n.real);
    return text;
}

static void print_number(
    FILE *to, const char *key, const struct statistics *s, struct number n)
{
    char text[ELEMENT_TEXT_SIZE];
    fprintf(
        to, ",\"%s\":%s", key, s->finite ? number_text(n, true, text) : "null");
}

static void print_real(
    FILE *to, const char *key, const struct statistics *s, double real)
{
    print_number(to, key, s, (struct number){ .real = real });
}

static void print_place(FILE *to, const char *key, uint64_t count,
    const struct selection *selection, uint64_t index)
{
    char place[PLACE_TEXT_SIZE];
    fprintf(to, ",\"%s\":%s", key,
        count ? place_text(selection, index, place) : "null");
}

void statistics_print_json(
    FILE *to, const struct statistics *s, const struct selection *selection)
{
    fprintf(to,
        "\"count\":%" PRIu64 ",\"finite\":%" PRIu64 ",\"zeros\":%" PRIu64
        ",\"nans\":%" PRIu64 ",\"infinities\":%" PRIu64,
        s->count, s->finite, s->zeros, s->nans, s->infinities);
    print_place(to, "first_nan", s->nans, selection, s->first_nan);
    print_place(
        to, "first_infinity", s->infinities, selection, s->first_infinity);
    print_number(to, "min", s, s->least);
    print_number(to, "max", s, s->greatest);
    print_real(to, "mean", s, s->mean);
    print_real(to, "std", s, s->deviation);
    print_real(to, "norm", s, s->norm);
}

void histogram_print_json(FILE *to, const struct statistics *s)
{
    char text[ELEMENT_TEXT_SIZE];
    fputs("{\"bounds\":[", to);
    for (unsigned i = 0; s->bin_count && i <= s->bin_count; i++)
        fprintf(
            to, "%s%s", i ? "," : "", number_text(s->bounds[i], true, text));
    fputs("],\"counts\":[", to);
    for (unsigned i = 0; i < s->bin_count; i++)
        fprintf(to, "%s%" PRIu64, i ? "," : "", s->bins[i]);
    fputs("]}", to);
}

/* Writes one character for each bin. A nonzero count is never a space. */
const char *spark_text(
    const struct statistics *s, bool utf8, char text[SPARK_SIZE])
{
    static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆",
        "▇", "█" };
    static const char *const letters[] = { " ", ".", ":", "-", "=", "+", "*",
        "%", "#" };
    enum { STEPS = sizeof blocks / sizeof *blocks - 1 };
    uint64_t most = 1;
    *text = '\0';
    for (unsigned i = 0; i < s->bin_count; i++)
        most = s->bins[i] > most ? s->bins[i] : most;
    for (unsigned i = 0; i < s->bin_count; i++) {
        double part = (double)s->bins[i] / (double)most;
        unsigned step = (unsigned)(part * (STEPS - 1) + 0.5);
        step += s->bins[i] > 0;
        strcat(text, (utf8 ? blocks : letters)[step > STEPS ? STEPS : step]);
    }
    return text;
}
