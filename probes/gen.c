// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads the probe catalogue (probes/NAME.d, D syntax with the markers that erlang.d explains) and writes
 * what is made from it:
 *
 *   gen table FILE...    rows of struct probe_def, for user/probe/catalogue.c
 *   gen fake FILE...     semaphores, sites and a dispatcher for the fake BEAM of the tests
 *
 * It runs at build time only; a catalogue that it does not understand is an error with its line.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PROBES 128
#define MAX_ARGS 12

enum marker { DOC, WRONG, DENY_ALWAYS, DENY_JIT, NEVER, EMU_ONLY, NOTE_ONLY, RANGE, MARKERS };

static const struct {
	const char *text;
	const char *field; /* of struct probe_def */
} markers[MARKERS] = {
	[DOC] = { "", "doc" },
	[WRONG] = { "WRONG:", "wrong" },
	[DENY_ALWAYS] = { "DENY always:", "deny_always" },
	[DENY_JIT] = { "DENY jit:", "deny_jit" },
	[NEVER] = { "NEVER:", "never" },
	[EMU_ONLY] = { "EMU ONLY:", "emu_only" },
	[NOTE_ONLY] = { "NOTE ONLY:", "note_only" },
	[RANGE] = { "RANGE ", NULL },
};

static const char *const kinds[] = {
	"pid",	 "port",  "node",   "name",  "text",  "reason", "mfa",	"process", "words",
	"bytes", "count", "number", "flags", "depth", "label",	"term", "address",
};

struct arg {
	char type[32];
	char name[32];
	char kind[16];
};

struct probe {
	char c_name[64]; /* with "__" */
	char name[64];	 /* with "-" */
	char provider[16];
	char *text[MARKERS];
	struct arg args[MAX_ARGS];
	int argc;
	int first, last; /* of a range, else 0 and -1 */
};

static struct probe probes[MAX_PROBES];
static int probe_count;

static const char *file_name;
static char *cursor;
static int line = 1;

static _Noreturn void __attribute__((format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%d: ", file_name, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static char *read_file(const char *path)
{
	static char text[1 << 20];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f) {
		perror(path);
		exit(1);
	}
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void skip_space(void)
{
	for (; isspace((unsigned char)*cursor); cursor++)
		line += *cursor == '\n';
}

static bool accept(const char *token)
{
	size_t n = strlen(token);

	skip_space();
	if (strncmp(cursor, token, n))
		return false;
	cursor += n;
	return true;
}

static void expect(const char *token)
{
	if (!accept(token))
		fail("expected '%s' at '%.20s'", token, cursor);
}

static void read_word(char *out, size_t size)
{
	size_t n = 0;

	skip_space();
	while (isalnum((unsigned char)cursor[n]) || cursor[n] == '_')
		n++;
	if (!n || n >= size)
		fail("expected a name at '%.20s'", cursor);
	memcpy(out, cursor, n);
	out[n] = '\0';
	cursor += n;
}

static enum marker marker_of(const char *text)
{
	for (int m = MARKERS - 1; m > DOC; m--) {
		if (!strncmp(text, markers[m].text, strlen(markers[m].text)))
			return m;
	}
	return DOC;
}

static void append(char **to, const char *text)
{
	size_t have = *to ? strlen(*to) : 0;

	*to = realloc(*to, have + strlen(text) + 2);
	if (!*to)
		exit(1);
	sprintf(*to + have, "%s%s", have ? " " : "", text);
}

/* One comment: a line that starts with a marker starts a new paragraph. */
static void read_comment(char *text[MARKERS])
{
	enum marker at = DOC;
	char *end = strstr(cursor, "*/");

	if (!end)
		fail("comment without end");
	for (int m = 0; m < MARKERS; m++) {
		free(text[m]);
		text[m] = NULL;
	}
	while (cursor < end) {
		char *eol = memchr(cursor, '\n', (size_t)(end - cursor));
		char row[512];
		size_t n = (size_t)((eol ? eol : end) - cursor);
		const char *start;

		snprintf(row, sizeof(row), "%.*s", (int)n, cursor);
		for (char *tail = row + strlen(row); tail > row && isspace((unsigned char)tail[-1]);)
			*--tail = '\0';
		start = row + strspn(row, " \t*");
		if (*start) {
			enum marker m = marker_of(start);

			if (m != DOC)
				at = m;
			start += strlen(markers[m].text);
			append(&text[at], start + strspn(start, " "));
		}
		cursor += n + (eol != NULL);
		line += eol != NULL;
	}
	cursor = end + 2;
}

static void check_kind(const char *kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(kinds[i], kind))
			return;
	}
	fail("'%s' is no kind of argument", kind);
}

static void read_arg(struct arg *arg)
{
	read_word(arg->type, sizeof(arg->type));
	skip_space();
	if (accept("*"))
		strcat(arg->type, " *");
	read_word(arg->name, sizeof(arg->name));
	expect(":");
	read_word(arg->kind, sizeof(arg->kind));
	check_kind(arg->kind);
}

static void set_names(struct probe *p)
{
	char *out = p->name;

	for (const char *c = p->c_name; *c; c++) {
		bool dash = c[0] == '_' && c[1] == '_';

		*out++ = dash ? '-' : *c;
		c += dash;
	}
	*out = '\0';
}

