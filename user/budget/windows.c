// SPDX-License-Identifier: BSD-2-Clause
#include "budget/windows.h"

#include "base/duration.h"

#define LEAST_NS (20 * NS_PER_MS)
#define MOST_NS (500 * NS_PER_MS)
#define FIRST_PART_NS (50 * NS_PER_MS)
#define LEAST_PAUSE_NS (20 * NS_PER_MS)
#define MOST_PAUSE_NS (4 * NS_PER_S)
#define MOST_CLOSING_NS (300 * NS_PER_MS) /* for cases to end */
#define SAVED_UP 4			  /* full accounts, in idle times for busy ones */
#define OVERDRAWN 2			  /* full accounts, before a window ends early */

static double mean(const double *values, uint64_t count)
{
	uint64_t kept = count < WINDOWS_KEPT ? count : WINDOWS_KEPT;
	double sum = 0;

	for (uint64_t i = 0; i < kept; i++)
		sum += values[i];
	return kept ? sum / (double)kept : 0;
}

static uint64_t within(double ns, uint64_t least, uint64_t most)
{
	if (ns < (double)least)
		return least;
	return ns < (double)most ? (uint64_t)ns : most;
}

/* Up to 1. xorshift64*; nothing depends on how good it is. */
static double chance(struct windows *w, uint64_t now)
{
	if (!w->chance)
		w->chance = now | 1;
	w->chance ^= w->chance >> 12;
	w->chance ^= w->chance << 25;
	w->chance ^= w->chance >> 27;
	return (double)(w->chance * 0x2545f4914f6cdd1dULL >> 32) / 4294967296.0;
}

bool windows_have_been(const struct windows *w)
{
	return w->length_ns != 0;
}

int64_t windows_most_ns(const struct windows *w, int64_t full_ns)
{
	return windows_have_been(w) ? SAVED_UP * full_ns : full_ns;
}

static void begin_part(struct windows *w, uint64_t now, const struct account *account)
{
	w->from_ns = now;
	w->from_spent_ns = account->spent_ns;
}

void windows_open(struct windows *w, uint64_t now, const struct account *account)
{
	w->opened_ns = now;
	begin_part(w, now, account);
}

/* What this part has cost. */
static double cost_of_part(const struct windows *w, const struct account *account)
{
	return (double)(account->spent_ns - w->from_spent_ns);
}

static void learn_part(struct windows *w, uint64_t now, const struct account *account)
{
	double ns = now > w->from_ns ? (double)(now - w->from_ns) : 1;

	w->rates[w->parts++ % WINDOWS_KEPT] = cost_of_part(w, account) / ns;
}

/* All that there is may be spent at once. Only the last part says what hits cost: the node may have been idle before.
 */
static bool first_goes_on(struct windows *w, uint64_t now, const struct account *account)
{
	if (account->ns < 0)
		return false;
	if (now >= w->from_ns + FIRST_PART_NS)
		begin_part(w, now, account);
	return true;
}

bool windows_go_on(struct windows *w, uint64_t now, const struct account *account)
{
	struct windows after = *w;

	if (!windows_have_been(w))
		return first_goes_on(w, now, account);
	if (account->ns < -OVERDRAWN * account->full_ns)
		return false;
	if (now < w->from_ns + w->length_ns)
		return true;
	/* It is not over if all can be paid for, as it seems. */
	learn_part(&after, now, account);
	if (account->ns < account->reserve_ns || mean(after.rates, after.parts) > account->share)
		return false;
	*w = after;
	begin_part(w, now, account);
	return true;
}

/* As long as its part was open, the first as a whole. */
uint64_t windows_closing_ns(const struct windows *w, uint64_t now)
{
	uint64_t open_ns = now - (windows_have_been(w) ? w->from_ns : w->opened_ns);

	return open_ns < MOST_CLOSING_NS ? open_ns : MOST_CLOSING_NS;
}

bool windows_may_close(const struct windows *w, const struct account *account)
{
	return account->ns >= -(windows_have_been(w) ? OVERDRAWN + 1 : 1) * account->full_ns;
}

void windows_over(struct windows *w, uint64_t now, const struct account *account, int64_t switch_ns)
{
	double rate, on_ns = (double)(now - w->from_ns), pause;

	learn_part(w, now, account);
	w->costs[w->count++ % WINDOWS_KEPT] = cost_of_part(w, account) + (double)switch_ns;
	rate = mean(w->rates, w->parts);
	w->length_ns = MOST_NS;
	if (rate > 0)
		w->length_ns = within((double)(account->full_ns - account->reserve_ns) / rate, LEAST_NS, MOST_NS);
	/* So long that the mean window is paid for. */
	pause = mean(w->costs, w->count) / account->share - on_ns;
	w->due_ns = now + within(pause * (0.5 + chance(w, now)), LEAST_PAUSE_NS, MOST_PAUSE_NS);
}

bool windows_are_due(const struct windows *w, uint64_t now, const struct account *account)
{
	return now >= w->due_ns && account->ns >= 0;
}

void windows_later(struct windows *w, uint64_t now)
{
	w->due_ns = now + NS_PER_S;
}
