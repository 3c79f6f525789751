// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/stability.h"

#include <string.h>
#include <strings.h>

#define COUNT(of) (sizeof(of) / sizeof(*(of)))

static const char *const levels[] = {
	"Internal", "Private", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard",
};

static const char *const classes[] = { "Unknown", "CPU", "Platform", "Group", "ISA", "Common" };

/* Names that are less stable than the rest of the language. */
static const struct {
	const char *name;
	struct stability stability;
} names[] = {
	{ "curthread", { STABILITY_STABLE, STABILITY_PRIVATE, CLASS_COMMON } },
	{ "getmajor", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_COMMON } },
	{ "getminor", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_COMMON } },
	{ "htonl", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_COMMON } },
	{ "htonll", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_COMMON } },
	{ "htons", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_COMMON } },
	{ "ntohl", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_COMMON } },
	{ "ntohll", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_COMMON } },
	{ "ntohs", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_COMMON } },
};

/* "": functions of a file. */
static const struct {
	const char *name;
	struct stability stability;
} providers[] = {
	{ "dtrace", { STABILITY_STABLE, STABILITY_STABLE, CLASS_COMMON } },
	{ "profile", { STABILITY_UNSTABLE, STABILITY_UNSTABLE, CLASS_COMMON } },
	{ "syscall", { STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN } },
	{ "sched", { STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN } },
	/* As declared by OTP. */
	{ "erlang", { STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_COMMON } },
	{ "", { STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN } },
};

static int find(const char *const *words, size_t count, const char *text, size_t size)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == size && !strncasecmp(words[i], text, size))
			return (int)i;
	return -1;
}

bool stability_parse(const char *text, struct stability *stability)
{
	int places[3];

	for (int i = 0; i < 3; i++) {
		size_t size = strcspn(text, "/");

		places[i] = i < 2 ? find(levels, COUNT(levels), text, size) : find(classes, COUNT(classes), text, size);
		if (places[i] < 0 || (text[size] == '/') != (i < 2))
			return false;
		text += size + 1;
	}
	*stability = (struct stability){ (enum stability_level)places[0], (enum stability_level)places[1],
					 (enum stability_class)places[2] };
	return true;
}

struct stability stability_least(struct stability a, struct stability b)
{
	return (struct stability){
		.names = a.names < b.names ? a.names : b.names,
		.data = a.data < b.data ? a.data : b.data,
		.class = a.class < b.class ? a.class : b.class,
	};
}

bool stability_is_less(struct stability a, struct stability least)
{
	return a.names < least.names || a.data < least.data || a.class < least.class;
}

const char *stability_level_text(enum stability_level level)
{
	return levels[level];
}

const char *stability_class_text(enum stability_class class)
{
	return classes[class];
}

struct stability stability_of_name(const char *name)
{
	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].stability;
	return STABILITY_DEFAULT;
}

struct stability stability_of_provider(const char *provider)
{
	size_t i = 0;

	while (strncmp(provider, providers[i].name, strlen(providers[i].name)) != 0)
		i++;
	return providers[i].stability;
}
