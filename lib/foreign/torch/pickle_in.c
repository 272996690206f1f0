/* pickle_in.c - Executes the opcodes of a pickle on a table of items.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pickle_in.h"

#include <inttypes.h>
#include <string.h>

#include "failure.h"
#include "name.h"
#include "pickle.h"
#include "try.h"

enum {
    NEWEST_PROTOCOL = 5,
    MOST_BYTES = 1 << 30, /* limit: counts have 32 bits */
};

/* --- Opcodes: text, bytes, numbers ---------------------------------------- */

static varve_status push_integer(struct vv_machine *m, int64_t value)
{
    struct vv_pickle_item item = {
        .kind = VV_PICKLE_INTEGER,
        .a = (uint32_t)(uint64_t)value,
        .b = (uint32_t)((uint64_t)value >> 32),
    };
    return vv_machine_push_new(m, item);
}

static varve_status push_bytes(
    struct vv_machine *m, unsigned width, enum vv_pickle_kind kind)
{
    uint64_t size = 0;
    const unsigned char *bytes = NULL;
    VV_TRY(vv_machine_take_number(m, width, &size));
    VV_TRY(vv_machine_take(m, size, &bytes));
    if (kind == VV_PICKLE_TEXT &&
        !vv_utf8_is_valid((const char *)bytes, (size_t)size))
        kind = VV_PICKLE_BYTES; /* a lone surrogate, a NUL, or a byte string of
                                   Python 2 */
    struct vv_pickle_item item = { .kind = (uint16_t)kind,
        .a = (uint32_t)(bytes - m->p->bytes),
        .b = (uint32_t)size };
    return vv_machine_push_new(m, item);
}

static varve_status push_long(struct vv_machine *m, unsigned width)
{
    uint64_t size = 0, value = 0;
    const unsigned char *bytes = NULL;
    VV_TRY(vv_machine_take_number(m, width, &size));
    VV_TRY(vv_machine_take(m, size, &bytes));
    if (size > 8) {
        struct vv_pickle_item item = { .kind = VV_PICKLE_LONG,
            .a = (uint32_t)(bytes - m->p->bytes),
            .b = (uint32_t)size };
        return vv_machine_push_new(m, item);
    }
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    if (size > 0 && size < 8 && bytes[size - 1] & 0x80)
        value |= UINT64_MAX << 8 * size;
    return push_integer(m, (int64_t)value);
}

static varve_status push_unsigned(struct vv_machine *m, unsigned width)
{
    uint64_t value = 0;
    VV_TRY(vv_machine_take_number(m, width, &value));
    return push_integer(m, (int64_t)value);
}

static varve_status push_int32(struct vv_machine *m)
{
    uint64_t value = 0;
    VV_TRY(vv_machine_take_number(m, 4, &value));
    return push_integer(m, (int32_t)(uint32_t)value);
}

/* Sets *begin and *size to the rest of the line and moves past its newline. */
static varve_status pickle_in_take_line(
    struct vv_machine *m, const char *what, const char **begin, uint32_t *size)
{
    *begin = (const char *)m->p->bytes + m->at;
    const char *end = memchr(*begin, '\n', m->p->size - m->at);
    if (!end)
        return vv_fail(m->error, VARVE_TRUNCATED,
            "%s: byte %" PRIu32 ": the pickle ends inside %s", m->where,
            m->code_at, what);
    *size = (uint32_t)(end - *begin);
    m->at += *size + 1;
    return VARVE_OK;
}

/* Parses a decimal, which Python 2 writes in protocol 2 for integers of more
 * than 32 bits. 00 and 01 are bools. */
