// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"

__attribute__((format(printf, 6, 0))) static void add(struct diag *diag, const char *file, int line, const char *tag,
						      bool is_warning, const char *format, va_list args)
{
	struct d_message *message;
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	if (diag->errors >= DIAG_MOST)
		return;
	message = arena_alloc(diag->arena, sizeof(*message));
	*message = (struct d_message){
		.tag = tag,
		.file = file,
		.line = line,
		.is_warning = is_warning,
		.text = arena_strdup(diag->arena, text),
	};
	*(diag->last ? &diag->last->next : &diag->first) = message;
	diag->last = message;
	diag->errors += !is_warning;
}

void diag_error(struct diag *diag, const char *file, int line, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(diag, file, line, tag, false, format, args);
	va_end(args);
}

void diag_warn(struct diag *diag, const char *file, int line, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(diag, file, line, tag, true, format, args);
	va_end(args);
}
