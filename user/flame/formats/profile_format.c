// SPDX-License-Identifier: BSD-2-Clause
#include "flame/formats/profile_format.h"

#include <string.h>

static const struct {
	const char *name, *type;
} formats[PROFILE_FORMATS] = {
	[PROFILE_TEXT] = { "text", "text/plain; charset=utf-8" },
	[PROFILE_FOLDED] = { "folded", "text/plain; charset=utf-8" },
	[PROFILE_HTML] = { "html", "text/html; charset=utf-8" },
	[PROFILE_SVG] = { "svg", "image/svg+xml" },
	/* The file itself is compressed; this is no HTTP content encoding. */
	[PROFILE_PPROF] = { "pprof", "application/octet-stream" },
	[PROFILE_SPEEDSCOPE] = { "speedscope", "application/json" },
	/* A JSON object per stack and line. */
	[PROFILE_JSON] = { "json", "application/x-ndjson" },
};

bool profile_format_find(const char *name, enum profile_format *format)
{
	for (int i = 0; i < PROFILE_FORMATS; i++) {
		if (!strcmp(formats[i].name, name)) {
			*format = (enum profile_format)i;
			return true;
		}
	}
	return false;
}

const char *profile_format_type(enum profile_format format)
{
	return formats[format].type;
}

bool profile_format_has_lines(enum profile_format format)
{
	return format == PROFILE_PPROF || format == PROFILE_SPEEDSCOPE || format == PROFILE_JSON;
}

int profile_write(const struct profile *profile, enum profile_format format, FILE *to, size_t rows, size_t width)
{
	switch (format) {
	case PROFILE_FOLDED: return profile_write_folded(profile, to);
	case PROFILE_HTML: return profile_write_html(profile, to);
	case PROFILE_SVG: return profile_write_svg(profile, to);
	case PROFILE_PPROF: return profile_write_pprof(profile, to);
	case PROFILE_SPEEDSCOPE: return profile_write_speedscope(profile, to);
	case PROFILE_JSON: return profile_write_json(profile, to);
	case PROFILE_TEXT:
	case PROFILE_FORMATS: break;
	}
	return profile_write_text(profile, to, rows, width);
}
