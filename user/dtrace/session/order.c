// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/session/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void order_free(struct order *order)
{
	free(order->bytes);
	free(order->entries);
	*order = (struct order){};
}

/* Frees the space of finished records: all bytes at once when none waits. */
static void forget_done(struct order *order)
{
	if (order->first < order->count) {
		if (order->first < order->count / 2)
			return;
		memmove(order->entries, order->entries + order->first,
			(order->count - order->first) * sizeof(*order->entries));
	} else {
		order->used = 0;
	}
	order->count -= order->first;
	order->first = 0;
}

/* Moves waiting bytes to the front when most of the buffer is finished. */
static int pack(struct order *order)
{
	size_t waiting = 0, used = 0;
	char *packed;

	for (size_t i = order->first; i < order->count; i++)
		waiting += (order->entries[i].size + 7) & ~(size_t)7;
	if (waiting > order->used / 2)
		return 0;
	packed = malloc(order->room);
	if (!packed)
		return -ENOMEM;
	for (size_t i = order->first; i < order->count; i++) {
		struct order_entry *entry = &order->entries[i];

		memcpy(packed + used, order->bytes + entry->at, entry->size);
		entry->at = used;
		used += (entry->size + 7) & ~(size_t)7;
	}
	free(order->bytes);
	order->bytes = packed;
	order->used = used;
	return 0;
}

static int make_room(struct order *order, size_t size)
{
	int err = 0;

	forget_done(order);
	if (order->used + size > order->room)
		err = pack(order);
	if (!err && (!array_has_room_for(order->bytes, order->room, order->used + size) ||
		     !array_has_room_for(order->entries, order->entry_room, order->count + 1)))
		err = -ENOMEM;
	return err;
}

int order_add(struct order *order, const void *record, size_t size, uint64_t time_ns)
{
	size_t room = (size + 7) & ~(size_t)7, i;
	int err = make_room(order, room);

	if (err)
		return err;
	memcpy(order->bytes + order->used, record, size);
	for (i = order->count++; i > order->first && order->entries[i - 1].time_ns > time_ns; i--)
		order->entries[i] = order->entries[i - 1];
	order->entries[i] = (struct order_entry){ time_ns, order->used, size };
	order->used += room;
	return 0;
}

bool order_has(const struct order *order, uint64_t before)
{
	return order->first < order->count && order->entries[order->first].time_ns < before;
}

const void *order_next(struct order *order, uint64_t before, size_t *size)
{
	const struct order_entry *entry = &order->entries[order->first];

	if (!order_has(order, before))
		return NULL;
	order->first++;
	*size = entry->size;
	return order->bytes + entry->at;
}
