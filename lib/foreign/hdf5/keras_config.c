/* keras_config.c - Parses the nested models in a config: the config of a model
 * contains layers, some of which are models. Other members are skipped.
 *
 * Groups are named as in Keras 3: after the class, in lower case with '_'
 * between words, with a number from the second of its name on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "keras_config.h"

#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "failure.h"
#include "json_in.h"
#include "name.h"
#include "try.h"

/* If a model has more than MOST_LAYERS layers, the config is ignored, because
 * each name is searched among those of its model. */
enum {
    MOST_MODELS = 8,
    MOST_LAYERS = 8192,
    MOST_CONFIG = 64 << 20,
    MOST_CLASS = 200
};

/* A name of groups in a model and the number of groups that have it. */
struct vv_keras_used {
    const char *name;
    size_t count;
};

struct parsing {
    struct vv_keras_config *config;
    struct vv_json_in in;
    int models; /* nesting depth of open models */
    bool is_frozen;
    varve_error *error;
};

static varve_status keras_config_fail_memory(const struct parsing *p)
{
    return vv_fail_memory(p->error, "the layers of a model");
}

/* --- Names ---------------------------------------------------------------- */

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool keras_config_is_word(char c)
{
    return is_upper(c) || is_lower(c) || (c >= '0' && c <= '9') || c == '_';
}

/* Converts a class name as in keras/src/utils/naming.py: to_snake_case, for
 * ASCII. */
static void add_snake(struct vv_buffer *to, const char *class)
{
    char last = 0;
    for (size_t i = 0; class[i]; i++) {
        char c = class[i];
        if (!keras_config_is_word(c))
            continue;
        if (last && is_upper(c) && (is_lower(last) || is_lower(class[i + 1])))
            vv_buffer_add8(to, '_');
        vv_buffer_add8(to, (uint8_t)(is_upper(c) ? c - 'A' + 'a' : c));
        last = c;
    }
}

/* Returns the number of earlier groups of a model with this name; the names of
 * the model begin at `begin`. Returns SIZE_MAX if memory runs out. */
static size_t use_name(
    struct vv_keras_config *c, size_t begin, const char *name)
{
    struct vv_keras_used *used = (struct vv_keras_used *)(void *)c->used.data;
    size_t count = c->used.size / sizeof *used;
    for (size_t i = begin; i < count; i++) {
        if (strcmp(used[i].name, name) == 0)
            return used[i].count++;
    }
    struct vv_keras_used added = {
        vv_arena_text(&c->source->names, name, strlen(name)), 1
    };
    vv_buffer_add(&c->used, &added, sizeof added);
    return added.name && !c->used.failed ? 0 : SIZE_MAX;
}

/* Appends `layers/<group>` to the path. */
static bool keras_config_add_group(
    struct vv_keras_config *c, size_t begin, const char *class)
{
    c->text.size = 0;
    add_snake(&c->text, class);
    const char *name = vv_buffer_string(&c->text);
    size_t number = c->text.failed ? SIZE_MAX : use_name(c, begin, name);
    vv_buffer_add_string(&c->path, c->path.size ? "/layers/" : "layers/");
    vv_buffer_add_string(&c->path, name);
    if (number > 0 && number < SIZE_MAX) {
        vv_buffer_add8(&c->path, '_');
        vv_buffer_add_decimal(&c->path, number);
    }
    return number < SIZE_MAX && !c->path.failed;
}

/* --- Layers --------------------------------------------------------------- */

/* The members of a layer that precede its config. */
struct layer_entry {
    struct vv_json_item module, class, name;
    bool is_registered; /* the class is user-defined */
    size_t number;      /* of the layer; SIZE_MAX: it has not begun */
    size_t used;        /* index of the first name of the model */
};

static bool keras_config_is_text(
    const struct vv_json_item *item, const char *text)
{
    return item->text && item->kind == VV_JSON_STRING && vv_json_is(item, text);
}

/* An operation that is not a layer has no group. */
static bool is_operation(const struct layer_entry *s)
{
    static const char ops[] = "keras.src.ops";
    return s->module.text && s->module.size >= sizeof ops - 1 &&
           memcmp(s->module.text, ops, sizeof ops - 1) == 0;
}

static struct vv_keras_layer *layer_of(
    struct parsing *p, const struct layer_entry *s)
{
    return (struct vv_keras_layer *)(void *)p->config->layers.data + s->number;
}

static const char *keras_config_keep(
    struct parsing *p, const struct vv_json_item *item)
{
    struct vv_buffer *text = &p->config->text;
    text->size = 0;
    vv_json_unescape(item, text);
    return text->failed ? NULL
                        : vv_arena_text(&p->config->source->names,
                              (const char *)text->data, text->size);
}

