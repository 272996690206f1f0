/* listing.c - Reads a list of values line by line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "listing.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <varve/variable.h>

#include "complaint.h"
#include "program.h"
#include "memory.h"

enum { MOST_COLUMNS = 64, LOOKED_AT = 4096 };

/* A value of the list. */
struct listed {
    char *path;
    char *global_name; /* or NULL */
    bool is_state;
    bool is_local; /* its checkpoint contains no value for it */
    varve_tensor tensor;
    unsigned long line;
};

struct listing {
    const struct settings *settings;
    const char *file;
    struct listed *items;
    size_t count, capacity;
    unsigned long line;
    size_t kind; /* numbers of columns; SIZE_MAX: missing */
    size_t global_name;
    size_t bytes;
    /* the first line contains names of columns: '#' does not begin a comment */
    bool has_header;
};

static int complain_line(
    const struct listing *l, unsigned long line, const char *why)
{
    char where[600];
    snprintf(where, sizeof where, "%.500s:%lu", l->file, line);
    return complain(
        l->settings, &(struct complaint){ .outcome = OUTCOME_FOREIGN,
                         .code = "LISTING",
                         .what = "cannot read",
                         .file = where,
                         .why = why,
                         .hint = "see varve help plan for the format; varve ls "
                                 "--tsv prints such a list" });
}

/* --- A line ------------------------------------------------------------- */

static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size && strchr(" \t\r\n", text[size - 1]))
        text[--size] = '\0';
    return text;
}

/* Parses a shape such as "[784,10]". */
static bool parse_shape(const char *text, varve_tensor *tensor)
{
    if (*text++ != '[')
        return false;
    tensor->rank = 0;
    while (*text && *text != ']') {
        char *end;
        text += strspn(text, ", ");
        if (!isdigit((unsigned char)*text) || tensor->rank == VARVE_MAX_RANK)
            return false;
        errno = 0;
        tensor->shape[tensor->rank++] = strtoull(text, &end, 10);
        if (errno)
            return false;
        text = end + strspn(end, " ");
        if (*text != ',' && *text != ']')
            return false;
    }
    return *text == ']' && text[1] == '\0';
}

static bool parse_dtype(const char *text, varve_tensor *tensor)
{
    for (int d = 1; d <= VARVE_DTYPE_COUNT; d++) {
        tensor->dtype = (varve_dtype)d;
        if (strcmp(varve_dtype_name(tensor->dtype), text) == 0)
            return true;
    }
    return false;
}

/* Returns the start of the last word of a text. */
static char *last_word(char *text)
{
    char *word = text + strlen(text);
    while (word > text && !strchr(" \t", word[-1]))
        word--;
    return word;
}

/* Parses `PATH DTYPE [SHAPE]`, also without a space before the '[', or `PATH
 * state`. Parses from the end, because a path can contain spaces. */
static bool parse_words(char *text, struct listed *item)
{
    char *shape = strrchr(text, '[');
    size_t size = strlen(text);
    item->is_state = size == 0 || text[size - 1] != ']' || !shape;
    if (!item->is_state) {
        if (!parse_shape(shape, &item->tensor))
            return false;
        *shape = '\0';
        text = trimmed(text);
    }
    char *type = last_word(text);
    if (type == text || (item->is_state ? strcmp(type, "state") != 0
                                        : !parse_dtype(type, &item->tensor)))
        return false;
    *type = '\0';
    item->path = trimmed(text);
    return *item->path != '\0';
}

static size_t split(char *text, char *fields[MOST_COLUMNS])
{
    size_t count = 0;
    for (char *next = text; next && count < MOST_COLUMNS; text = next) {
        next = strchr(text, '\t');
        if (next)
            *next++ = '\0';
        fields[count++] = text;
    }
    return count;
}

static const char *field_at(
    char *const fields[], size_t count, size_t column, const char *instead)
{
    return column < count ? fields[column] : instead;
}

