/* field.c - Reads field tables: where members are, how many elements they have,
 * and whether the table is valid.
 *
 * SPDX-License-Identifier: MIT
 */
#include "field.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "graph.h"
#include "name.h"
#include "reached.h"
#include "typed_memory.h"

enum {
    MOST_OLDER_NAME = 256, /* bytes with the NUL */
    REASON_SIZE = 192      /* bytes of a message without its path */
};

/* --- Members ------------------------------------------------------------ */

static const char *member(const void *object, size_t offset)
{
    return (const char *)object + offset;
}

void *vv_field_memory(const varve_field *field, const void *object)
{
    /* The object belongs to the program, which may write to it. */
    union {
        const char *read;
        void *write;
    } at = { .read = member(object, field->offset) };
    void *memory = at.write;
    if (field->is_pointer)
        memcpy(&memory, at.read, sizeof memory);
    return memory;
}

void vv_field_point(const varve_field *field, void *object, void *memory)
{
    memcpy((char *)object + field->offset, &memory, sizeof memory);
}

/* Reads an integer of any type. Returns false if it is negative. */
static bool read_count(varve_dtype dtype, const char *at, uint64_t *count)
{
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } n = { 0 };
    int64_t number = 0;
    memcpy(&n, at, varve_dtype_size(dtype));
    switch (dtype) {
    case VARVE_INT8: number = n.i8; break;
    case VARVE_INT16: number = n.i16; break;
    case VARVE_INT32: number = n.i32; break;
    case VARVE_INT64: number = n.i64; break;
    case VARVE_UINT8: number = n.u8; break;
    case VARVE_UINT16: number = n.u16; break;
    case VARVE_UINT32: number = n.u32; break;
    default: *count = n.u64; return true;
    }
    *count = (uint64_t)number;
    return number >= 0;
}

static bool is_count(varve_dtype dtype)
{
    return dtype >= VARVE_INT8 && dtype <= VARVE_UINT64;
}

/* Returns the number of elements in addition to those that a member counts. */
static uint64_t more_of(const varve_field *field, unsigned i)
{
    return i == 0 ? field->more : 0;
}

static bool extent_of(
    const varve_field *field, unsigned i, const void *object, uint64_t *count)
{
    const varve_extent *by = &field->extents[i];
    uint64_t more = more_of(field, i);
    *count = i == 0 && field->count ? field->count(object) : by->at;
    if (by->dtype && !read_count(by->dtype, member(object, by->at), count))
        return false;
    *count = *count < UINT64_MAX - more ? *count + more : UINT64_MAX;
    return true;
}

uint64_t vv_field_extent(
    const varve_field *field, const void *object, unsigned i)
{
    uint64_t count;
    extent_of(field, i, object, &count);
    return count;
}

/* Returns true if some extents are 0 and others are not: the shape is saved,
 * but needs no memory. */
static bool is_flat_table(const varve_field *field, const void *object)
{
    unsigned zeros = 0;
    for (unsigned i = 0; i < field->rank; i++)
        zeros += vv_field_extent(field, object, i) == 0;
    return zeros > 0 && zeros < field->rank;
}

bool vv_field_waits(const varve_field *field, const void *object)
{
    return field->is_pointer && !vv_field_memory(field, object) &&
           (field->room || field->kind == VARVE_FIELD_IS_STRUCT) &&
           !is_flat_table(field, object);
}

bool vv_field_set_extent(
    const varve_field *field, void *object, unsigned i, uint64_t extent)
{
    const varve_extent *by = &field->extents[i];
    const uint16_t one = 1;
    size_t size = varve_dtype_size(by->dtype);
    char bytes[sizeof extent];
    uint64_t now;
    if (!by->dtype)
        return vv_field_extent(field, object, i) == extent;
    if (extent < more_of(field, i))
        return false;
    extent -= more_of(field, i);
    memcpy(bytes, &extent, sizeof bytes);
    bool is_little = *(const char *)&one != 0;
    const char *from = is_little ? bytes : bytes + sizeof bytes - size;
    if (!read_count(by->dtype, from, &now) || now != extent)
        return false;
    memcpy((char *)object + by->at, from, size);
    return true;
}

bool vv_field_counts(const varve_field *field, const varve_field *fields)
{
    bool is_value = field->kind == VARVE_FIELD_IS_VALUE && !field->ones;
    for (; is_value && fields->kind; fields++)
        for (unsigned i = 0; i < fields->rank; i++)
            if (fields->extents[i].dtype && !field->is_pointer &&
                fields->extents[i].at == field->offset)
                return true;
    return false;
}

varve_tensor vv_field_view(const varve_field *field, const void *object)
{
    varve_tensor view = varve_view(
        vv_field_memory(field, object), field->dtype, varve_shape_of(0, NULL));
    for (unsigned i = 0; i < field->rank; i++)
        view.shape[view.rank++] = vv_field_extent(field, object, i);
    if (field->has_rows)
        view.shape[view.rank++] =
            field->element_size / varve_dtype_size(field->dtype);
    return view;
}

