// SPDX-License-Identifier: BSD-2-Clause

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "dtrace/provider/matching.h"
#include "dtrace/provider/providers.h"
#include "probe/catalogue.h"

#define WORD_SIZE 128

enum name_field { PROVIDER, MODULE, FUNCTION, NAME, FIELDS };

struct search {
	const char *wanted[FIELDS];
	char words[FIELDS][WORD_SIZE]; /* to compare */
	struct text_near near[FIELDS]; /* each holds the best match so far */
	size_t best;
	enum name_field field;
	char found[WORD_SIZE];
};

/* A provider stands for many processes: "erlang1234", "erlang*". */
static void take_word(enum name_field field, const char *text, char word[WORD_SIZE])
{
	size_t length;

	snprintf(word, WORD_SIZE, "%s", text);
	length = strlen(word);
	while (field == PROVIDER && length && strchr("0123456789*", word[length - 1]))
		word[--length] = '\0';
}

static void begin(struct search *s, const struct probe_spec *spec)
{
	*s = (struct search){ .wanted = { spec->provider, spec->module, spec->function, spec->name },
			      .best = SIZE_MAX };
	for (enum name_field field = 0; field < FIELDS; field++) {
		take_word(field, s->wanted[field], s->words[field]);
		text_near_begin(&s->near[field], s->words[field], strlen(s->words[field]) / 2);
	}
}

static bool matches(const struct search *s, enum name_field field, const char *text, const char *word)
{
	return glob_matches(s->wanted[field], text) || (field == PROVIDER && !strcmp(s->words[field], word));
}

/* A probe that differs in one name is a candidate. A wildcard limits what can differ. */
static void consider(void *data, const struct probe_names *names)
{
	const char *const texts[FIELDS] = { names->provider, names->module, names->function, names->name };
	struct search *s = data;
	enum name_field differs = FIELDS;
	char word[WORD_SIZE], other[WORD_SIZE];

	for (enum name_field field = 0; field < FIELDS; field++) {
		take_word(field, texts[field], word);
		if (matches(s, field, texts[field], word))
			continue;
		if (differs != FIELDS)
			return;
		differs = field;
		memcpy(other, word, sizeof(other));
	}
	if (differs == FIELDS || !s->words[differs][0] || strpbrk(s->words[differs], "*?[\\"))
		return;
	if (!text_near_try(&s->near[differs], other) || s->near[differs].least >= s->best)
		return;
	s->best = s->near[differs].least;
	s->field = differs;
	memcpy(s->found, other, sizeof(other));
}

static void consider_probe(void *data, const struct d_probe *probe)
{
	/* Functions of processes are too many, and names of files are not suggested. */
	if (!probe->object)
		consider(data, &probe->names);
}

/* Probes of a VM, even if none runs. */
static void consider_catalogue(struct search *s)
{
	for (uint32_t id = 0; id < probe_count(); id++) {
		char name[PROBE_NAME_SIZE];
		const char *colon = strchr(probe_name(id, name), ':');
		struct probe_names names = { 0, probe_def(id)->provider, "", "", colon ? colon + 1 : name };

		consider(s, &names);
	}
}

static bool is_of_provider(const void *data, uint32_t id)
{
	const struct search *s = data;
	const char *provider = probe_def(id)->provider;

	return matches(s, PROVIDER, provider, provider);
}

/* "gc" is a prefix of several. */
static void consider_beginnings(struct search *s)
{
	char glob[PROBE_GLOB_SIZE];

	if (s->best != SIZE_MAX || !s->wanted[NAME][0] || !*probe_nearest(s->wanted[NAME], is_of_provider, s, glob))
		return;
	s->best = 0;
	s->field = NAME;
	snprintf(s->found, sizeof(s->found), "%s", glob);
}

static void write_description(const struct search *s, const struct probe_spec *spec, char *buf)
{
	const char *parts[FIELDS], *behind = s->wanted[PROVIDER] + strlen(s->words[PROVIDER]);

	for (enum name_field field = 0; field < FIELDS; field++)
		parts[field] = field == s->field ? s->found : s->wanted[field];
	if (!strchr(spec->text, ':'))
		snprintf(buf, NEAREST_SIZE, "%s", parts[NAME]);
	else
		snprintf(buf, NEAREST_SIZE, "%s%s:%s:%s:%s", parts[PROVIDER], s->field == PROVIDER ? behind : "",
			 parts[MODULE], parts[FUNCTION], parts[NAME]);
}

const char *probes_nearest(struct probes *probes, const struct probe_spec *spec, char *buf)
{
	struct search s;

	buf[0] = '\0';
	if (spec->is_id)
		return buf;
	begin(&s, spec);
	consider_catalogue(&s);
	probes_list(probes, consider_probe, &s);
	consider_beginnings(&s);
	if (s.best != SIZE_MAX)
		write_description(&s, spec, buf);
	return buf;
}

const char *probes_did_you_mean(struct probes *probes, const struct probe_spec *spec, char *buf)
{
	char meant[NEAREST_SIZE - sizeof("did you mean ?")];
	char text[NEAREST_SIZE];

	snprintf(meant, sizeof(meant), "%s", probes_nearest(probes, spec, text));
	buf[0] = '\0';
	if (*meant)
		snprintf(buf, NEAREST_SIZE, "did you mean %s?", meant);
	return buf;
}
