/* rename_map.c - suggested renames by how they were found, then those given.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rename_map.h"

#include <string.h>

#include "plan_answer.h"

/* As a line of a rename file takes it: what could be its arrow, a comment or a
 * space that is dropped is a byte in hexadecimal digits. */
static void print_path(FILE *to, const char *path)
{
    size_t size = strlen(path);
    for (size_t i = 0; i < size; i++) {
        bool is_end = i == 0 || i + 1 == size;
        unsigned char byte = (unsigned char)path[i];
        if (byte == '>' || (is_end && (byte == ' ' || byte == '#')))
            fprintf(to, "%%%02X", byte);
        else
            putc(byte, to);
    }
}

static void print_rename(FILE *to, const char *program, const char *file)
{
    print_path(to, program);
    fputs(" -> ", to);
    print_path(to, file);
    putc('\n', to);
}

/* How the suggestions were found that a fold makes. */
static void print_fold(
    FILE *to, const struct suggestions *suggestions, const struct fold *f)
{
    fprintf(to, "\n# suggested for %zu values:", f->count);
    size_t counts[HOW_PLACE + 1] = { 0 };
    for (size_t i = 0; i < suggestions->count; i++) {
        const struct suggestion *s = &suggestions->items[i];
        counts[s->how] += fold_has(f, s);
    }
    for (int how = HOW_END; how <= (int)HOW_PLACE; how++) {
        if (counts[how])
            fprintf(to, " %s %zu", how_word((enum how)how), counts[how]);
    }
    putc('\n', to);
    print_rename(to, f->program_path, f->file_path);
}

void rename_map_print(FILE *to, const struct suggestions *suggestions,
    const struct folds *folds, const struct renames *renames)
{
    enum how last = HOW_ALONG;
    fputs("# Renames, program -> file. Look at each that was suggested.\n", to);
    for (int how = HOW_END; how <= (int)HOW_PLACE; how++) {
        for (size_t i = 0; i < suggestions->count; i++) {
            const struct suggestion *s = &suggestions->items[i];
            if ((int)s->how != how || folds_have(folds, s))
                continue;
            if (last != s->how)
                fprintf(to, "\n# suggested: %s\n", how_text(s->how));
            last = s->how;
            print_rename(to, s->program_path, s->file_path);
        }
    }
    for (size_t i = 0; i < folds->count; i++)
        print_fold(to, suggestions, &folds->items[i]);
    if (renames->count)
        fputs("\n# given\n", to);
    for (size_t i = 0; i < renames->count; i++)
        fprintf(to, "%s -> %s\n", renames->rules[i].to, renames->rules[i].from);
}
