// SPDX-License-Identifier: BSD-2-Clause
#include "budget/sampling.h"

#include <math.h>

#include "base/duration.h"
#include "base/random.h"

#define STRATA 5		     /* of an interval, if they are not shorter than LEAST_STRATUM_NS then */
#define STRATUM_NS (500 * NS_PER_MS) /* where the user named no interval */
#define LEAST_STRATUM_NS (100 * NS_PER_MS)
#define MOST_STRATUM_NS (4 * NS_PER_S)
#define SWITCH_PART 4 /* attaching and detaching takes no more than this part of a stratum */
#define LEAST_WINDOW_NS (5 * NS_PER_MS)
#define WANTED_WINDOW_NS (20 * NS_PER_MS)
#define WHOLE_SHARE 0.8 /* of the budget: below it, probes stay attached */
#define MOST_SHARE 0.95 /* of the CPU time of a node: what probes are said to cost is not exact */
#define LEAST_WINDOWS 5 /* for a rate */

void sampling_learn(struct sampling *sampling, uint64_t window_ns, double cost_ns)
{
	sampling->costs[sampling->windows++ % SAMPLING_KEPT] = cost_ns / (double)(window_ns ? window_ns : 1);
}

void sampling_learn_switch(struct sampling *sampling, double cost_ns, double took_ns)
{
	bool is_first = sampling->switch_took_ns <= 0;

	sampling->switch_ns = is_first ? cost_ns : (sampling->switch_ns + cost_ns) / 2;
	sampling->switch_took_ns = is_first ? took_ns : (sampling->switch_took_ns + took_ns) / 2;
}

/* Processors that probes use while they are attached. */
static double cost_of(const struct sampling *sampling)
{
	uint64_t kept = sampling->windows < SAMPLING_KEPT ? sampling->windows : SAMPLING_KEPT;
	double sum = 0;

	for (uint64_t i = 0; i < kept; i++)
		sum += sampling->costs[i];
	return kept ? sum / (double)kept : 0;
}

/* From 0 to 1. */
static double chance(struct sampling *sampling, uint64_t seed)
{
	if (!sampling->random)
		sampling->random = seed | 1;
	return (double)(random_next(&sampling->random) & 0xffffffff) / 4294967296.0;
}