static varve_status push_decimal(struct vv_machine *m)
{
    const char *text = NULL;
    uint32_t size = 0;
    uint64_t value = 0;
    VV_TRY(pickle_in_take_line(m, "a number", &text, &size));
    if (size == 2 && text[0] == '0' && (text[1] == '0' || text[1] == '1'))
        return vv_machine_push(
            m, text[1] == '1' ? VV_PICKLE_THE_TRUE : VV_PICKLE_THE_FALSE);
    bool is_below = size > 0 && text[0] == '-';
    if (!vv_parse_decimal(text + is_below, size - is_below, &value) ||
        value > (uint64_t)INT64_MAX + is_below)
        return vv_machine_fail(m, "an integer is malformed or exceeds 64 bits");
    return push_integer(m, (int64_t)(is_below ? 0 - value : value));
}

/* Parses a big-endian float64. */
static varve_status push_real(struct vv_machine *m)
{
    const unsigned char *bytes = NULL;
    VV_TRY(vv_machine_take(m, 8, &bytes));
    struct vv_pickle_item item = { .kind = VV_PICKLE_REAL };
    for (int i = 0; i < 4; i++) {
        item.b = item.b << 8 | bytes[i];
        item.a = item.a << 8 | bytes[i + 4];
    }
    return vv_machine_push_new(m, item);
}

/* --- Opcodes: globals and calls ------------------------------------------- */

/* Adds the rest of the line as a text. */
static varve_status pickle_in_add_line(struct vv_machine *m, uint32_t *number)
{
    const char *begin;
    struct vv_pickle_item item = { .kind = VV_PICKLE_TEXT, .a = m->at };
    VV_TRY(pickle_in_take_line(m, "a name", &begin, &item.b));
    if (!vv_utf8_is_valid(begin, item.b))
        return vv_machine_fail(m, "a name is not valid UTF-8");
    return vv_machine_add(m, item, number);
}

static varve_status push_global(struct vv_machine *m)
{
    struct vv_pickle_item item = { .kind = VV_PICKLE_GLOBAL };
    VV_TRY(pickle_in_add_line(m, &item.a));
    VV_TRY(pickle_in_add_line(m, &item.b));
    return vv_machine_push_new(m, item);
}

static varve_status push_stacked_global(struct vv_machine *m)
{
    struct vv_pickle_item item = { .kind = VV_PICKLE_GLOBAL };
    VV_TRY(vv_machine_pop(m, &item.b));
    VV_TRY(vv_machine_pop(m, &item.a));
    if (vv_machine_item_at(m, item.a)->kind != VV_PICKLE_TEXT ||
        vv_machine_item_at(m, item.b)->kind != VV_PICKLE_TEXT)
        return vv_machine_fail(
            m, "the module or name of a global is not a string");
    return vv_machine_push_new(m, item);
}

static varve_status push_extension(struct vv_machine *m, unsigned width)
{
    uint64_t code = 0;
    VV_TRY(vv_machine_take_number(m, width, &code));
    return vv_machine_push_new(
        m, (struct vv_pickle_item){
               .kind = VV_PICKLE_EXTENSION, .a = (uint32_t)code });
}

static varve_status push_call(struct vv_machine *m, bool has_keywords)
{
    struct vv_pickle_item item = { .kind = VV_PICKLE_CALL };
    uint32_t keywords;
    if (has_keywords)
        VV_TRY(vv_machine_pop(m, &keywords));
    VV_TRY(vv_machine_pop(m, &item.b));
    VV_TRY(vv_machine_pop(m, &item.a));
    if (vv_machine_item_at(m, item.b)->kind != VV_PICKLE_TUPLE)
        return vv_machine_fail(m, "the arguments of a call are not a tuple");
    return vv_machine_push_new(m, item);
}

static varve_status build(struct vv_machine *m)
{
    uint32_t state = 0, to = 0;
    VV_TRY(vv_machine_pop(m, &state));
    VV_TRY(vv_machine_top(m, &to));
    if (vv_machine_item_at(m, to)->kind != VV_PICKLE_CALL)
        return vv_machine_fail(
            m, "only an object made by a call can be given a state");
    vv_machine_item_at(m, to)->state = state;
    return VARVE_OK;
}