/* --- Names -------------------------------------------------------------- */

typedef bool on_name(void *user, const char *name, size_t size);

/* Calls `visit` for each older name until it returns false. */
static bool each_older(const varve_field *field, on_name *visit, void *user)
{
    for (const char *name = field->older_names; name && *name;) {
        size_t size = strcspn(name, "|");
        if (size && !visit(user, name, size))
            return false;
        name += size + (name[size] == '|');
    }
    return true;
}

static bool field_add_alias(void *user, const char *name, size_t size)
{
    varve_node *node = user;
    char text[MOST_OLDER_NAME];
    if (size < sizeof text) {
        memcpy(text, name, size);
        text[size] = '\0';
        varve_alias(node, text);
    }
    return true;
}

void vv_field_add_aliases(const varve_field *field, varve_node *node)
{
    each_older(field, field_add_alias, node);
}

static bool is_other(void *user, const char *name, size_t size)
{
    const char *wanted = user;
    return strlen(wanted) != size || memcmp(wanted, name, size) != 0;
}

bool vv_field_is_called(const varve_field *field, const char *name)
{
    char wanted[MOST_OLDER_NAME];
    if (strcmp(vv_field_name(field), name) == 0)
        return true;
    if (snprintf(wanted, sizeof wanted, "%s", name) >= (int)sizeof wanted)
        return false;
    return !each_older(field, is_other, wanted);
}

/* --- Checks ------------------------------------------------------------- */

/* The position of a check, linked from the innermost outward. */
struct place {
    const struct place *outer;
    const char *name;
    uint64_t index; /* UINT64_MAX: not an element */
    unsigned depth;
};

static void field_put_place(const struct place *at, char *text, size_t size)
{
    size_t used = 0;
    if (at->outer) {
        field_put_place(at->outer, text, size);
        used = strlen(text);
    }
    const char *between = used ? "/" : "";
    if (at->index == UINT64_MAX)
        snprintf(text + used, size - used, "%s%s", between, at->name);
    else
        snprintf(text + used, size - used, "%s%llu", between,
            (unsigned long long)at->index);
}

static bool field_refuse(const struct place *at, const varve_node *parent,
    varve_status status, const char *what)
{
    char text[512];
    field_put_place(at, text, sizeof text);
    vv_graph_error(parent->graph, status, "%s: %s", text, what);
    return false;
}

static bool is_good_name(void *user, const char *name, size_t size)
{
    (void)user;
    return size < MOST_OLDER_NAME && vv_name_is_valid(name, size);
}

static const char *bad_name(const varve_field *first, const varve_field *field)
{
    const char *name = vv_field_name(field);
    if (!name || !vv_name_is_valid(name, strlen(name)))
        return "the name of the member is invalid; does the table end with "
               "VARVE_FIELDS_END?";
    if (!each_older(field, is_good_name, NULL))
        return "older names must be at most 255 bytes of UTF-8";
    for (; first < field; first++)
        if (strcmp(vv_field_name(first), name) == 0)
            return "the member is listed twice";
    return NULL;
}

/* Returns an error message if a member is outside its struct, or NULL. Members
 * that values and structs need have been checked. */
static const char *bad_place(const varve_field *f)
{
    static const char outside[] = "the member is outside its struct";
    size_t size = f->is_pointer ? sizeof(void *) : f->size;
    if (f->offset > f->struct_size || size > f->struct_size - f->offset ||
        (f->is_pointer && f->size != size))
        return outside;
    if (f->rank > VV_MAX_EXTENTS ||
        (f->kind != VARVE_FIELD_IS_VALUE &&
            f->rank != (f->kind == VARVE_FIELD_IS_LIST)))
        return "this kind of field cannot have these extents";
    if (f->more && !f->extents[0].dtype && !f->count)
        return "the member that counts its elements is missing";
    for (unsigned i = 0; i < f->rank; i++) {
        const varve_extent *e = &f->extents[i];
        if (!e->dtype)
            continue;
        if (!is_count(e->dtype))
            return "the member that counts is not an integer";
        if (e->at > f->struct_size ||
            varve_dtype_size(e->dtype) > f->struct_size - e->at)
            return outside;
    }
    return NULL;
}

/* Returns an error message if the element type does not fit the memory of the
 * field, or NULL. */
static const char *bad_elements(const varve_field *f)
{
    size_t size = varve_dtype_size(f->dtype);
    if (!size)
        return "the element type is invalid";
    if (f->has_rows ? f->element_size % size : f->element_size != size)
        return "the size of the elements does not fit their type";
    return NULL;
}

/* Writes the error message for missing memory into `text`. */
static const char *describe_null(uint64_t count, char *text)
{
    snprintf(text, REASON_SIZE,
        "the pointer for %llu element%s is NULL: allocate the memory before "
        "the struct is added or saved, set the count to 0, or give the field "
        "`.room`",
        (unsigned long long)count, count == 1 ? "" : "s");
    return text;
}