static bool parse_fields(
    const struct listing *l, char *fields[], size_t count, struct listed *item)
{
    const char *kind = field_at(fields, count, l->kind, "variable");
    const char *name = field_at(fields, count, l->global_name, "-");
    item->path = fields[0];
    item->is_state =
        strcmp(kind, "state") == 0 || strcmp(fields[1], "state") == 0;
    item->is_local = strcmp(field_at(fields, count, l->bytes, ""), "-") == 0;
    if (strcmp(name, "-") != 0 && strcmp(name, fields[0]) != 0)
        item->global_name = memory_copy_text(name, strlen(name));
    if (item->is_state)
        return *item->path != '\0';
    return *item->path && count > 2 && parse_dtype(fields[1], &item->tensor) &&
           parse_shape(fields[2], &item->tensor);
}

/* Parses the line with the names of the columns. */
static bool is_header(struct listing *l, char *const fields[], size_t count)
{
    if (l->count || strcmp(fields[0], "path") || strcmp(fields[1], "dtype"))
        return false;
    l->has_header = true;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i], "kind") == 0)
            l->kind = i;
        if (strcmp(fields[i], "global_name") == 0)
            l->global_name = i;
        if (strcmp(fields[i], "bytes") == 0)
            l->bytes = i;
    }
    return true;
}

static int read_line(struct listing *l, char *text)
{
    char *fields[MOST_COLUMNS];
    struct listed item = { .line = l->line };
    text[strcspn(text, "\r\n")] = '\0';
    char *start = text + strspn(text, " \t");
    if (*start == '\0' || (*start == '#' && !l->has_header))
        return OUTCOME_DONE;
    size_t count = split(text, fields);
    if (count > 1 && is_header(l, fields, count))
        return OUTCOME_DONE;
    bool good = count > 1 ? parse_fields(l, fields, count, &item)
                          : parse_words(trimmed(text), &item);
    if (!good) {
        free(item.global_name);
        return complain_line(
            l, l->line, "expected 'path dtype [shape]' or 'path state'");
    }
    item.path += strspn(item.path, "/");
    item.path = memory_copy_text(item.path, strlen(item.path));
    l->items = memory_grow(l->items, &l->capacity, l->count, sizeof *l->items);
    l->items[l->count++] = item;
    return OUTCOME_DONE;
}

/* --- The graph ---------------------------------------------------------- */

