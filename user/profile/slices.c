// SPDX-License-Identifier: BSD-2-Clause
#include "profile/slices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define SLACK_NS 1000000000ULL /* tolerance for timers that fire early */

struct slice {
	struct profile *profile;
	uint64_t from_ns, to_ns;
	uint64_t number;
	uint8_t id[SLICES_ID];
};

struct slices {
	struct slice all[SLICES_COUNT];
	size_t count, newest;
	uint64_t length_ns, period_ns;
	uint64_t begun; /* number of the newest slice */
};

static int begin(struct slices *slices, uint64_t now_ns)
{
	struct profile *profile = profile_new("processor time", "ns");
	size_t next = slices->count ? (slices->newest + 1) % SLICES_COUNT : 0;

	if (!profile)
		return -ENOMEM;
	profile_limit(profile, SLICES_BYTES);
	profile_free(slices->all[next].profile);
	slices->all[next] = (struct slice){ profile, now_ns, now_ns, ++slices->begun, {} };
	/* Early in the boot there may be no random numbers; times still differ. */
	if (getrandom(slices->all[next].id, SLICES_ID, GRND_NONBLOCK) != SLICES_ID)
		memcpy(slices->all[next].id, &now_ns, sizeof(now_ns));
	slices->newest = next;
	slices->count += slices->count < SLICES_COUNT;
	return 0;
}

struct slices *slices_new(uint64_t now_ns, uint64_t length_ns, uint64_t period_ns)
{
	struct slices *slices = calloc(1, sizeof(*slices));

	if (!slices)
		return NULL;
	slices->length_ns = length_ns;
	slices->period_ns = period_ns;
	if (!begin(slices, now_ns))
		return slices;
	free(slices);
	errno = ENOMEM;
	return NULL;
}

void slices_free(struct slices *slices)
{
	if (!slices)
		return;
	for (size_t i = 0; i < slices->count; i++)
		profile_free(slices->all[i].profile);
	free(slices);
}

struct profile *slices_now(struct slices *slices, uint64_t now_ns)
{
	struct slice *slice = &slices->all[slices->newest];

	if (now_ns > slice->to_ns)
		slice->to_ns = now_ns;
	return slice->profile;
}

int slices_turn(struct slices *slices, uint64_t now_ns)
{
	const struct slice *slice = &slices->all[slices->newest];

	if (now_ns >= slice->to_ns && now_ns + SLACK_NS < slice->from_ns + slices->length_ns)
		return 0;
	return begin(slices, now_ns);
}

static int add(struct profile *to, const struct slice *slice, uint64_t span[2],
	       bool (*wants)(void *data, const char *group), void *data)
{
	if (!span[0] || slice->from_ns < span[0])
		span[0] = slice->from_ns;
	span[1] += slice->to_ns - slice->from_ns;
	return profile_merge(to, slice->profile, wants, data);
}

struct profile *slices_merge(const struct slices *slices, uint64_t from_ns, uint64_t to_ns,
			     bool (*wants)(void *data, const char *group), void *data)
{
	struct profile *all = profile_new("processor time", "ns");
	uint64_t span[2] = { 0, 0 }; /* start and length */
	int err = all ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < slices->count; i++) {
		const struct slice *slice = &slices->all[(slices->newest + 1 + i) % slices->count];

		if (slice->to_ns >= from_ns && slice->from_ns <= to_ns)
			err = add(all, slice, span, wants, data);
	}
	if (!err && !span[0])
		err = -ENOENT;
	if (!err) {
		profile_times(all, span[0], span[1], slices->period_ns);
		return all;
	}
	profile_free(all);
	errno = -err;
	return NULL;
}

uint64_t slices_newest_whole(const struct slices *slices)
{
	return slices->begun - 1;
}

bool slices_next(const struct slices *slices, uint64_t after, struct slice_whole *whole)
{
	for (size_t i = 0; i + 1 < slices->count; i++) {
		const struct slice *slice = &slices->all[(slices->newest + 1 + i) % slices->count];

		if (slice->number <= after || profile_is_empty(slice->profile))
			continue;
		*whole = (struct slice_whole){
			.profile = slice->profile,
			.number = slice->number,
			.from_ns = slice->from_ns,
			.to_ns = slice->to_ns,
			.period_ns = slices->period_ns,
		};
		memcpy(whole->id, slice->id, SLICES_ID);
		return true;
	}
	return false;
}

size_t slices_count(const struct slices *slices)
{
	return slices->count;
}

size_t slices_bytes(const struct slices *slices)
{
	size_t sum = 0;

	for (size_t i = 0; i < slices->count; i++)
		sum += profile_bytes(slices->all[i].profile);
	return sum;
}