static double clamp(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

/* So short that many fit into an interval, but not so short that it is spent on switching. */
static double wanted_length(const struct sampling *sampling, const struct sampling_budget *budget, double cost)
{
	double wanted = budget->interval_ns ? (double)budget->interval_ns / STRATA : STRATUM_NS;
	double least = fmax(LEAST_STRATUM_NS, SWITCH_PART * sampling->switch_took_ns);

	least = fmax(least, (sampling->switch_ns + cost * WANTED_WINDOW_NS) / budget->cpus);
	return clamp(wanted, least, fmax(least, MOST_STRATUM_NS));
}

/* Equal parts of what is left of the interval. */
static uint64_t fit_length(double wanted, uint64_t begin_ns, const struct sampling_budget *budget)
{
	double left, parts;

	if (!budget->until_ns)
		return (uint64_t)wanted;
	left = budget->until_ns > begin_ns ? (double)(budget->until_ns - begin_ns) : 0;
	parts = floor(left / wanted + 0.5);
	return (uint64_t)(left / fmax(parts, 1));
}

struct stratum sampling_plan(struct sampling *sampling, uint64_t begin_ns, uint64_t earliest_ns,
			     const struct sampling_budget *budget)
{
	double cost = cost_of(sampling), length_ns, late_ns = (double)(earliest_ns - begin_ns);
	double wanted_ns = fmax(wanted_length(sampling, budget, cost), late_ns + WANTED_WINDOW_NS);
	uint64_t stratum_ns = fit_length(wanted_ns, begin_ns, budget);
	struct stratum stratum = { .begin_ns = begin_ns, .end_ns = begin_ns + stratum_ns };
	double earned_ns = budget->cpus * (double)stratum_ns -
			   fmin(budget->debt_ns, budget->cpus * (double)stratum_ns / 2);

	if (earliest_ns == begin_ns && cost <= WHOLE_SHARE * budget->cpus && budget->debt_ns <= 0) {
		stratum.open_ns = begin_ns;
		stratum.length_ns = stratum_ns;
		return stratum;
	}
	length_ns = (earned_ns - sampling->switch_ns) / fmax(cost, budget->cpus / 100);
	stratum.length_ns = (uint64_t)clamp(length_ns, LEAST_WINDOW_NS,
					    fmax((double)stratum_ns - late_ns, LEAST_WINDOW_NS));
	/* A whole window is one that was meant to be. */
	if (stratum.length_ns >= stratum_ns)
		stratum.length_ns = stratum_ns - 1;
	stratum.open_ns = earliest_ns + (uint64_t)(chance(sampling, begin_ns) *
						   fmax((double)stratum_ns - late_ns - (double)stratum.length_ns, 0));
	return stratum;
}

bool stratum_is_whole(const struct stratum *stratum)
{
	return stratum->length_ns == stratum->end_ns - stratum->begin_ns;
}

void sampling_add_gap(struct sampling_sum *sum, double rate, double length_s)
{
	sum->gaps += rate * length_s;
}

void sampling_add_cost(struct sampling_sum *sum, double probes_ns, double node_ns)
{
	sum->probes_ns += probes_ns;
	sum->node_ns += node_ns;
}

double sampling_slowdown(const struct sampling_sum *sum)
{
	double share = sum->node_ns > 0 ? sum->probes_ns / sum->node_ns : 0;

	return 1 / (1 - fmin(share, MOST_SHARE));
}

static void add_seen(struct sampling_sum *sum, uint64_t seen, double watched_s)
{
	sum->seen += seen;
	sum->watched_s += watched_s;
}

void sampling_add(struct sampling_sum *sum, uint64_t seen, double watched_s, double length_s)
{
	double rate = watched_s > 0 ? (double)seen / watched_s : 0;

	add_seen(sum, seen, watched_s);
	sum->length_s += length_s;
	sum->total += watched_s >= length_s ? (double)seen : rate * length_s;
	if (watched_s >= length_s)
		return;
	sum->windows++;
	sum->squares += length_s * length_s * (1 - watched_s / length_s);
	sum->rates += rate;
	sum->rate_squares += rate * rate;
	sum->most_rate = fmax(sum->most_rate, rate);
	sum->parts_s += watched_s;
}

void sampling_add_cut(struct sampling_sum *sum, uint64_t seen, double watched_s)
{
	add_seen(sum, seen, watched_s);
	sum->cut++;
}

/* Student's t for 0.975, by degrees of freedom. */
static double quantile_of(unsigned int freedom)
{
	static const double few[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
				      2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086 };

	if (freedom <= sizeof(few) / sizeof(*few))
		return few[freedom - 1];
	return 1.960 + 2.5 / freedom;
}

/* Of the rate of a window, from `count` of them. Events that come one by one vary as a Poisson process does at least.
 */
static double variance(double sum, double squares, unsigned int count, double poisson)
{
	double mean = sum / count, spread = (squares - sum * mean) / (count - 1);

	return fmax(spread, poisson);
}

bool sampling_rate(const struct sampling_sum *sum, struct sampling_rate *rate)
{
	unsigned int n = sum->windows;
	double slower = sampling_slowdown(sum), poisson, error, more, least;

	if (n < LEAST_WINDOWS || sum->cut || !sum->seen || sum->length_s <= 0)
		return false;
	poisson = sum->rates / n / (sum->parts_s / n);
	error = quantile_of(n - 1) * sqrt(sum->squares * variance(sum->rates, sum->rate_squares, n, poisson));
	/* Where few windows met a burst, one more may have: the sum is skewed to the right. */
	more = quantile_of(n) *
	       sqrt(sum->squares * variance(sum->rates + sum->most_rate,
					    sum->rate_squares + sum->most_rate * sum->most_rate, n + 1, poisson));
	least = (double)sum->seen / sum->length_s;
	rate->rate = sum->total / sum->length_s;
	rate->low = fmax((sum->total - error) / sum->length_s, fmin(least, rate->rate));
	/* What the node would have done in the time that probes took from it, at most. */
	rate->high = (sum->total + sum->gaps + fmax(error, more)) / sum->length_s * slower;
	return true;
}
