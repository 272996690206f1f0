/* value.c - Reads values into memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "value.h"

#include <stdlib.h>
#include <string.h>

#include "element_text.h"
#include "json_out.h"
#include "outline.h"
#include "style.h"

enum { MOST_SHOWN = 60 }; /* bytes of a string or state that are shown */

static varve_status fail(
    varve_error *error, varve_status status, const char *why)
{
    *error = (varve_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", why);
    return status;
}

static varve_status fail_missing(
    varve_error *error, const varve_saved_node *node)
{
    *error = (varve_error){ .status = VARVE_NOT_FOUND };
    snprintf(error->message, sizeof error->message, "%s: %s %s",
        *node->path ? node->path : "/", kind_name(node->kind),
        node->value.dtype ? "that was not saved" : "without a value");
    return VARVE_NOT_FOUND;
}

static uint64_t load64(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

/* Checks the sizes of strings. They are stored as all sizes, 8 bytes each, and
 * then all bytes. */
static varve_status check_strings(struct value *value, varve_error *error)
{
    uint64_t room = value->node.size;
    if (value->count > room / 8)
        return fail(error, VARVE_CORRUPT, "more strings than bytes for them");
    room -= 8 * value->count;
    for (uint64_t i = 0; i < value->count; i++) {
        uint64_t size = load64(value->bytes + 8 * i);
        if (size > room)
            return fail(error, VARVE_CORRUPT, "strings pass the value's end");
        room -= size;
    }
    value->offset = 8 * value->count;
    return VARVE_OK;
}

/* Allocates memory for the bytes of a value. */
static varve_status begin(
    struct value *value, const varve_saved_node *node, varve_error *error)
{
    *value = (struct value){ .node = *node };
    value->count = varve_tensor_count(&node->value);
    if (node->size < SIZE_MAX)
        value->bytes = malloc((size_t)node->size + 1);
    if (!value->bytes)
        return fail(error, VARVE_NO_MEMORY, "out of memory");
    return VARVE_OK;
}

static varve_status read_part(struct value *value, varve_reader *reader,
    const varve_saved_node *node, const varve_box *box,
    const varve_tensor *part, varve_error *error)
{
    varve_saved_node cut = *node;
    if (!node->has_value)
        return fail_missing(error, node);
    cut.value = *part;
    cut.size = varve_tensor_size(part);
    varve_status status = begin(value, &cut, error);
    if (status == VARVE_OK)
        status = varve_reader_read_box(
            reader, node->id, box, value->bytes, (size_t)cut.size, error);
    if (status != VARVE_OK)
        value_clear(value);
    return status;
}

varve_status value_read(struct value *value, varve_reader *reader,
    const varve_saved_node *node, varve_error *error)
{
    if (!node->has_value)
        return fail_missing(error, node);
    varve_status status = begin(value, node, error);
    if (status == VARVE_OK)
        status = varve_reader_read(
            reader, node->id, value->bytes, (size_t)node->size, error);
    if (status == VARVE_OK && node->value.dtype == VARVE_STRING)
        status = check_strings(value, error);
    if (status != VARVE_OK)
        value_clear(value);
    return status;
}

varve_status value_read_beginning(struct value *value, varve_reader *reader,
    const varve_saved_node *node, varve_error *error)
{
    varve_tensor part = node->value;
    if (part.shape[0] > MOST_SHOWN + 1)
        part.shape[0] = MOST_SHOWN + 1;
    const varve_box box = { .extents = { part.shape[0] } };
    return read_part(value, reader, node, &box, &part, error);
}

void value_clear(struct value *value)
{
    free(value->bytes);
    value->bytes = NULL;
}

const unsigned char *value_next(struct value *value, uint64_t *size)
{
    if (value->next == value->count)
        return NULL;
    *size = value->node.value.dtype == VARVE_STRING
                ? load64(value->bytes + 8 * value->next)
                : varve_dtype_size(value->node.value.dtype);
    const unsigned char *element = value->bytes + value->offset;
    value->offset += *size;
    value->next++;
    return element;
}

/* Returns the number of bytes of a string to show; does not cut a character. */
static size_t shown_size(const unsigned char *bytes, uint64_t size)
{
    return text_beginning((const char *)bytes, (size_t)size, MOST_SHOWN);
}

/* Prints a string in the form of JSON, so that control characters and quotes
 * are escaped. */
static void print_string(FILE *to, const unsigned char *bytes, uint64_t size)
{
    size_t shown = shown_size(bytes, size);
    json_t *string = json_bytes(bytes, shown);
    char *text = json_text(string);
    fputs(text ? text : "?", to);
    if (shown < size)
        fputs("...", to);
    free(text);
    json_decref(string);
}

bool value_is_text(const struct value *value)
{
    size_t shown = shown_size(value->bytes, value->node.size);
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = value->bytes[i];
        if (c == 0x7f || (c < ' ' && c != '\t' && c != '\n' && c != '\r'))
            return false;
    }
    json_t *string = json_bytes(value->bytes, shown);
    bool is_text = json_is_string(string);
    json_decref(string);
    return is_text;
}

void value_print_text(FILE *to, const struct value *value)
{
    print_string(to, value->bytes, value->node.size);
}

void value_print_scalar(FILE *to, struct value *value)
{
    char text[ELEMENT_TEXT_SIZE];
    uint64_t size;
    const unsigned char *bytes = value_next(value, &size);
    if (!bytes)
        return;
    if (value->node.value.dtype == VARVE_STRING)
        print_string(to, bytes, size);
    else
        fputs(element_text(value->node.value.dtype, bytes, false, text), to);
}
