// SPDX-License-Identifier: BSD-2-Clause
#include "d_consume.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "check.h"

struct type consume_int = { .kind = TYPE_INT, .name = "int", .size = 4, .is_signed = true };
struct type consume_long = { .kind = TYPE_INT, .name = "long", .size = 8, .is_signed = true };
struct type consume_unsigned = { .kind = TYPE_INT, .name = "unsigned int", .size = 4 };
struct type consume_char = { .kind = TYPE_INT, .name = "char", .size = 1, .is_signed = true };
struct type consume_string = { .kind = TYPE_STRING, .name = "string", .size = 256 };

static const struct probe_names *probe(void *data, uint32_t number, uint32_t function, uint32_t os_id)
{
	struct consume_check *check = data;

	(void)number, (void)function, (void)os_id;
	return &check->probe;
}

static int each(void *data, const struct unit_agg *agg, int (*visit)(void *to, const struct agg_entry *entry), void *to)
{
	struct consume_check *check = data;
	int err = 0;

	/* An aggregation that is not the first of the program has every other entry, from the end. */
	if (agg == check->unit.aggs) {
		for (size_t i = 0; i < check->entry_count && !err; i++)
			err = visit(to, &check->entries[i]);
	} else {
		for (size_t i = check->entry_count; i-- && !err;)
			if (i % 2)
				err = visit(to, &check->entries[i]);
	}
	return err;
}

static int clear(void *data, const struct unit_agg *agg)
{
	struct consume_check *check = data;
	static const uint64_t zeros[256];

	(void)agg;
	for (size_t i = 0; i < check->entry_count; i++)
		check->entries[i].words = zeros;
	return 0;
}

static int remove_key(void *data, const struct unit_agg *agg, const void *key)
{
	struct consume_check *check = data;

	for (size_t i = 0; i < check->entry_count; i++) {
		if (!memcmp(check->entries[i].key, key, agg->key_size)) {
			check->entries[i] = check->entries[--check->entry_count];
			return 0;
		}
	}
	return -1;
}

static void symbol(void *data, uint32_t os_id, uint64_t address, enum field_symbol kind, char *buf, size_t size)
{
	(void)data;
	if (address == 0x1000)
		snprintf(buf, size, kind == SYMBOL_UMOD ? "libc.so.6" : "libc.so.6`malloc+0x12");
	else
		snprintf(buf, size, "0x%" PRIx64, address + 0 * os_id);
}

static void term(void *data, uint32_t os_id, const struct term_snapshot *snapshot, char *buf, size_t size)
{
	(void)data, (void)os_id, (void)snapshot;
	snprintf(buf, size, "{ok,1}");
}

static void on_exit_action(void *data, int status)
{
	((struct consume_check *)data)->exit_status = status;
}

static const char *setopt(void *data, const char *name, const char *value)
{
	struct consume_check *check = data;

	(void)value;
	if (strcmp(name, "quiet") != 0)
		return "unknown option";
	check->options.quiet = true;
	return NULL;
}

static void speculation_done(void *data, uint32_t speculation)
{
	((struct consume_check *)data)->done = speculation;
}

static const struct consumer_ops ops = {
	.probe = probe,
	.each = each,
	.clear = clear,
	.remove = remove_key,
	.symbol = symbol,
	.term = term,
	.exit = on_exit_action,
	.setopt = setopt,
	.speculation_done = speculation_done,
};

static void start(struct consume_check *check)
{
	if (check->consumer)
		return;
	check->options.print_size = check->options.print_size ? check->options.print_size : 1024;
	check->consumer = consumer_new(&check->unit, &check->options, &ops, check);
	cr_assert(ne(ptr, check->consumer, NULL));
	consumer_begin(check->consumer);
}

void consume_setup(struct consume_check *check)
{
	int fd;

	memset(check, 0, sizeof(*check));
	snprintf(check->path, sizeof(check->path), "/tmp/d_consume.XXXXXX");
	fd = mkstemp(check->path);
	cr_assert(fd >= 0);
	close(fd);
	check->options = (struct consumer_options){ .quiet = true, .stack_indent = 14, .output = check->path };
	check->probe = (struct probe_names){ 1, "dtrace", "", "", "BEGIN" };
	check->clause.id = 1;
	check->other.id = 2;
	check->unit_clause = (struct unit_clause){ .clause = &check->clause, .next = &check->unit_other };
	check->unit_other.clause = &check->other;
	check->unit.clauses = &check->unit_clause;
	check->unit.options.speculations = 4;
	check->size = sizeof(check->record.head);
	check->exit_status = -1;
}

static struct field *add_field(struct consume_check *check, enum field_kind kind, struct type *type, size_t size)
{
	struct field *field = &check->fields[check->field_count++];

	cr_assert(check->field_count <= CONSUME_FIELDS);
	*field = (struct field){ .kind = kind, .offset = check->size, .size = size, .type = type };
	if (check->field_count > 1)
		field[-1].next = field;
	check->size += (size + 7) / 8 * 8;
	return field;
}

struct field *consume_number(struct consume_check *check, struct type *type, int64_t number)
{
	struct field *field = add_field(check, FIELD_INT, type, 8);

	memcpy(check->record.bytes + field->offset, &number, sizeof(number));
	return field;
}

/* Behind all fields there may be: from the end of the record on, downwards would be as good. */
struct field *consume_text(struct consume_check *check, const char *text)
{
	uint32_t place[2] = { 512 + (uint32_t)check->field_count * 64, (uint32_t)strlen(text) };
	struct field *field = add_field(check, FIELD_STRING, &consume_string, 8);

	memcpy(check->record.bytes + field->offset, place, sizeof(place));
	memcpy(check->record.bytes + place[0], text, place[1]);
	return field;
}

struct field *consume_bytes(struct consume_check *check, struct type *type, enum field_kind kind, const void *data,
			    size_t size)
{
	struct field *field = add_field(check, kind, type, size);

	memcpy(check->record.bytes + field->offset, data, size);
	return field;
}

int consume_record(struct consume_check *check, struct action *actions)
{
	int result;

	start(check);
	if (!check->record.head.clause)
		check->record.head.clause = 1;
	(check->record.head.clause == 1 ? &check->unit_clause : &check->unit_other)->actions = actions;
	result = consumer_record(check->consumer, &check->record, sizeof(check->record));
	check->size = sizeof(check->record.head);
	check->field_count = 0;
	return result;
}

static char *read_output(const struct consume_check *check)
{
	_cleanup_file_ FILE *file = fopen(check->path, "r");
	char *text = calloc(1, 65536);

	cr_assert(file && text);
	(void)!fread(text, 1, 65535, file);
	unlink(check->path);
	return text;
}

void consume_expect_all(struct consume_check *check, const char *text)
{
	_cleanup_free_ char *printed = NULL;

	start(check);
	cr_expect(eq(int, consumer_flush(check->consumer), 0));
	printed = read_output(check);
	expect_text(printed, text);
	consumer_free(check->consumer);
}

void consume_expect(struct consume_check *check, const char *text)
{
	_cleanup_free_ char *printed = NULL;

	start(check);
	cr_expect(eq(int, consumer_end(check->consumer), 0));
	printed = read_output(check);
	expect_text(printed, text);
	consumer_free(check->consumer);
}
