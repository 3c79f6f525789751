// SPDX-License-Identifier: BSD-2-Clause
/*
 * Folded lines: "root;caller;leaf 12". In names, the separator ";" becomes ":". The suffixes of flamegraph.pl and
 * async-profiler mark the kinds of frames, so that their palettes and our reader know them.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "flame/formats/frame_suffix.h"
#include "flame/profile.h"
#include "flame/profile_parts.h"

struct folded {
	const struct profile *profile;
	FILE *to;
};

/* A name stays one frame in one line. */
static void write_name(FILE *to, const char *name)
{
	size_t left = strlen(name);

	while (left) {
		unsigned int code = 0;
		size_t length = text_utf8(name, left, &code), size = length ? length : 1;

		if (!length || text_is_unsafe(code))
			fputs("\xef\xbf\xbd", to);
		else if (*name == ';')
			fputc(':', to);
		else
			fwrite(name, 1, length, to);
		name += size;
		left -= size;
	}
}

static void write_frame(const struct folded *folded, uint32_t frame)
{
	const struct function *function = profile_function(folded->profile, frame);

	write_name(folded->to, function->name);
	if (function->kind == FRAME_ERLANG && folded->profile->frames[frame].line)
		fprintf(folded->to, ":%" PRIu32, folded->profile->frames[frame].line);
	fputs(frame_suffix(function->kind, function->name), folded->to);
}

static void write_stack(void *data, const struct stack *stack)
{
	const struct folded *folded = data;

	for (size_t i = 0; i < stack->count; i++) {
		if (i)
			fputc(';', folded->to);
		write_frame(folded, stack->frames[i]);
	}
	if (folded->profile->is_difference)
		fprintf(folded->to, " %" PRIu64, stack->before);
	fprintf(folded->to, " %" PRIu64 "\n", stack->value);
}

int profile_write_folded(const struct profile *profile, FILE *to)
{
	struct folded folded = { .profile = profile, .to = to };

	profile_each_stack(profile, write_stack, &folded);
	return ferror(to) ? -EIO : 0;
}
