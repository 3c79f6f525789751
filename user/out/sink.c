// SPDX-License-Identifier: BSD-2-Clause
#include "out/sink.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	const struct sink_ops *ops;
} formats[] = {
	[SINK_TEXT] = { "text", &sink_text },
	[SINK_JSON] = { "json", &sink_json },
	[SINK_CSV] = { "csv", &sink_csv },
};

int sink_format_parse(const char *name, enum sink_format *format)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(name, formats[i].name))
			continue;
		*format = (enum sink_format)i;
		return 0;
	}
	return -EINVAL;
}

void sink_init(struct sink *sink, enum sink_format format, const struct sink_setup *setup)
{
	*sink = (struct sink){ .ops = formats[format].ops, .setup = *setup };
}
