/* owned_text.c - Saves text up to its NUL. The functions of the program
 * allocate restored text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "owned_text.h"

#include <string.h>

#include "failure.h"
#include "graph.h"
#include "state.h"

const struct vv_attachment_kind vv_owned_text_kind = {
    .size = sizeof(struct vv_owned_text),
};

static char *text_at(const struct vv_owned_text *o)
{
    char *text;
    memcpy(&text, o->at, sizeof text);
    return text;
}

/* Records address and length of the text. Returns true if one has changed. */
static bool owned_text_note(struct vv_owned_text *o)
{
    char *text = text_at(o);
    size_t size = text ? strlen(text) + 1 : 0;
    bool has_changed = text != o->text || size != o->size;
    o->text = text;
    o->size = size;
    return has_changed;
}

static varve_status owned_text_save(void *self, varve_sink *sink)
{
    const char *text = text_at(self);
    if (text)
        varve_put(sink, text, strlen(text));
    else
        varve_put(sink, "", 1);
    return VARVE_OK;
}

/* A failure does not change the member. */
static varve_status owned_text_load(void *self, const void *bytes, size_t size)
{
    struct vv_owned_text *o = self;
    bool is_null = size == 1 && *(const char *)bytes == '\0';
    if (!is_null && memchr(bytes, '\0', size))
        return VARVE_LIMIT;
    char *text = o->field->resize(text_at(o), is_null ? 0 : size + 1);
    if (!text && !is_null)
        return VARVE_NO_MEMORY;
    if (text) {
        memcpy(text, bytes, size);
        text[size] = '\0';
    }
    memcpy(o->at, &text, sizeof text);
    owned_text_note(o);
    return VARVE_OK;
}

/* Only a load fails, and only for this reason. */
static void owned_text_explain(const void *self, const char *where,
    const void *bytes, size_t size, varve_error *error)
{
    (void)self;
    (void)bytes;
    vv_fail(error, VARVE_CALLBACK,
        "%s: the saved state of %zu bytes contains a NUL, so it is not a text",
        where, size);
}

void vv_owned_text_rebind(
    varve_node *node, const varve_field *field, const void *object)
{
    struct vv_owned_text *o = vv_owned_text_of(node);
    /* The object belongs to the program, which may write to it. */
    union {
        const char *read;
        void *write;
    } at = { .read = (const char *)object + field->offset };
    o->field = field;
    o->at = at.write;
    owned_text_note(o);
    node->graph->has_new_views = true;
}

varve_node *vv_owned_text_new(
    varve_graph *graph, const varve_field *field, const void *object)
{
    static const varve_state_callbacks callbacks = { owned_text_save,
        owned_text_load };
    varve_node *node = vv_state_new(graph, &callbacks, NULL);
    if (vv_is_nil(node))
        return node;
    struct vv_owned_text *o = vv_attachment_make(node, &vv_owned_text_kind);
    if (!o) {
        vv_node_free(node);
        return vv_graph_memory_error(graph);
    }
    vv_owned_text_rebind(node, field, object);
    vv_state_of(node)->self = o;
    vv_state_of(node)->explain = owned_text_explain;
    vv_state_of(node)->is_plain = true;
    node->value_state = VARVE_INITIALIZED;
    return node;
}

bool vv_owned_text_look(
    varve_node *node, const varve_field *field, const void *object)
{
    struct vv_owned_text *o = vv_owned_text_of(node);
    if (o->at != (const char *)object + field->offset)
        return false;
    if (owned_text_note(o))
        node->graph->has_new_views = true;
    return true;
}