static varve_status push_outside(struct vv_machine *m)
{
    struct vv_pickle_item item = { .kind = VV_PICKLE_OUTSIDE };
    VV_TRY(vv_machine_pop(m, &item.a));
    return vv_machine_push_new(m, item);
}

/* --- Opcodes: containers -------------------------------------------------- */

static varve_status push_kind(struct vv_machine *m, enum vv_pickle_kind kind)
{
    return vv_machine_push_new(
        m, (struct vv_pickle_item){ .kind = (uint16_t)kind });
}

/* Pushes a new container that takes the stack from `begin` as its members. */
static varve_status pickle_in_gather(
    struct vv_machine *m, enum vv_pickle_kind kind, size_t begin)
{
    uint32_t number = 0;
    VV_TRY(vv_machine_add(
        m, (struct vv_pickle_item){ .kind = (uint16_t)kind }, &number));
    VV_TRY(vv_machine_append_from(m, number, begin));
    return vv_machine_push(m, number);
}

static varve_status gather_last(struct vv_machine *m, size_t count)
{
    if (vv_machine_depth_of(m) - vv_machine_floor_of(m) < count)
        return vv_machine_fail(m, "the stack has fewer items than the tuple");
    return pickle_in_gather(m, VV_PICKLE_TUPLE, vv_machine_depth_of(m) - count);
}

static varve_status gather_marked(
    struct vv_machine *m, enum vv_pickle_kind kind)
{
    size_t begin = 0;
    VV_TRY(vv_machine_pop_mark(m, &begin));
    return pickle_in_gather(m, kind, begin);
}

/* Returns true if an item can take members of a kind. A call may have created
 * any kind of container. */
static bool pickle_in_takes(
    struct vv_machine *m, uint32_t number, enum vv_pickle_kind kind)
{
    uint32_t found = vv_machine_item_at(m, number)->kind;
    return found == kind || found == VV_PICKLE_CALL;
}

/* Adds the stack from `begin` as members to the item below. */
static varve_status pickle_in_add_members(
    struct vv_machine *m, size_t begin, enum vv_pickle_kind kind)
{
    if (begin <= vv_machine_floor_of(m) ||
        !pickle_in_takes(m, vv_machine_stack_of(m)[begin - 1], kind))
        return vv_machine_fail(
            m, kind == VV_PICKLE_DICT   ? "there is no dict to add items to"
               : kind == VV_PICKLE_LIST ? "there is no list to add items to"
                                        : "there is no set to add items to");
    if (kind == VV_PICKLE_DICT && (vv_machine_depth_of(m) - begin) % 2 != 0)
        return vv_machine_fail(m, "the last key has no value");
    struct vv_pickle_item *to =
        vv_machine_item_at(m, vv_machine_stack_of(m)[begin - 1]);
    if (to->holds && to->holds != kind)
        return vv_machine_fail(
            m, "an object is given items of different kinds");
    to->holds = (uint16_t)kind;
    return vv_machine_append_from(m, vv_machine_stack_of(m)[begin - 1], begin);
}

static varve_status add_marked(struct vv_machine *m, enum vv_pickle_kind kind)
{
    size_t begin = 0;
    VV_TRY(vv_machine_pop_mark(m, &begin));
    return pickle_in_add_members(m, begin, kind);
}

static varve_status add_last(
    struct vv_machine *m, size_t count, enum vv_pickle_kind kind)
{
    size_t depth = vv_machine_depth_of(m);
    return pickle_in_add_members(m, depth < count ? 0 : depth - count, kind);
}

static varve_status drop_marked(struct vv_machine *m)
{
    size_t begin = 0;
    VV_TRY(vv_machine_pop_mark(m, &begin));
    m->stack.size = begin * sizeof(uint32_t);
    return VARVE_OK;
}

