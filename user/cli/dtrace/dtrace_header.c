// SPDX-License-Identifier: BSD-2-Clause
/*
 * -h -s FILE.d: a header in C for the providers that a D program declares, as dtrace -h writes it: a macro for each
 * probe, and one that tells whether it is traced. They are made of the <sys/sdt.h> of systemtap, so that nothing
 * need be linked. A semaphore, which a tracer raises, is in the header too: weak, so that all files that include it
 * share one.
 */
#include "cli/dtrace/dtrace_command.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

#define PARAMS_MOST 12 /* of a probe, in <sys/sdt.h> */

bool dtrace_is_header(const struct dtrace_command *command)
{
	return command->program_count == 1 && command->programs[0].by == DTRACE_BY_SCRIPT;
}

/* "request__start" is REQUEST_START. */
static void put_upper(FILE *to, const char *name)
{
	for (; *name; name++)
		if (name[0] != '_' || name[1] != '_')
			putc(toupper((unsigned char)*name), to);
}

static void put_macro(FILE *to, const struct declared_provider *provider, const struct declared_probe *probe)
{
	fputs("#define ", to);
	put_upper(to, provider->name);
	putc('_', to);
	put_upper(to, probe->name);
}

static void put_params(FILE *to, const char *before, size_t count)
{
	for (size_t i = 0; i < count; i++, before = ", ")
		fprintf(to, "%sarg%zu", before, i);
}

static void put_probe(FILE *to, const struct declared_provider *provider, const struct declared_probe *probe,
		      size_t params)
{
	const char *p = provider->name, *q = probe->name;

	fprintf(to,
		"\n__attribute__((weak, used, visibility(\"hidden\"), section(\".probes\")))\n"
		"volatile unsigned short %s_%s_semaphore;\n",
		p, q);
	put_macro(to, provider, probe);
	fprintf(to, "_ENABLED() __builtin_expect(%s_%s_semaphore, 0)\n", p, q);
	put_macro(to, provider, probe);
	putc('(', to);
	put_params(to, "", params);
	fputs(") ", to);
	if (params)
		fprintf(to, "DTRACE_PROBE%zu(%s, %s", params, p, q);
	else
		fprintf(to, "DTRACE_PROBE(%s, %s", p, q);
	put_params(to, ", ", params);
	fputs(")\n", to);
}

/* The probe that has too many parameters; NULL: all is written. */
static const struct declared_probe *put_provider(FILE *to, const struct declared_provider *provider)
{
	for (const struct declared_probe *probe = provider->probes; probe; probe = probe->next) {
		size_t count = 0;

		for (const struct declaration *param = probe->params; param; param = param->next)
			count++;
		if (count > PARAMS_MOST)
			return probe;
		put_probe(to, provider, probe, count);
	}
	return NULL;
}

static enum dtrace_status write_all(const struct dtrace_command *command, const struct unit *unit, FILE *to)
{
	const struct declared_provider *provider = unit->program.providers;
	const struct declared_probe *bad = NULL;

	fputs("/* Written by erlbpf -h: probes for <sys/sdt.h> of systemtap. */\n#ifndef _", to);
	put_upper(to, provider->name);
	fputs("_PROBES_H\n#define _", to);
	put_upper(to, provider->name);
	fputs("_PROBES_H\n\n#define _SDT_HAS_SEMAPHORES 1\n#include <sys/sdt.h>\n#undef _SDT_HAS_SEMAPHORES\n", to);
	for (; provider && !bad; provider = provider->next)
		bad = put_provider(to, provider);
	fputs("\n#endif\n", to);
	if (!bad)
		return DTRACE_OK;
	fprintf(stderr, "%s: probe %s has more than %d parameters\n", command->called, bad->name, PARAMS_MOST);
	return DTRACE_ERROR;
}

/* FILE.h, in the folder that we are in, of a script DIR/FILE.d. NULL: no memory. */
static char *header_name(const char *script)
{
	const char *slash = strrchr(script, '/'), *name = slash ? slash + 1 : script, *end = strrchr(name, '.');
	char *text;

	if (asprintf(&text, "%.*s.h", end ? (int)(end - name) : (int)strlen(name), name) < 0)
		return NULL;
	return text;
}

enum dtrace_status dtrace_write_header(const struct dtrace_command *command, const struct unit *unit)
{
	const char *script = command->programs[0].word;
	_cleanup_free_ char *name = header_name(script);
	const char *path = command->output ? command->output : name;
	enum dtrace_status status;
	FILE *to;

	if (!unit->program.providers) {
		fprintf(stderr, "%s: %s declares no provider: provider NAME { probe NAME(TYPE, ...); };\n",
			command->called, script);
		return DTRACE_ERROR;
	}
	to = path ? fopen(path, "we") : NULL;
	if (!to) {
		fprintf(stderr, "%s: cannot write %s: %s\n", command->called, path ? path : script, strerror(errno));
		return DTRACE_ERROR;
	}
	status = write_all(command, unit, to);
	if (fclose(to) == 0)
		return status;
	fprintf(stderr, "%s: not all of %s could be written\n", command->called, path);
	return DTRACE_ERROR;
}
