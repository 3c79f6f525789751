/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays that grow. An array without a stored capacity doubles whenever its count is a power of two:
 *
 *	if (!array_has_room(list->sites, list->count))
 *		return -ENOMEM;
 *	list->sites[list->count++] = site;
 */
#ifndef ERLBPF_BASE_ARRAY_H
#define ERLBPF_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Room for one more after `count` elements. NULL and errno on failure: the array is unchanged. */
void *array_grow(void *array, size_t count, size_t size);

/* Room for `wanted` elements in an array of *room, which at least doubles. Updates *room. NULL and errno as above. */
void *array_reserve(void *array, size_t *room, size_t wanted, size_t size);

#define array_has_room(array, count)                                                                                   \
	({                                                                                                             \
		__typeof__(array) grown_ = array_grow((array), (count), sizeof(*(array)));                             \
		if (grown_)                                                                                            \
			(array) = grown_;                                                                              \
		grown_ != NULL;                                                                                        \
	})

#define array_has_room_for(array, room, wanted)                                                                        \
	({                                                                                                             \
		__typeof__(array) grown_ = array_reserve((array), &(room), (wanted), sizeof(*(array)));                \
		if (grown_)                                                                                            \
			(array) = grown_;                                                                              \
		grown_ != NULL;                                                                                        \
	})

/* For qsort() and bsearch(): 64-bit numbers, ascending. */
int array_compare_u64(const void *a, const void *b);

/* The last element whose member is at most `limit`, or NULL. The array is in ascending order of the member. */
#define array_last_upto(array, count, member, limit)                                                                   \
	({                                                                                                             \
		__typeof__(&(array)[0]) all_ = (array);                                                                \
		size_t from_ = 0, to_ = (count);                                                                       \
		while (from_ < to_) {                                                                                  \
			size_t middle_ = from_ + (to_ - from_) / 2;                                                    \
			if (all_[middle_].member <= (limit))                                                           \
				from_ = middle_ + 1;                                                                   \
			else                                                                                           \
				to_ = middle_;                                                                         \
		}                                                                                                      \
		from_ ? &all_[from_ - 1] : NULL;                                                                       \
	})

#endif