static void read_probe(const char *provider, char *text[MARKERS])
{
	struct probe *p = &probes[probe_count++];

	if (probe_count >= MAX_PROBES)
		fail("more than %d probes", MAX_PROBES);
	snprintf(p->provider, sizeof(p->provider), "%s", provider);
	memcpy(p->text, text, sizeof(p->text));
	memset(text, 0, sizeof(p->text));
	p->last = -1;
	if (p->text[RANGE] && sscanf(p->text[RANGE], "%d..%d", &p->first, &p->last) != 2)
		fail("RANGE wants first..last");
	read_word(p->c_name, sizeof(p->c_name));
	set_names(p);
	if (!p->text[DOC])
		fail("%s has no comment", p->name);
	expect("(");
	while (!accept(")")) {
		if (p->argc == MAX_ARGS)
			fail("%s has too many arguments", p->name);
		if (p->argc)
			expect(",");
		read_arg(&p->args[p->argc++]);
	}
	expect(";");
}

static void read_catalogue(const char *path)
{
	char *text[MARKERS] = {}, provider[16];

	file_name = path;
	line = 1;
	cursor = read_file(path);
	while (accept("/*"))
		read_comment(text);
	expect("provider");
	read_word(provider, sizeof(provider));
	expect("{");
	while (!accept("}")) {
		if (accept("/*"))
			read_comment(text);
		else if (accept("probe"))
			read_probe(provider, text);
		else
			fail("expected a probe at '%.20s'", cursor);
	}
	expect(";");
	for (int m = 0; m < MARKERS; m++)
		free(text[m]);
}

static void print_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar(*s);
	}
	putchar('"');
}

static void write_table(void)
{
	int id = 0;

	puts("/* Made by probes/gen.c from the probe catalogue. */");
	for (int i = 0; i < probe_count; i++) {
		const struct probe *p = &probes[i];

		printf("{ .provider = \"%s\", .name = \"%s\", .id = %d, .first = %d, .last = %d, .argc = %d,\n",
		       p->provider, p->name, id, p->first, p->last, p->argc);
		for (int m = 0; m < MARKERS; m++) {
			if (!p->text[m] || !markers[m].field)
				continue;
			printf("\t.%s = ", markers[m].field);
			print_string(p->text[m]);
			puts(",");
		}
		puts("\t.args = {");
		for (int a = 0; a < p->argc; a++)
			printf("\t\t{ \"%s\", \"%s\", \"%s\" },\n", p->args[a].name, p->args[a].type, p->args[a].kind);
		puts("\t} },");
		id += p->last < 0 ? 1 : p->last - p->first + 1;
	}
	printf("/* %d ids */\n", id);
}

/* The value that the fake BEAM passes: known from probe, place and kind alone. */
static void write_fake_value(const struct probe *p, int a)
{
	const char *kind = p->args[a].kind;

	if (!strcmp(kind, "pid") || !strcmp(kind, "process"))
		printf("\"<0.%d.%d>\"", 100 + a, a);
	else if (!strcmp(kind, "port"))
		printf("\"#Port<0.%d>\"", 100 + a);
	else if (strchr(p->args[a].type, '*'))
		printf("\"%s arg%d\"", p->name, a);
	else
		printf("(%s)%d", p->args[a].type, 1000 + a);
}

static void write_fake_site(const struct probe *p, const char *name)
{
	printf("\t\t\tif (erlang_%s_semaphore)\n\t\t\t\tSTAP_PROBE%d(erlang, %s", name, p->argc, name);
	for (int a = 0; a < p->argc; a++) {
		printf(", ");
		write_fake_value(p, a);
	}
	puts(");");
}

static void write_fake_probe(const struct probe *p, const char *name, const char *shown)
{
	(void)shown;
	printf("SEMAPHORE(%s)\nstatic void fire_%s(unsigned long times)\n{\n"
	       "\tfor (unsigned long i = 0; i < times; i++) {\n\t\tif (i & 1) {\n",
	       name, name);
	write_fake_site(p, name);
	puts("\t\t} else {");
	write_fake_site(p, name);
	printf("\t\t}\n\t}\n}\n");
}

static void each_fake(void (*visit)(const struct probe *, const char *, const char *))
{
	for (int i = 0; i < probe_count; i++) {
		const struct probe *p = &probes[i];
		int first = p->last < 0 ? 0 : p->first, last = p->last < 0 ? 0 : p->last;

		/* Others have no notes, so no VM carries them. */
		if (strcmp(p->provider, "erlang"))
			continue;

		for (int n = first; n <= last; n++) {
			char name[80], shown[80];

			snprintf(name, sizeof(name), p->last < 0 ? "%s" : "%s%d", p->c_name, n);
			snprintf(shown, sizeof(shown), p->last < 0 ? "%s" : "%s%d", p->name, n);
			visit(p, name, shown);
		}
	}
}

static void write_fake_row(const struct probe *p, const char *name, const char *shown)
{
	(void)p;
	printf("\t{ \"%s\", fire_%s, &erlang_%s_semaphore },\n", shown, name, name);
}

static void write_fake(void)
{
	puts("/* Made by probes/gen.c from the probe catalogue. */");
	each_fake(write_fake_probe);
	puts("static const struct fake_probe fake_probes[] = {");
	each_fake(write_fake_row);
	puts("};");
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: gen table|fake FILE...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		read_catalogue(argv[i]);
	if (!strcmp(argv[1], "table"))
		write_table();
	else if (!strcmp(argv[1], "fake"))
		write_fake();
	else
		return 2;
	return ferror(stdout) != 0;
}