static unsigned hex_digit(char c)
{
    return (
        unsigned)(isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* Decodes %XX in a name, in place. */
static void unescape(char *name)
{
    char *to = name;
    for (; *name; name++) {
        if (*name == '%' && isxdigit((unsigned char)name[1]) &&
            isxdigit((unsigned char)name[2])) {
            *to++ = (char)(hex_digit(name[1]) << 4 | hex_digit(name[2]));
            name += 2;
        } else {
            *to++ = *name;
        }
    }
    *to = '\0';
}

/* Returns the object at a path, and makes missing ones. Sets *name to the last
 * name of the path, unescaped. */
static varve_node *parent_of(varve_node *root, char *path, char **name)
{
    varve_node *node = root;
    for (char *slash; (slash = strchr(path, '/')); path = slash + 1) {
        *slash = '\0';
        unescape(path);
        varve_node *child = varve_find(node, path);
        node = child ? child : varve_add_object(node, path);
    }
    unescape(path);
    *name = path;
    return node;
}

static void describe(varve_node *node, const struct listed *item)
{
    if (item->global_name)
        varve_set_global_name(node, item->global_name);
    if (item->is_local)
        varve_tag(node, VARVE_TAG_LOCAL);
}

/* Adds `OWNER/SLOT(VARIABLE)`; returns false if there is no such variable. */
static bool add_slot(varve_node *root, const struct listed *item)
{
    char *path = memory_copy_text(item->path, strlen(item->path));
    char *open = strchr(path, '(');
    char *name;
    size_t size = strlen(open);
    bool good = size > 2 && open[size - 1] == ')';
    varve_node *variable = NULL;
    if (good) {
        open[size - 1] = '\0';
        *open = '\0';
        variable = varve_find_path(root, open + 1);
        good = variable && varve_node_kind(variable) == VARVE_VARIABLE;
    }
    if (good) {
        varve_node *owner = parent_of(root, path, &name);
        varve_node *node =
            program_add_slot(owner, variable, name, &item->tensor);
        describe(node, item);
    }
    free(path);
    return good;
}

static void add_value(varve_node *root, const struct listed *item)
{
    char *path = memory_copy_text(item->path, strlen(item->path));
    char *name;
    varve_node *parent = parent_of(root, path, &name);
    varve_node *node =
        program_add(parent, name, item->is_state ? NULL : &item->tensor);
    describe(node, item);
    free(path);
}

/* States are first, because values can be below them, and slots last, because
 * they need their variables. */
static int turn_of(const struct listed *item)
{
    return item->is_state ? 0 : strchr(item->path, '(') ? 2 : 1;
}

static int add_item(
    struct listing *l, varve_node *root, const struct listed *item)
{
    varve_error error;
    if (turn_of(item) < 2)
        add_value(root, item);
    else if (!add_slot(root, item))
        return complain_line(l, item->line,
            "a slot must have the path owner/slot(variable), and its variable "
            "must be in the list");
    if (varve_graph_check(varve_node_graph(root), &error) == VARVE_OK)
        return OUTCOME_DONE;
    if (error.status == VARVE_NO_MEMORY)
        return complain_memory(l->settings);
    return complain_line(l, item->line, error.message);
}

static int build(struct listing *l, varve_node *root)
{
    int outcome = OUTCOME_DONE;
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; outcome == OUTCOME_DONE && i < l->count; i++) {
            if (turn_of(&l->items[i]) == turn)
                outcome = add_item(l, root, &l->items[i]);
        }
    }
    return outcome;
}

/* --- The file ----------------------------------------------------------- */

static FILE *open_text(const char *file)
{
    return strcmp(file, "-") == 0 ? stdin : fopen(file, "r");
}

static void close_text(FILE *text)
{
    if (text != stdin)
        fclose(text);
}

/* Checkpoints contain bytes near their start that do not occur in text. */
bool is_listing(const char *file)
{
    unsigned char bytes[LOOKED_AT];
    struct stat info;
    if (strcmp(file, "-") == 0)
        return true;
    if (stat(file, &info) != 0 || !S_ISREG(info.st_mode) || !info.st_size)
        return false;
    FILE *text = fopen(file, "r");
    size_t size = text ? fread(bytes, 1, sizeof bytes, text) : 0;
    if (text)
        fclose(text);
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] < 0x20 && !strchr("\t\r\n", bytes[i] ? bytes[i] : 1))
            return false;
        if (bytes[i] == 0)
            return false;
    }
    return size > 0;
}

int listing_read(
    const struct settings *settings, const char *file, varve_node *root)
{
    struct listing l = { .settings = settings,
        .file = file,
        .kind = SIZE_MAX,
        .global_name = SIZE_MAX,
        .bytes = SIZE_MAX };
    char *line = NULL;
    size_t room = 0;
    FILE *text = open_text(file);
    if (!text)
        return complain_system(settings, "cannot read", file);
    int outcome = OUTCOME_DONE;
    while (outcome == OUTCOME_DONE && getline(&line, &room, text) >= 0) {
        l.line++;
        outcome = read_line(&l, line);
    }
    if (outcome == OUTCOME_DONE && ferror(text))
        outcome = complain_system(settings, "cannot read", file);
    close_text(text);
    if (outcome == OUTCOME_DONE)
        outcome = build(&l, root);
    for (size_t i = 0; i < l.count; i++) {
        free(l.items[i].path);
        free(l.items[i].global_name);
    }
    free(l.items);
    free(line);
    return outcome;
}
