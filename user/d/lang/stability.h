/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stability of a name, DTrace's three words "Evolving/Evolving/Common": of the name, of its value, and the
 * platforms that have it.
 */
#ifndef ERLBPF_D_LANG_STABILITY_H
#define ERLBPF_D_LANG_STABILITY_H

#include <stdbool.h>
#include <stddef.h>

enum stability_level {
	STABILITY_INTERNAL,
	STABILITY_PRIVATE,
	STABILITY_OBSOLETE,
	STABILITY_EXTERNAL,
	STABILITY_UNSTABLE,
	STABILITY_EVOLVING,
	STABILITY_STABLE,
	STABILITY_STANDARD,
};

enum stability_class { CLASS_UNKNOWN, CLASS_CPU, CLASS_PLATFORM, CLASS_GROUP, CLASS_ISA, CLASS_COMMON };

struct stability {
	enum stability_level names, data;
	enum stability_class class;
};

/* The default. */
#define STABILITY_DEFAULT ((struct stability){ STABILITY_STABLE, STABILITY_STABLE, CLASS_COMMON })

/* False: invalid words. */
bool stability_parse(const char *text, struct stability *stability);

/* The minimum of each of the three. */
struct stability stability_least(struct stability a, struct stability b);

/* True if any of the three is below the required one. */
bool stability_is_less(struct stability a, struct stability least);

const char *stability_level_text(enum stability_level level);
const char *stability_class_text(enum stability_class class);

/* Of a built-in variable or function. */
struct stability stability_of_name(const char *name);

/* Of a probe, by the prefix of its provider's name. */
struct stability stability_of_provider(const char *provider);

#endif
