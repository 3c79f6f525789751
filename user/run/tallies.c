// SPDX-License-Identifier: BSD-2-Clause
#include "run/tallies.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load/dump.h"

static int compare(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;

	if (x->tally.count != y->tally.count)
		return x->tally.count > y->tally.count ? -1 : 1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

/* Appends what did not fit under a key, if anything. */
static int take_rest(int fd, __u32 generation, struct tally_row *rows, size_t *count)
{
	struct tally rest, nothing = {};

	if (bpf_map_lookup_elem(fd, &generation, &rest))
		return -errno;
	if (!rest.count)
		return 0;
	rows[(*count)++] = (struct tally_row){ .tally = rest };
	return bpf_map_update_elem(fd, &generation, &nothing, BPF_ANY) ? -errno : 0;
}

int tallies_take(const struct loader *loader, __u32 generation, struct tally_row **rows, size_t *count)
{
	struct dump dump = {};
	int err = dump_take(loader_map(loader, generation ? "tally_1" : "tally_0"), sizeof(struct tally_key),
			    sizeof(struct tally), &dump);

	*rows = err ? NULL : calloc(dump.count + 1, sizeof(**rows));
	*count = 0;
	if (!err && !*rows)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < dump.count; i++) {
		memcpy(&(*rows)[i].key, dump.keys + i * sizeof(struct tally_key), sizeof(struct tally_key));
		memcpy(&(*rows)[i].tally, dump.values + i * sizeof(struct tally), sizeof(struct tally));
		(*count)++;
	}
	if (!err)
		qsort(*rows, *count, sizeof(**rows), compare);
	if (!err)
		err = take_rest(loader_map(loader, "tally_rest"), generation, *rows, count);
	dump_free(&dump);
	return err;
}
