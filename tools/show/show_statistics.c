/* show_statistics.c - Prints statistics as lines, and a histogram as bars.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show_parts.h"

enum { BAR = 40, BOUND = ELEMENT_TEXT_SIZE };

static void print_line(
    const struct subject *s, const char *label, const char *text)
{
    printf("%s%-9s%s%s\n", s->style.dim, label, s->style.plain, text);
}

static void print_number(
    const struct subject *s, const char *label, struct number number)
{
    char text[ELEMENT_TEXT_SIZE];
    if (s->statistics.finite > 0)
        print_line(s, label, number_text(number, false, text));
}

static void print_real(const struct subject *s, const char *label, double real)
{
    print_number(s, label, (struct number){ .real = real });
}

static void print_special(
    const struct subject *s, const char *label, uint64_t count, uint64_t first)
{
    char text[PLACE_TEXT_SIZE + 64], place[PLACE_TEXT_SIZE];
    snprintf(text, sizeof text, count ? "%" PRIu64 ", first at %s" : "0", count,
        place_text(&s->selection, first, place));
    print_line(s, label, text);
}

static void print_all(const struct subject *s)
{
    const struct statistics *t = &s->statistics;
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64, t->count);
    print_line(s, "elements", text);
    print_number(s, "min", t->least);
    print_number(s, "max", t->greatest);
    print_real(s, "mean", t->mean);
    print_real(s, "std", t->deviation);
    print_real(s, "norm", t->norm);
    snprintf(text, sizeof text, "%" PRIu64, t->zeros);
    print_line(s, "zeros", text);
    if (s->node.value.dtype < VARVE_FLOAT16 ||
        s->node.value.dtype == VARVE_STRING)
        return;
    print_special(s, "NaN", t->nans, t->first_nan);
    print_special(s, "infinite", t->infinities, t->first_infinity);
}

/* Prints a bar. A nonzero count has at least one mark. */
static void print_bar(const struct subject *s, uint64_t count, uint64_t most)
{
    double part = (double)count / (double)(most ? most : 1);
    int marks = (int)(part * BAR + 0.5);
    marks += count > 0 && marks == 0;
    for (int i = 0; i < marks; i++)
        fputs(s->style.utf8 ? "█" : "#", stdout);
}

static int widest(const struct statistics *t)
{
    char text[BOUND];
    size_t most = 0;
    for (unsigned i = 0; i <= t->bin_count; i++) {
        size_t size = strlen(number_text(t->bounds[i], false, text));
        most = size > most ? size : most;
    }
    return (int)most;
}

static void print_bins(const struct subject *s)
{
    const struct statistics *t = &s->statistics;
    char low[BOUND], high[BOUND], count[32];
    int width = widest(t), count_width = 0;
    uint64_t most = 0;
    for (unsigned i = 0; i < t->bin_count; i++) {
        int size = snprintf(count, sizeof count, "%" PRIu64, t->bins[i]);
        most = t->bins[i] > most ? t->bins[i] : most;
        count_width = size > count_width ? size : count_width;
    }
    for (unsigned i = 0; i < t->bin_count; i++) {
        bool is_last = i + 1 == t->bin_count;
        printf("[%*s, %*s%c  %*" PRIu64 "%s", width,
            number_text(t->bounds[i], false, low), width,
            number_text(t->bounds[i + 1], false, high), is_last ? ']' : ')',
            count_width, t->bins[i], t->bins[i] ? "  " : "");
        print_bar(s, t->bins[i], most);
        putchar('\n');
    }
}

void show_statistics(const struct subject *s)
{
    if (s->options->statistics) {
        putchar('\n');
        print_all(s);
    }
    if (s->options->histogram && s->statistics.bin_count) {
        putchar('\n');
        print_bins(s);
    }
}
