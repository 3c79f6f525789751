// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"

__attribute__((format(printf, 3, 0))) static void add(struct diag *diag, const struct d_message *head,
						      const char *format, va_list args)
{
	struct d_message *message;
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	if (diag->errors >= DIAG_MOST)
		return;
	message = arena_alloc(diag->arena, sizeof(*message));
	*message = *head;
	message->text = arena_strdup(diag->arena, text);
	*(diag->last ? &diag->last->next : &diag->first) = message;
	diag->last = message;
	diag->errors += !message->is_warning;
}

void diag_error(struct diag *diag, const char *file, int line, const char *tag, const char *format, ...)
{
	struct d_message head = { .file = file, .line = line, .tag = tag };
	va_list args;

	va_start(args, format);
	add(diag, &head, format, args);
	va_end(args);
}

void diag_warn(struct diag *diag, const char *file, int line, const char *tag, const char *format, ...)
{
	struct d_message head = { .file = file, .line = line, .tag = tag, .is_warning = true };
	va_list args;

	va_start(args, format);
	add(diag, &head, format, args);
	va_end(args);
}
