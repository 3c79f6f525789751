// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/records/speculate.h"

#include <stdlib.h>
#include <string.h>

#define DTRACE_HEADER 8		/* of a record: -x specsize counts its size in DTrace */
#define MOST_SPECULATIONS 65536 /* maximum id: higher numbers mean a corrupt record */

static struct speculation *find(struct speculations *speculations, uint32_t id)
{
	struct speculation *speculation = speculations->list;

	while (speculation && speculation->id != id)
		speculation = speculation->next;
	return speculation;
}

static struct speculation *find_or_add(struct speculations *speculations, uint32_t id)
{
	struct speculation *speculation = find(speculations, id);

	if (speculation || speculations->count >= MOST_SPECULATIONS)
		return speculation;
	speculation = calloc(1, sizeof(*speculation));
	if (!speculation)
		return NULL;
	speculation->id = id;
	speculation->last = &speculation->first;
	speculation->next = speculations->list;
	speculations->list = speculation;
	speculations->count++;
	return speculation;
}

static struct speculated *keep(const struct d_record *record, size_t size)
{
	struct speculated *kept = malloc(sizeof(*kept) + size);

	if (!kept)
		return NULL;
	kept->next = NULL;
	kept->size = size;
	memcpy(kept->record, record, size);
	return kept;
}

enum speculate speculations_add(struct speculations *speculations, const struct d_record *record, size_t size)
{
	struct speculation *speculation = find_or_add(speculations, record->speculation);
	struct speculated *kept;
	size_t counted;

	if (speculation && speculation->end_ns && record->time_ns <= speculation->end_ns)
		return speculation->was_committed ? SPECULATE_PRINT : SPECULATE_DROPPED;
	counted = size - sizeof(*record) + DTRACE_HEADER;
	kept = speculation && counted <= speculations->most - speculation->size ? keep(record, size) : NULL;
	if (!kept) {
		speculations->drops++;
		return SPECULATE_DROPPED;
	}
	*speculation->last = kept;
	speculation->last = &kept->next;
	speculation->size += counted;
	return SPECULATE_KEPT;
}

struct speculated *speculations_end(struct speculations *speculations, uint32_t id, uint64_t time_ns, bool is_commit)
{
	struct speculation *speculation = find_or_add(speculations, id);
	struct speculated *kept;

	if (!speculation)
		return NULL;
	kept = speculation->first;
	speculation->first = NULL;
	speculation->last = &speculation->first;
	speculation->size = 0;
	speculation->end_ns = time_ns;
	speculation->was_committed = is_commit;
	return kept;
}

static void free_kept(struct speculated *kept)
{
	while (kept) {
		struct speculated *next = kept->next;

		free(kept);
		kept = next;
	}
}

void speculations_free(struct speculations *speculations)
{
	while (speculations->list) {
		struct speculation *next = speculations->list->next;

		free_kept(speculations->list->first);
		free(speculations->list);
		speculations->list = next;
	}
}
