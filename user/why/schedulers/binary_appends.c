// SPDX-License-Identifier: BSD-2-Clause
/*
 * The VM appends in place to a binary that was made by appending, and doubles its room now and then. If a part is put
 * in front, or the binary is made from a list, each part costs a copy of all. Then the largest of the newest binaries
 * is larger in nearly every sample, by less than a half, and often at another address.
 */
#include "why/schedulers/binary_appends.h"

#include "node/memory/off_heap.h"

#define LARGE 65536
#define HUGE_SIZE (UINT64_C(1) << 40) /* larger values are garbage */
#define LEAST_GROWN 10
#define MOVED_OF 4   /* one of that many must be another binary */
#define GROWN_EACH 5 /* that many must have grown per other one */

static struct binary_append *append_of(struct binary_appends *appends, uint64_t id)
{
	size_t i = 0;

	while (i < appends->count && appends->all[i].id != id)
		i++;
	if (i == APPENDS_MOST)
		return NULL;
	if (i == appends->count)
		appends->all[appends->count++] = (struct binary_append){ .id = id };
	return &appends->all[i];
}

static void compare(struct binary_append *append, const struct off_heap_binary *now)
{
	append->looks++;
	if (now->size > append->size && now->size < append->size + append->size / 2) {
		append->grown++;
		append->moved += now->value != append->value;
	} else if (now->size != append->size) {
		append->fallen++;
	}
}

void binary_appends_look(struct binary_appends *appends, const struct target *target, const struct process *process)
{
	struct off_heap_binary now = {};
	struct binary_append *append;

	if (process->binaries >= LARGE)
		now = off_heap_largest(target, process->address);
	if (now.size < LARGE || now.size > HUGE_SIZE)
		return;
	append = append_of(appends, process->id);
	if (!append)
		return;
	if (append->size)
		compare(append, &now);
	append->size = now.size;
	append->value = now.value;
	if (now.size > append->most)
		append->most = now.size;
	if (!append->least || now.size < append->least)
		append->least = now.size;
}

static bool copies(const struct binary_append *append)
{
	return append->grown >= LEAST_GROWN && append->grown >= append->fallen * GROWN_EACH &&
	       append->moved >= append->grown / MOVED_OF;
}

uint64_t binary_appends_finish(const struct binary_appends *appends, struct sign_binary_appends *sign)
{
	const struct binary_append *most = NULL;

	for (size_t i = 0; i < appends->count; i++) {
		const struct binary_append *append = &appends->all[i];

		if (copies(append) && (!most || append->grown > most->grown))
			most = append;
	}
	if (!most)
		return 0;
	sign->least = most->least;
	sign->most = most->most;
	sign->looks = most->looks;
	sign->grown = most->grown;
	return most->id;
}
