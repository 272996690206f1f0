/* event_reader.c - Reads records, Protocol Buffers and stored PNGs with a
 * bit-by-bit implementation of the specifications.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/event_reader.h"

#include <stdlib.h>
#include <string.h>

/* --- Numbers and checksums ------------------------------------------------ */

static uint64_t load(const unsigned char *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static uint32_t load_big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t crc_of(
    const unsigned char *at, size_t size, uint32_t polynomial)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
    }
    return ~crc;
}

static bool sum_fits(const unsigned char *at, size_t size)
{
    uint32_t crc = crc_of(at, size, UINT32_C(0x82f63b78));
    uint32_t masked = (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
    return masked == load(at + size, 4);
}

/* --- Messages ------------------------------------------------------------- */

struct field {
    uint64_t number;
    uint64_t value; /* or the bits of it */
    struct event_bytes bytes;
};

static uint64_t take_varint(struct event_bytes *in, bool *is_good)
{
    uint64_t value = 0;
    for (unsigned shift = 0; in->size > 0 && shift < 64; shift += 7) {
        unsigned char byte = *in->data++;
        in->size--;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    *is_good = false;
    return 0;
}

/* Returns false at the end, and if *is_good became false. */
static bool take_field(
    struct event_bytes *in, struct field *field, bool *is_good)
{
    if (in->size == 0)
        return false;
    *field = (struct field){ .number = take_varint(in, is_good) };
    unsigned type = field->number & 7;
    field->number >>= 3;
    if (type == 0) {
        field->value = take_varint(in, is_good);
        return *is_good;
    }
    size_t size = type == 1 ? 8 : type == 5 ? 4 : 0;
    if (type == 2)
        size = take_varint(in, is_good);
    else if (size == 0)
        *is_good = false;
    *is_good &= size <= in->size;
    if (!*is_good)
        return false;
    field->bytes = (struct event_bytes){ in->data, size };
    if (type != 2)
        field->value = load(in->data, size);
    in->data += size;
    in->size -= size;
    return true;
}

static bool read_histogram(struct event_bytes in, struct event_histogram *h)
{
    bool is_good = true;
    for (struct field f; take_field(&in, &f, &is_good);) {
        double value = double_of(f.value);
        switch (f.number) {
        case 1: h->min = value; break;
        case 2: h->max = value; break;
        case 3: h->count = value; break;
        case 4: h->sum = value; break;
        case 5: h->sum_squares = value; break;
        case 6: h->limits = f.bytes; break;
        case 7: h->counts = f.bytes; break;
        default: return false;
        }
    }
    return is_good && h->limits.size == h->counts.size &&
           h->limits.size % 8 == 0;
}

static bool read_image(struct event_bytes in, struct event_image *image)
{
    bool is_good = true;
    for (struct field f; take_field(&in, &f, &is_good);) {
        switch (f.number) {
        case 1: image->height = f.value; break;
        case 2: image->width = f.value; break;
        case 3: image->channels = f.value; break;
        case 4: image->png = f.bytes; break;
        default: return false;
        }
    }
    return is_good;
}

static bool read_metadata(struct event_bytes in, struct event_value *value)
{
    bool is_good = true;
    for (struct field f; take_field(&in, &f, &is_good);) {
        struct field name;
        if (f.number == 4)
            value->data_class = f.value;
        else if (f.number != 1 || !take_field(&f.bytes, &name, &is_good) ||
                 name.number != 1 || f.bytes.size > 0)
            return false;
        else
            value->plugin = name.bytes;
    }
    return is_good;
}

static bool read_tensor(struct event_bytes in, struct event_value *value)
{
    bool is_good = true;
    for (struct field f; take_field(&in, &f, &is_good);) {
        switch (f.number) {
        case 1: value->dtype = f.value; break;
        case 2: value->has_shape = f.bytes.size == 0; break;
        case 8: value->text = f.bytes; break;
        default: return false;
        }
    }
    return is_good;
}

static bool read_scalar(const struct field *f, struct event_value *value)
{
    uint32_t bits = (uint32_t)f->value;
    memcpy(&value->scalar, &bits, sizeof bits);
    value->has_scalar = true;
    return f->bytes.size == 4;
}

static bool read_value(struct event_bytes in, struct event_value *value)
{
    bool is_good = true;
    for (struct field f; is_good && take_field(&in, &f, &is_good);) {
        switch (f.number) {
        case 1: value->tag = f.bytes; break;
        case 2: is_good = read_scalar(&f, value); break;
        case 4:
            value->has_image = true;
            is_good = read_image(f.bytes, &value->image);
            break;
        case 5:
            value->has_histogram = true;
            is_good = read_histogram(f.bytes, &value->histogram);
            break;
        case 8: is_good = read_tensor(f.bytes, value); break;
        case 9: is_good = read_metadata(f.bytes, value); break;
        default: return false;
        }
    }
    return is_good;
}

static bool read_summary(struct event_bytes in, struct event *event)
{
    bool is_good = true;
    for (struct field f; is_good && take_field(&in, &f, &is_good);) {
        if (f.number != 1 || event->value_count == EVENT_MOST_VALUES)
            return false;
        is_good = read_value(f.bytes, &event->values[event->value_count++]);
    }
    return is_good;
}

static bool read_event(struct event_bytes in, struct event *event)
{
    bool is_good = true;
    for (struct field f; is_good && take_field(&in, &f, &is_good);) {
        struct field status;
        switch (f.number) {
        case 1: event->wall_time = double_of(f.value); break;
        case 2: event->step = (int64_t)f.value; break;
        case 3: event->version = f.bytes; break;
        case 5: is_good = read_summary(f.bytes, event); break;
        case 7:
            is_good = take_field(&f.bytes, &status, &is_good) &&
                      status.number == 1 && f.bytes.size == 0;
            event->session_status = status.value;
            break;
        default: return false;
        }
    }
    return is_good;
}

/* --- Records -------------------------------------------------------------- */

/* Returns the size of the record at the beginning, or 0 if it is truncated. */
static size_t read_record(
    struct event_bytes in, struct event *event, const char **fault)
{
    if (in.size < 12)
        return 0;
    if (!sum_fits(in.data, 8)) {
        *fault = "the sum of a length";
        return 0;
    }
    uint64_t size = load(in.data, 8);
    if (size > in.size - 12 || in.size - 12 - size < 4)
        return 0;
    if (!sum_fits(in.data + 12, size))
        *fault = "the sum of a message";
    else if (!read_event((struct event_bytes){ in.data + 12, size }, event))
        *fault = "a message";
    return *fault ? 0 : size + 16;
}

/* Doubles the capacity, since realloc may copy everything. */
static void make_room(struct event_list *list)
{
    size_t count = list->count;
    if (count & (count - 1))
        return;
    list->events =
        realloc(list->events, (count ? 2 * count : 1) * sizeof *list->events);
    if (!list->events)
        abort();
}

struct event_list event_read(const void *bytes, size_t size)
{
    struct event_list list = { 0 };
    while (list.whole < size) {
        struct event event = { 0 };
        struct event_bytes rest = { (const unsigned char *)bytes + list.whole,
            size - list.whole };
        size_t taken = read_record(rest, &event, &list.fault);
        if (!taken)
            break;
        make_room(&list);
        list.events[list.count++] = event;
        list.whole += taken;
    }
    list.is_cut = list.whole < size;
    return list;
}

void event_list_free(struct event_list *list)
{
    free(list->events);
    *list = (struct event_list){ 0 };
}

bool event_bytes_are(struct event_bytes bytes, const char *text)
{
    return bytes.size == strlen(text) &&
           (bytes.size == 0 || memcmp(bytes.data, text, bytes.size) == 0);
}

double event_double(struct event_bytes doubles, size_t i)
{
    return double_of(load(doubles.data + 8 * i, 8));
}

/* --- Images --------------------------------------------------------------- */

/* Sets the content of the next chunk, which must have this type. */
static bool take_chunk(
    struct event_bytes *in, const char *type, struct event_bytes *content)
{
    if (in->size < 12)
        return false;
    uint32_t size = load_big_endian(in->data);
    if (size > in->size - 12 || memcmp(in->data + 4, type, 4) != 0)
        return false;
    *content = (struct event_bytes){ in->data + 8, size };
    uint32_t crc = crc_of(in->data + 4, size + 4, UINT32_C(0xedb88320));
    if (crc != load_big_endian(in->data + 8 + size))
        return false;
    in->data += size + 12;
    in->size -= size + 12;
    return true;
}

static uint32_t adler_of(const unsigned char *at, size_t size)
{
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < size; i++) {
        low = (low + at[i]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

/* Concatenates the stored blocks of a zlib stream to exactly `size` bytes. */
static bool inflate(struct event_bytes in, unsigned char *out, size_t size)
{
    if (in.size < 2 || in.data[0] != 0x78 ||
        (in.data[0] * 256 + in.data[1]) % 31)
        return false;
    size_t done = 0;
    bool is_last = false;
    for (in.data += 2, in.size -= 2; !is_last;) {
        if (in.size < 5 || in.data[0] > 1)
            return false;
        is_last = in.data[0];
        size_t part = load(in.data + 1, 2);
        if ((part ^ load(in.data + 3, 2)) != 0xffff || part > in.size - 5 ||
            part > size - done)
            return false;
        memcpy(out + done, in.data + 5, part);
        done += part;
        in.data += part + 5;
        in.size -= part + 5;
    }
    return done == size && in.size == 4 &&
           adler_of(out, size) == load_big_endian(in.data);
}

/* Removes the filter bytes, which must be 0. */
static bool take_filters_out(unsigned char *bytes, size_t rows, size_t row)
{
    for (size_t y = 0; y < rows; y++) {
        if (bytes[y * (row + 1)] != 0)
            return false;
        memmove(bytes + y * row, bytes + y * (row + 1) + 1, row);
    }
    return true;
}

unsigned char *event_pixels(
    struct event_bytes png, uint32_t width, uint32_t height, unsigned channels)
{
    static const unsigned char types[] = { 0, 0, 0, 2, 6 };
    struct event_bytes header, data, nothing;
    if (png.size < 8 || memcmp(png.data, "\x89PNG\r\n\x1a\n", 8) != 0)
        return NULL;
    png.data += 8;
    png.size -= 8;
    if (!take_chunk(&png, "IHDR", &header) || header.size != 13 ||
        load_big_endian(header.data) != width ||
        load_big_endian(header.data + 4) != height || header.data[8] != 8 ||
        header.data[9] != types[channels] || load(header.data + 10, 3) != 0 ||
        !take_chunk(&png, "IDAT", &data) ||
        !take_chunk(&png, "IEND", &nothing) || nothing.size > 0 || png.size > 0)
        return NULL;
    size_t row = (size_t)width * channels;
    size_t size = height * (row + 1);
    unsigned char *pixels = malloc(size);
    if (pixels && inflate(data, pixels, size) &&
        take_filters_out(pixels, height, row))
        return pixels;
    free(pixels);
    return NULL;
}
