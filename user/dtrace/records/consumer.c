// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/records/consumer.h"

#include <stdlib.h>

struct print consumer_print(const struct consumer *consumer, const struct d_record *head)
{
	return (struct print){
		.to = consumer->output.to,
		.is_terminal = consumer->output.is_terminal,
		.os_id = head ? head->os_id : 0,
		.options = consumer->options,
		.ops = consumer->ops,
		.data = consumer->data,
	};
}

char *consumer_format(const struct consumer *consumer, const struct record *record, const struct action *action)
{
	struct print print = consumer_print(consumer, record->head);
	struct format_source source = { .bytes = record->bytes, .fields = action->fields };
	char *text = NULL;
	size_t size = 0;

	/* Not for a terminal: it is a command, a file name, or input of an encoder. */
	print.is_terminal = false;
	print.to = open_memstream(&text, &size);
	if (!print.to)
		return NULL;
	if (action->format)
		print_format(&print, action->format, &source);
	if (fclose(print.to)) {
		free(text);
		return NULL;
	}
	return text;
}

void consumer_field(const struct consumer *consumer, const struct record *record, const struct field *field,
		    struct field_value *value)
{
	struct print print = consumer_print(consumer, record->head);

	value_read(value, &print, &record->bytes, field);
}
