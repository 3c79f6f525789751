/* SPDX-License-Identifier: BSD-2-Clause */
/* A few names with values: headers of a request, attributes of a resource. */
#ifndef ERLBPF_SERVE_HTTP_PAIRS_H
#define ERLBPF_SERVE_HTTP_PAIRS_H

#include <stddef.h>

#define PAIRS_MOST 32

struct pair {
	char *name, *value;
};

struct pairs {
	struct pair at[PAIRS_MOST];
	size_t count;
};

/* A value takes the place of an earlier one of the same name. 0, -ENOMEM, or -E2BIG: too many. */
int pairs_set(struct pairs *pairs, const char *name, const char *value);

/* "NAME=VALUE", as it stands. 0, -EINVAL, or as above. */
int pairs_add(struct pairs *pairs, const char *text);

/* "NAME=VALUE,NAME=VALUE" with %XX for bytes, as in OpenTelemetry's variables. The same. */
int pairs_parse(struct pairs *pairs, const char *text);

void pairs_free(struct pairs *pairs);

#endif
