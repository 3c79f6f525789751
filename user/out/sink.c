// SPDX-License-Identifier: BSD-2-Clause
#include "out/sink.h"

#include <string.h>

static const struct sink_ops *const formats[] = {
	[SINK_TEXT] = &sink_text,
	[SINK_JSON] = &sink_json,
	[SINK_CSV] = &sink_csv,
};

void sink_init(struct sink *sink, enum sink_format format, const struct sink_setup *setup)
{
	*sink = (struct sink){ .ops = formats[format], .setup = *setup };
}