/* Removes the top of the stack, which may be a mark. */
static varve_status pickle_in_drop(struct vv_machine *m)
{
    uint32_t number = 0;
    if (m->marks.size > 0 && vv_machine_depth_of(m) == vv_machine_floor_of(m))
        return drop_marked(m);
    return vv_machine_pop(m, &number);
}

static varve_status repeat(struct vv_machine *m)
{
    uint32_t number = 0;
    VV_TRY(vv_machine_top(m, &number));
    return vv_machine_push(m, number);
}

/* --- Opcodes: the memo ---------------------------------------------------- */

static varve_status pickle_in_put(struct vv_machine *m, unsigned width)
{
    uint64_t number = 0;
    VV_TRY(vv_machine_take_number(m, width, &number));
    return vv_machine_memorize(m, number);
}

static varve_status pickle_in_get(struct vv_machine *m, unsigned width)
{
    uint64_t number = 0;
    VV_TRY(vv_machine_take_number(m, width, &number));
    return vv_machine_recall(m, number);
}

/* --- The machine ---------------------------------------------------------- */

static varve_status take_protocol(struct vv_machine *m)
{
    uint64_t protocol = 0;
    VV_TRY(vv_machine_take_number(m, 1, &protocol));
    if (protocol <= NEWEST_PROTOCOL)
        return VARVE_OK;
    return vv_fail(m->error, VARVE_TOO_NEW,
        "%s: byte %" PRIu32 ": protocol %" PRIu64
        " is not supported (only 2 to 5)",
        m->where, m->at, protocol);
}

static varve_status skip_frame(struct vv_machine *m)
{
    uint64_t size = 0;
    return vv_machine_take_number(m, 8, &size);
}

static varve_status memorize_next(struct vv_machine *m)
{
    return vv_machine_memorize(m, m->memorized);
}

/* Fails for an unsupported opcode. Protocols 0 and 1 are named in the message.
 */
static varve_status pickle_in_refuse(struct vv_machine *m, unsigned code)
{
    bool is_old = code != 0 && code < 0x80 && strchr("LFSVdlgpioP", (int)code);
    return vv_fail(m->error, VARVE_TOO_NEW,
        "%s: byte %" PRIu32
        ": opcode %#x%s is not supported (only those of protocols 2 to 5)",
        m->where, m->code_at, code, is_old ? " of protocols 0 and 1" : "");
}

/* Executes the opcodes of protocols 4 and 5. */
static varve_status step_new(struct vv_machine *m, unsigned code)
{
    switch (code) {
    case 0x8c: return push_bytes(m, 1, VV_PICKLE_TEXT);
    case 0x8d: return push_bytes(m, 8, VV_PICKLE_TEXT);
    case 0x8e:
    case 0x96: return push_bytes(m, 8, VV_PICKLE_BYTES);
    case 0x8f: return push_kind(m, VV_PICKLE_SET);
    case 0x90: return add_marked(m, VV_PICKLE_SET);
    case 0x91: return gather_marked(m, VV_PICKLE_SET);
    case 0x92: return push_call(m, true);
    case 0x93: return push_stacked_global(m);
    case 0x94: return memorize_next(m);
    case 0x95: return skip_frame(m);
    default: return pickle_in_refuse(m, code);
    }
}

/* Executes the opcodes that push data. */
static varve_status step_data(struct vv_machine *m, unsigned code)
{
    switch (code) {
    case 'N': return vv_machine_push(m, VV_PICKLE_THE_NONE);
    case 0x88: return vv_machine_push(m, VV_PICKLE_THE_TRUE);
    case 0x89: return vv_machine_push(m, VV_PICKLE_THE_FALSE);
    case 'I': return push_decimal(m);
    case 'J': return push_int32(m);
    case 'K': return push_unsigned(m, 1);
    case 'M': return push_unsigned(m, 2);
    case 'G': return push_real(m);
    case 0x8a: return push_long(m, 1);
    case 0x8b: return push_long(m, 4);
    case 'X':
    case 'T': return push_bytes(m, 4, VV_PICKLE_TEXT);
    case 'U': return push_bytes(m, 1, VV_PICKLE_TEXT);
    case 'B': return push_bytes(m, 4, VV_PICKLE_BYTES);
    case 'C': return push_bytes(m, 1, VV_PICKLE_BYTES);
    case 0x82: return push_extension(m, 1);
    case 0x83: return push_extension(m, 2);
    case 0x84: return push_extension(m, 4);
    case '0': return pickle_in_drop(m);
    case '1': return drop_marked(m);
    case '2': return repeat(m);
    default: return step_new(m, code);
    }
}

