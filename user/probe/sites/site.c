// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/site.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "probe/catalogue.h"

const char *source_name(enum source source)
{
	static const char *const names[] = {
		[SOURCE_ANY] = "any",
		[SOURCE_USDT] = "usdt",
		[SOURCE_SYMBOL] = "symbol",
		[SOURCE_MATCHED] = "matched",
	};

	return names[source];
}

int site_list_add(struct site_list *list, const struct site *site)
{
	if (!array_has_room(list->sites, list->count))
		return -ENOMEM;
	list->sites[list->count++] = *site;
	return 0;
}

int site_list_add_missing(struct site_list *list, uint32_t probe, bool whole, const char *why)
{
	struct missing *last = list->missing_count ? &list->missing[list->missing_count - 1] : NULL;
	struct missing *added;

	if (last && last->last + 1 == probe && probe_def(last->last) == probe_def(probe) && last->whole == whole &&
	    !strcmp(last->why, why)) {
		last->last = probe;
		return 0;
	}
	if (!array_has_room(list->missing, list->missing_count))
		return -ENOMEM;
	added = &list->missing[list->missing_count++];
	*added = (struct missing){ .probe = probe, .last = probe, .whole = whole };
	snprintf(added->why, sizeof(added->why), "%s", why);
	return 0;
}

void site_list_free(struct site_list *list)
{
	free(list->sites);
	free(list->missing);
	*list = (struct site_list){};
}