/* Adds a layer if its class has been read. The root is not a layer. */
static varve_status keras_config_begin_layer(
    struct parsing *p, struct layer_entry *s)
{
    struct vv_keras_config *c = p->config;
    struct vv_keras_layer layer = { .is_frozen = p->is_frozen, .class = "" };
    if (s->number != SIZE_MAX || !s->class.text || is_operation(s) ||
        s->class.kind != VV_JSON_STRING || s->class.size > MOST_CLASS)
        return VARVE_OK;
    if (vv_keras_layer_count(c) == MOST_LAYERS)
        return vv_json_fail(
            &p->in, s->class.at, "a model of fewer layers", "more");
    const char *class = keras_config_keep(p, &s->class);
    if (!class || !keras_config_add_group(c, s->used, class))
        return keras_config_fail_memory(p);
    layer.path = vv_arena_text(
        &c->source->names, (const char *)c->path.data, c->path.size);
    if (keras_config_is_text(&s->module, "keras.layers"))
        layer.class = class;
    s->number = vv_keras_layer_count(c);
    vv_buffer_add(&c->layers, &layer, sizeof layer);
    return layer.path && !c->layers.failed ? VARVE_OK
                                           : keras_config_fail_memory(p);
}

static varve_status keras_config_take_layers(struct parsing *p);

/* Reads a member of the config of a layer or of the root. */
static varve_status take_config_member(
    struct parsing *p, const struct vv_json_item *name, struct layer_entry *s)
{
    struct vv_json_item item;
    bool is_layer = s->number != SIZE_MAX;
    if (vv_json_is(name, "layers") && p->models < MOST_MODELS) {
        if (is_layer)
            layer_of(p, s)->has_layers = true;
        return keras_config_take_layers(p);
    }
    if (vv_json_is(name, "trainable")) {
        size_t at = p->in.at;
        VV_TRY(vv_json_value(&p->in, &item));
        p->is_frozen |= item.kind == VV_JSON_FALSE;
        if (is_layer)
            layer_of(p, s)->is_frozen = p->is_frozen;
        p->in.at = at;
        p->in.is_open = false;
    } else if (vv_json_is(name, "name") && is_layer) {
        size_t at = p->in.at;
        VV_TRY(vv_json_value(&p->in, &item));
        if (item.kind == VV_JSON_STRING && !item.has_nul &&
            !(layer_of(p, s)->name = keras_config_keep(p, &item)))
            return keras_config_fail_memory(p);
        p->in.at = at;
        p->in.is_open = false;
    }
    return vv_json_skip(&p->in);
}

static varve_status take_config(struct parsing *p, struct layer_entry *s)
{
    struct vv_json_item item, name;
    bool more, was_frozen = p->is_frozen;
    size_t at = p->in.at;
    VV_TRY(vv_json_value(&p->in, &item));
    if (item.kind != VV_JSON_OBJECT) {
        p->in.at = at;
        p->in.is_open = false;
        return vv_json_skip(&p->in);
    }
    for (;;) {
        VV_TRY(vv_json_member(&p->in, &name, &more));
        if (!more)
            break;
        VV_TRY(take_config_member(p, &name, s));
    }
    p->is_frozen = was_frozen;
    return VARVE_OK;
}

/* Reads a value, and skips it if it is not a text. */
static varve_status keras_config_take_text(
    struct parsing *p, struct vv_json_item *item)
{
    size_t at = p->in.at;
    VV_TRY(vv_json_value(&p->in, item));
    p->in.at = at;
    p->in.is_open = false;
    return vv_json_skip(&p->in);
}

/* Reads a layer, or the model itself. The class must precede the config. */
static varve_status take_model(
    struct parsing *p, struct layer_entry *s, bool is_root)
{
    struct vv_json_item name, other;
    bool more;
    for (;;) {
        VV_TRY(vv_json_member(&p->in, &name, &more));
        if (!more)
            return VARVE_OK;
        if (vv_json_is(&name, "module")) {
            VV_TRY(keras_config_take_text(p, &s->module));
        } else if (vv_json_is(&name, "class_name")) {
            VV_TRY(keras_config_take_text(p, &s->class));
        } else if (vv_json_is(&name, "registered_name")) {
            VV_TRY(keras_config_take_text(p, &other));
            if (other.kind == VV_JSON_STRING && s->number != SIZE_MAX)
                layer_of(p, s)->class = "";
        } else if (vv_json_is(&name, "config")) {
            if (!is_root)
                VV_TRY(keras_config_begin_layer(p, s));
            VV_TRY(take_config(p, s));
        } else {
            VV_TRY(vv_json_skip(&p->in));
        }
    }
}