static varve_status pickle_in_step(struct vv_machine *m, unsigned code)
{
    switch (code) {
    case 0x80: return take_protocol(m);
    case '(': return vv_machine_push_mark(m);
    case ')': return push_kind(m, VV_PICKLE_TUPLE);
    case ']': return push_kind(m, VV_PICKLE_LIST);
    case '}': return push_kind(m, VV_PICKLE_DICT);
    case 't': return gather_marked(m, VV_PICKLE_TUPLE);
    case 0x85: return gather_last(m, 1);
    case 0x86: return gather_last(m, 2);
    case 0x87: return gather_last(m, 3);
    case 'a': return add_last(m, 1, VV_PICKLE_LIST);
    case 'e': return add_marked(m, VV_PICKLE_LIST);
    case 's': return add_last(m, 2, VV_PICKLE_DICT);
    case 'u': return add_marked(m, VV_PICKLE_DICT);
    case 'q': return pickle_in_put(m, 1);
    case 'r': return pickle_in_put(m, 4);
    case 'h': return pickle_in_get(m, 1);
    case 'j': return pickle_in_get(m, 4);
    case 'c': return push_global(m);
    case 'R':
    case 0x81: return push_call(m, false);
    case 'b': return build(m);
    case 'Q': return push_outside(m);
    default: return step_data(m, code);
    }
}

static varve_status pickle_in_run(struct vv_machine *m)
{
    const unsigned char *code = NULL;
    for (;;) {
        m->code_at = m->at;
        VV_TRY(vv_machine_take(m, 1, &code));
        if (*code == '.')
            break;
        VV_TRY(pickle_in_step(m, *code));
    }
    VV_TRY(vv_machine_pop(m, &m->p->root));
    m->p->used = m->at;
    if (m->stack.size > 0 || m->marks.size > 0)
        return vv_machine_fail(m, "the stack is not empty at the end");
    return VARVE_OK;
}

varve_status vv_pickle_read(struct vv_pickle *p, const struct vv_buffer *bytes,
    const char *where, varve_error *error)
{
    struct vv_machine m = { .p = p, .where = where, .error = error };
    *p = (struct vv_pickle){ .bytes = bytes->data };
    vv_buffer_init(&p->items, bytes->allocator);
    vv_buffer_init(&p->links, bytes->allocator);
    if (bytes->size > MOST_BYTES)
        return vv_fail(error, VARVE_LIMIT,
            "%s: the pickle has %zu bytes (at most %d are supported)", where,
            bytes->size, MOST_BYTES);
    p->size = (uint32_t)bytes->size;
    vv_pickle_begin(p);
    if (p->items.failed || p->links.failed)
        return vv_fail_memory(error, "a pickle");
    vv_buffer_init(&m.stack, bytes->allocator);
    vv_buffer_init(&m.marks, bytes->allocator);
    vv_buffer_init(&m.memo, bytes->allocator);
    varve_status status = pickle_in_run(&m);
    vv_buffer_clear(&m.stack);
    vv_buffer_clear(&m.marks);
    vv_buffer_clear(&m.memo);
    return status;
}

void vv_pickle_clear(struct vv_pickle *p)
{
    vv_buffer_clear(&p->items);
    vv_buffer_clear(&p->links);
}
