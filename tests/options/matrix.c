/* matrix.c - Checks that all names are covered and quotes are in the headers,
 * and compares tables with files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "matrix.h"

#include <ctype.h>

bool has_any(const char *text, const char *alternatives)
{
    char part[128];
    while (*alternatives) {
        size_t size = strcspn(alternatives, "|");
        snprintf(part, sizeof part, "%.*s", (int)size, alternatives);
        if (strstr(text, part))
            return true;
        alternatives += size + (alternatives[size] == '|');
    }
    return false;
}

/* Joins lines of a comment and collapses white space. */
static char *flatten(const char *text)
{
    char *flat = malloc(strlen(text) + 1), *to = flat;
    for (; *text; text++) {
        bool is_star = *text == '*' && to > flat && to[-1] == ' ';
        if (!isspace((unsigned char)*text) && !is_star)
            *to++ = *text;
        else if (to > flat && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
    return flat;
}

bool is_quoted(const struct exception *e)
{
    char path[1024];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", HEADERS, e->header);
    char *bytes = test_read_file(path, &size);
    char *text = malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = '\0';
    char *flat = flatten(text);
    bool is_there = strstr(flat, e->quote) != NULL;
    free(flat);
    free(text);
    free(bytes);
    return is_there;
}

static bool is_word_of(const char *words, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += size) {
        bool begins = at == words || at[-1] == ' ';
        if (begins && (at[size] == ' ' || at[size] == '\0'))
            return true;
    }
    return false;
}

void check_covered(
    const char *const *names, const char *covered, const char *what)
{
    for (; *names; names++)
        cr_expect(is_word_of(covered, *names),
            "%s: tests/options contains no %s for it", *names,
            what);
}

void check_table(const char *name, const char *table)
{
    char path[1024];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", TABLES, name);
    const char *to = getenv("VARVE_WRITE_TABLES");
    if (to && *to)
        test_write_file(path, table, strlen(table));
    char *bytes = test_read_file(path, &size);
    bool is_same = size == strlen(table) && memcmp(bytes, table, size) == 0;
    free(bytes);
    cr_expect(is_same,
        "%s: the table differs; VARVE_WRITE_TABLES=1 updates it:\n%s", path,
        table);
}