static varve_status take_layer(struct parsing *p, size_t used)
{
    struct vv_json_item item;
    struct layer_entry s = { .number = SIZE_MAX, .used = used };
    size_t path = p->config->path.size, at = p->in.at;
    VV_TRY(vv_json_value(&p->in, &item));
    if (item.kind != VV_JSON_OBJECT) {
        p->in.at = at;
        p->in.is_open = false;
        return vv_json_skip(&p->in);
    }
    VV_TRY(take_model(p, &s, false));
    p->config->path.size = path;
    return VARVE_OK;
}

/* Names are counted separately in each model. */
static varve_status keras_config_take_layers(struct parsing *p)
{
    struct vv_json_item item;
    bool more;
    size_t at = p->in.at;
    size_t used = p->config->used.size / sizeof(struct vv_keras_used);
    VV_TRY(vv_json_value(&p->in, &item));
    if (item.kind != VV_JSON_ARRAY) {
        p->in.at = at;
        p->in.is_open = false;
        return vv_json_skip(&p->in);
    }
    p->models++;
    for (;;) {
        VV_TRY(vv_json_element(&p->in, &more));
        if (!more)
            break;
        VV_TRY(take_layer(p, used));
    }
    p->models--;
    p->config->used.size = used * sizeof(struct vv_keras_used);
    return VARVE_OK;
}

static varve_status keras_config_parse(struct parsing *p)
{
    struct layer_entry root = { .number = SIZE_MAX };
    struct vv_json_item item;
    VV_TRY(vv_json_expect(&p->in, VV_JSON_OBJECT, &item));
    return take_model(p, &root, true);
}

/* --- By path -------------------------------------------------------------- */

static bool is_at(const void *item, const void *path)
{
    return strcmp(((const struct vv_keras_layer *)item)->path, path) == 0;
}

const struct vv_keras_layer *vv_keras_layer_find(
    const struct vv_keras_config *c, const char *path)
{
    return vv_map_find(
        &c->by_path, vv_hash_of(path, strlen(path)), is_at, path);
}

/* Called after all layers have been read, because they move in memory until
 * then. If several have the same path, the first is found. */
static bool index_layers(struct vv_keras_config *c)
{
    struct vv_keras_layer *layers =
        (struct vv_keras_layer *)(void *)c->layers.data;
    bool good = true;
    for (size_t i = 0; good && i < vv_keras_layer_count(c); i++) {
        const char *path = layers[i].path;
        if (!vv_keras_layer_find(c, path))
            good = vv_map_add(
                &c->by_path, vv_hash_of(path, strlen(path)), &layers[i]);
    }
    return good;
}

/* --- Entry points --------------------------------------------------------- */

varve_status vv_keras_config_read(struct vv_keras_config *c,
    struct vv_hdf5_source *source, varve_error *error)
{
    const varve_allocator *a = &source->foreign->context->allocator;
    struct vv_buffer bytes;
    varve_error wrong = { VARVE_OK, 0, "" };
    const struct vv_zip_entry *entry = source->config;
    *c = (struct vv_keras_config){ .source = source };
    vv_buffer_init(&c->layers, a);
    vv_map_init(&c->by_path, a);
    vv_buffer_init(&c->path, a);
    vv_buffer_init(&c->used, a);
    vv_buffer_init(&c->text, a);
    if (!entry || entry->size > MOST_CONFIG)
        return VARVE_OK;
    vv_buffer_init(&bytes, a);
    void *room = vv_buffer_extend(&bytes, (size_t)entry->size);
    varve_status status = room || entry->size == 0
                              ? vv_foreign_read(source->foreign, 0, room,
                                    (size_t)entry->size, entry->data, error)
                              : vv_fail_memory(error, "the layers of a model");
    struct parsing p = { .config = c,
        .in = { .path = source->foreign->files[0].path,
            .base = entry->data,
            .bytes = (const char *)bytes.data,
            .size = bytes.size,
            .error = &wrong },
        .error = error };
    if (!status && keras_config_parse(&p) != VARVE_OK) {
        if (c->text.failed || c->layers.failed || c->used.failed ||
            c->path.failed || wrong.status == VARVE_OK)
            status = vv_fail_memory(error, "the layers of a model");
        else
            c->layers.size = 0; /* not a config of Keras */
    }
    vv_buffer_clear(&bytes);
    return !status && !index_layers(c) ? keras_config_fail_memory(&p) : status;
}

void vv_keras_config_clear(struct vv_keras_config *c)
{
    vv_buffer_clear(&c->layers);
    vv_map_clear(&c->by_path);
    vv_buffer_clear(&c->path);
    vv_buffer_clear(&c->used);
    vv_buffer_clear(&c->text);
}