static const char *describe_negative(uint64_t count, char *text)
{
    snprintf(text, REASON_SIZE,
        "the count is -%llu: set it to the number of elements",
        0 - (unsigned long long)count);
    return text;
}

/* Returns an error message if the extents do not fit the size of the member, or
 * NULL. */
static const char *bad_extents(
    const varve_field *f, const void *object, char *text)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < f->rank; i++) {
        uint64_t extent;
        if (!extent_of(f, i, object, &extent))
            return describe_negative(extent, text);
        if (extent && count > SIZE_MAX / extent)
            return "the count does not fit in memory";
        count *= extent;
    }
    if (f->element_size && count > SIZE_MAX / f->element_size)
        return "the count does not fit in memory";
    if (!f->is_pointer && f->size && f->size != count * f->element_size)
        return "the size of the member differs from its extents";
    if (f->is_pointer && count && !vv_field_memory(f, object) &&
        !vv_field_waits(f, object))
        return describe_null(count, text);
    return NULL;
}

static const char *bad_text(const varve_field *f)
{
    if (!f->size)
        return "the text has no room";
    if (f->is_pointer != (f->resize != NULL))
        return "the kind of the field is invalid";
    if (f->is_pointer && f->room)
        return "`.room` is not allowed for text behind a pointer: a restore "
               "allocates it";
    return NULL;
}

static const char *bad_field(const varve_field *first, const varve_field *f,
    const void *object, char *text)
{
    static const varve_field nothing;
    const char *bad = bad_name(first, f);
    if (bad || f->kind == VARVE_FIELD_IS_GONE)
        return bad;
    if (memcmp(f->reserved, nothing.reserved, sizeof nothing.reserved) != 0)
        return "the field was made for a newer version of Varve";
    if (first->struct_size && f->struct_size != first->struct_size)
        return "the member belongs to another struct than those before";
    if ((bad = bad_place(f)))
        return bad;
    if (f->kind == VARVE_FIELD_IS_TEXT)
        return bad_text(f);
    if (f->kind == VARVE_FIELD_IS_VALUE && (bad = bad_elements(f)))
        return bad;
    if (f->kind > VARVE_FIELD_IS_LIST ||
        (vv_is_reached(f) && f->kind != VARVE_FIELD_IS_VALUE))
        return "the kind of the field is invalid";
    bad = bad_extents(f, object, text);
    return bad || !vv_is_reached(f) ? bad : vv_reached_bad(f, object);
}

static bool field_check(const struct place *at, const varve_node *parent,
    const varve_field *fields, const void *object, size_t size);

/* Checks all structs of a field. */
static bool check_structs(const struct place *at, const varve_node *parent,
    const varve_field *f, const void *object)
{
    const char *memory = vv_field_memory(f, object);
    struct place element = { at, NULL, 0, at->depth + 1 };
    uint64_t count = 0;
    if (f->kind == VARVE_FIELD_IS_STRUCT)
        return !memory ||
               field_check(at, parent, f->fields, memory, f->element_size);
    if (memory)
        count = vv_field_extent(f, object, 0);
    for (; element.index < count; element.index++)
        if (!field_check(&element, parent, f->fields,
                memory + element.index * f->element_size, f->element_size))
            return false;
    return true;
}

/* The depth of structs limits the recursion. */
static bool field_check(const struct place *at, const varve_node *parent,
    const varve_field *fields, const void *object, size_t size)
{
    if (!fields || !object)
        return field_refuse(at, parent, VARVE_MISUSE,
            fields ? "the struct is NULL"
                   : "the fields of the struct are NULL");
    _Static_assert(VV_MAX_STRUCT_DEPTH == 32, "the message names it");
    if (at->depth > VV_MAX_STRUCT_DEPTH)
        return field_refuse(at, parent, VARVE_LIMIT,
            "structs are nested more than 32 deep or in a cycle: save a long "
            "list by varve_add_state or as an array of structs");
    for (const varve_field *f = fields; f->kind; f++) {
        const char *name = vv_field_name(f);
        struct place here = { at, name ? name : "?", UINT64_MAX,
            at->depth + 1 };
        char text[REASON_SIZE];
        const char *bad = bad_field(fields, f, object, text);
        if (!bad && size && f->kind != VARVE_FIELD_IS_GONE &&
            f->struct_size != size)
            bad = "the fields belong to another struct";
        if (bad)
            return field_refuse(&here, parent, VARVE_MISUSE, bad);
        if ((f->kind == VARVE_FIELD_IS_STRUCT ||
                f->kind == VARVE_FIELD_IS_LIST) &&
            !check_structs(&here, parent, f, object))
            return false;
    }
    return true;
}

bool vv_fields_check(const varve_node *parent, const char *name,
    const varve_field *fields, const void *object, size_t size)
{
    char text[256];
    struct place above = { NULL, vv_node_text(parent, text, sizeof text),
        UINT64_MAX, 0 };
    struct place at = { &above, name ? name : "list element", UINT64_MAX, 0 };
    if (parent == parent->graph->root)
        at.outer = NULL;
    return field_check(
        name && !*name ? &above : &at, parent, fields, object, size);
}
