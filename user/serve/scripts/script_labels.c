// SPDX-License-Identifier: BSD-2-Clause
/* The keys of an aggregation as labels of its series. */
#include "serve/scripts/script_series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "d/lang/symbol.h"
#include "dtrace/session/session.h"

const char *const script_key_names[SCRIPT_MOST_KEYS] = {
	"key0", "key1", "key2", "key3", "key4", "key5", "key6", "key7", "key8", "key9",
};

void labels_free(struct script_labels *labels)
{
	for (size_t i = 0; i < labels->keys; i++)
		free(labels->key[i]);
}

/* Innermost frame first. */
static char *stack_text(const struct print *print, const struct field_value *value)
{
	struct field field = { .kind = FIELD_SYMBOL };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (size_t i = 0; to && i + sizeof(uint64_t) <= value->size; i += sizeof(uint64_t)) {
		struct field_value frame = { .field = &field, .os_id = value->os_id };
		_cleanup_free_ char *name = NULL;

		memcpy(&frame.number, value->data + i, sizeof(frame.number));
		if (!frame.number)
			break;
		field.symbol = print_frame_symbol(print, value, i / sizeof(uint64_t));
		name = value_text(print, &frame);
		fprintf(to, "%s%s", i ? ";" : "", name ? name : "?");
	}
	if (to && fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

static char *number_text(const struct field_value *value)
{
	char *text;
	int size = value_is_signed(value) ? asprintf(&text, "%" PRId64, (int64_t)value->number)
					  : asprintf(&text, "%" PRIu64, value_unsigned(value));

	return size < 0 ? NULL : text;
}

static char *bytes_text(const struct field_value *value)
{
	char *text = malloc(2 * value->size + 1);

	for (size_t i = 0; text && i < value->size; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned char)value->data[i]);
	if (text)
		text[2 * value->size] = '\0';
	return text;
}

/* A label is shorter than a deep stack; a hash of the whole text keeps it unique. */
static char *shorten(char *text)
{
	char mark[16];
	size_t keep;

	if (!text || strlen(text) < METRICS_VALUE)
		return text;
	keep = METRICS_VALUE - 1 - (size_t)snprintf(mark, sizeof(mark), "...%08x", fnv32(0, text, strlen(text)));
	strcpy(text + keep, mark);
	return text;
}

static char *key_text(const struct print *print, const struct field_value *value)
{
	switch (value->field->kind) {
	case FIELD_INT: return number_text(value);
	case FIELD_STACK: return shorten(stack_text(print, value));
	case FIELD_BYTES:
		if (!value_is_chars(value))
			return shorten(bytes_text(value));
		break;
	case FIELD_STRING:
	case FIELD_SYMBOL:
	case FIELD_TERM: break;
	}
	return shorten(value_text(print, value));
}

void labels_add(struct script_labels *labels, const char *name, const char *value)
{
	labels->labels[labels->count++] = (struct metric_label){ name, value };
}

/* The built-in variable pid, as it is. */
static bool is_pid(const struct field *field)
{
	const struct node *node = field->node;

	return field->kind == FIELD_INT && node && node->kind == NODE_IDENT && node->symbol &&
	       node->symbol->kind == SYMBOL_BUILTIN && node->symbol->builtin == BUILTIN_PID;
}

/* Labels of the node; if it has ended, the last known ones. */
static void learn_node(const struct script_reading *r, struct script_key *shown, pid_t pid)
{
	struct metric_label labels[SCRIPT_NODE_LABELS];
	const struct target *target = session_target(r->session, pid);
	size_t count;

	if (!target)
		target = r->host->find(r->host->data, pid);
	if (!target)
		return;
	count = r->host->labels(r->host->data, target, labels);
	series_forget_node(shown);
	for (; shown->node_count < count; shown->node_count++) {
		char *value = strdup(labels[shown->node_count].value);

		if (!value)
			return;
		shown->node[shown->node_count] = (struct metric_label){ labels[shown->node_count].name, value };
	}
}

static void add_node(const struct script_reading *r, struct script_key *shown, struct script_labels *labels, pid_t pid)
{
	learn_node(r, shown, pid);
	for (size_t i = 0; i < shown->node_count; i++)
		labels_add(labels, shown->node[i].name, shown->node[i].value);
}

void labels_read(const struct script_reading *r, struct script_key *shown, struct script_labels *labels)
{
	struct bytes bytes = { shown->key, r->aggregate->agg->key_size, true };
	bool has_node = false;
	struct field_value value;

	*labels = (struct script_labels){ .count = 0 };
	labels_add(labels, "script", r->e->script->file);
	for (const struct field *field = r->aggregate->agg->keys; field; field = field->next) {
		value_read(&value, &r->print, &bytes, field);
		labels->key[labels->keys] = key_text(&r->print, &value);
		if (is_pid(field) && !has_node) {
			add_node(r, shown, labels, (pid_t)value.number);
			has_node = true;
		}
		labels_add(labels, script_key_names[labels->keys],
			   labels->key[labels->keys] ? labels->key[labels->keys] : "?");
		labels->keys++;
	}
}
