// SPDX-License-Identifier: BSD-2-Clause
#include "target/reader/fair_share.h"

#include <stddef.h>

#include "base/duration.h"

#define MOST 64 /* owners; the one with the least usage is dropped for a new one */
#define HALF_NS (60 * NS_PER_S)

struct account {
	struct fair_share_owner owner;
	uint64_t had_ns, since_ns; /* usage at that time */
};

static struct account accounts[MOST];
static size_t count;

/* The waiting owner with the least usage. */
static struct {
	struct fair_share_owner owner;
	uint64_t until_ns;
} first;

static bool is_same(const struct fair_share_owner *a, const struct fair_share_owner *b)
{
	return a->device == b->device && a->user == b->user;
}

static uint64_t left_of(const struct account *account, uint64_t now_ns)
{
	uint64_t halves = (now_ns - account->since_ns) / HALF_NS;

	return halves < 64 ? account->had_ns >> halves : 0;
}

static struct account *find(const struct fair_share_owner *owner)
{
	for (size_t i = 0; i < count; i++) {
		if (is_same(&accounts[i].owner, owner))
			return &accounts[i];
	}
	return NULL;
}

static uint64_t had(const struct fair_share_owner *owner, uint64_t now_ns)
{
	const struct account *account = find(owner);

	return account ? left_of(account, now_ns) : 0;
}

static struct account *least(uint64_t now_ns)
{
	struct account *found = &accounts[0];

	for (size_t i = 1; i < count; i++) {
		if (left_of(&accounts[i], now_ns) < left_of(found, now_ns))
			found = &accounts[i];
	}
	return found;
}

bool fair_share_is_next(const struct fair_share_owner *owner, uint64_t now_ns)
{
	if (now_ns < first.until_ns && !is_same(&first.owner, owner) && had(owner, now_ns) > had(&first.owner, now_ns))
		return false;
	if (is_same(&first.owner, owner))
		first.until_ns = 0;
	return true;
}

void fair_share_wait(const struct fair_share_owner *owner, uint64_t now_ns)
{
	if (now_ns < first.until_ns && !is_same(&first.owner, owner) && had(owner, now_ns) >= had(&first.owner, now_ns))
		return;
	first.owner = *owner;
	first.until_ns = now_ns + FAIR_SHARE_WAIT_NS;
}

void fair_share_charge(const struct fair_share_owner *owner, uint64_t ns, uint64_t now_ns)
{
	struct account *account = find(owner);

	if (!account) {
		account = count < MOST ? &accounts[count++] : least(now_ns);
		*account = (struct account){ .owner = *owner, .since_ns = now_ns };
	}
	account->had_ns = left_of(account, now_ns) + ns;
	/* The remainder counts towards the next half-life. */
	account->since_ns += (now_ns - account->since_ns) / HALF_NS * HALF_NS;
}
