// SPDX-License-Identifier: BSD-2-Clause
#include "serve/agent/governor.h"

#define OVER_S 2    /* shorter bursts are tolerated... */
#define MOST_OVER 2 /* ... unless they exceed this multiple of what the limit allows in a second */
#define SETTLE_S 2
#define ROOM 0.7	 /* of the limit: a tool comes back only below this */
#define WINDOWS_PART 0.4 /* of the limit: minimum for all tools in windows... */
#define WINDOWS_MOST 0.9 /* ... and maximum together with all others */
#define PATIENCE_S 10
#define MOST_PATIENCE_S 640
#define TRIAL_S 30	   /* a tool that is turned off again within this time came back too early */
#define WITHOUT_DETAIL 0.7 /* first guess, as a share of the cost */
#define LEAST_LOAD 0.01	   /* of a CPU: a lower load says nothing about the cost on a busy node */

const char *governor_level_name(enum governor_level level)
{
	static const char *const names[] = {
		[GOVERNOR_OFF] = "off",
		[GOVERNOR_WINDOWS] = "windows",
		[GOVERNOR_PLAIN] = "without_names",
		[GOVERNOR_FULL] = "full",
	};

	return names[level];
}

void governor_tool_start(struct governor_tool *tool, bool has_detail, bool has_windows)
{
	*tool = (struct governor_tool){
		.has_detail = has_detail,
		.has_windows = has_windows,
		.level = GOVERNOR_FULL,
		.wanted = GOVERNOR_FULL,
		.patience_s = PATIENCE_S,
		.since_s = -1,
	};
}

double governor_sum(const struct governor_tool *tools, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += tools[i].share;
	return sum;
}

static size_t count_in_windows(const struct governor_tool *tools, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += tools[i].wanted == GOVERNOR_WINDOWS;
	return found;
}

/* Excludes tools in windows, whose cost is bounded. */
static double sum_of_others(const struct governor_tool *tools, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += tools[i].wanted == GOVERNOR_WINDOWS || tools[i].wanted == GOVERNOR_OFF ? 0 : tools[i].share;
	return sum;
}

double governor_window_share(const struct governor *governor, const struct governor_tool *tools, size_t count)
{
	double least = governor->limit * WINDOWS_PART;
	double rest = governor->limit * WINDOWS_MOST - sum_of_others(tools, count);
	size_t found = count_in_windows(tools, count);

	return (rest > least ? rest : least) / (found ? (double)found : 1);
}

static enum governor_level level_above(const struct governor_tool *tool)
{
	if (tool->level == GOVERNOR_OFF && tool->has_windows)
		return GOVERNOR_WINDOWS;
	return tool->level < GOVERNOR_PLAIN && tool->has_detail ? GOVERNOR_PLAIN : GOVERNOR_FULL;
}

static enum governor_level level_below(const struct governor_tool *tool)
{
	return tool->level > GOVERNOR_WINDOWS && tool->has_windows ? GOVERNOR_WINDOWS : GOVERNOR_OFF;
}

/* The tool may never have run without detail. */
static double rate_at(const struct governor_tool *tool, enum governor_level level)
{
	return level == GOVERNOR_PLAIN && tool->rate[level] <= 0 ? tool->rate[GOVERNOR_FULL] * WITHOUT_DETAIL
								 : tool->rate[level];
}

/* The additional cost one level up. */
static double forecast(const struct governor_tool *tool, double load)
{
	double cost = rate_at(tool, level_above(tool)) * load;

	return cost > tool->share ? cost - tool->share : 0;
}

static void remember(struct governor_tool *tools, size_t count, double load)
{
	for (size_t i = 0; i < count; i++) {
		if (tools[i].level != GOVERNOR_OFF && load >= LEAST_LOAD)
			tools[i].rate[tools[i].level] = tools[i].share / load;
	}
}

/*
 * True if the tool may go down a level: names first, then whole tools, then tools in windows that still cost too much.
 */
enum loss { LOSS_DETAIL, LOSS_TOOL, LOSS_WINDOWS };

static bool may_lose(const struct governor_tool *tool, enum loss loss)
{
	switch (loss) {
	case LOSS_DETAIL: return tool->has_detail && tool->level == GOVERNOR_FULL;
	case LOSS_TOOL: return tool->level > GOVERNOR_WINDOWS;
	case LOSS_WINDOWS: return tool->level == GOVERNOR_WINDOWS;
	}
	return false;
}

/* The most expensive tool that is to stay; NULL: none has a cost. */
static struct governor_tool *dearest(struct governor_tool *tools, size_t count, enum loss loss)
{
	struct governor_tool *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (may_lose(&tools[i], loss) && tools[i].wanted == tools[i].level &&
		    (!found || tools[i].share > found->share))
			found = &tools[i];
	}
	return found && found->share > 0 ? found : NULL;
}

static void lose(struct governor_tool *tool, enum governor_level level)
{
	tool->wanted = level;
	if (tool->since_s >= 0 && tool->since_s < TRIAL_S && tool->patience_s < MOST_PATIENCE_S)
		tool->patience_s *= 2;
	tool->since_s = -1;
	tool->calm_s = 0;
}

/* The estimated cost without detail. */
static double sum_without_detail(const struct governor_tool *tools, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += tools[i].share * (tools[i].has_detail && tools[i].level == GOVERNOR_FULL ? WITHOUT_DETAIL : 1);
	return sum;
}

static double room_for_others(const struct governor *governor, const struct governor_tool *tools, size_t count)
{
	return governor->limit * (count_in_windows(tools, count) ? 1 - WINDOWS_PART : 1);
}

static bool shed_detail(const struct governor *governor, struct governor_tool *tools, size_t count)
{
	double sum = governor_sum(tools, count);
	struct governor_tool *tool;
	bool has_shed = false;

	while (sum > governor->limit && (tool = dearest(tools, count, LOSS_DETAIL))) {
		lose(tool, GOVERNOR_PLAIN);
		sum -= tool->share * (1 - WITHOUT_DETAIL);
		has_shed = true;
	}
	return has_shed;
}

static bool shed_tools(const struct governor *governor, struct governor_tool *tools, size_t count)
{
	double sum = sum_of_others(tools, count);
	struct governor_tool *tool;
	bool has_shed = false;

	while (sum > room_for_others(governor, tools, count) && (tool = dearest(tools, count, LOSS_TOOL))) {
		lose(tool, level_below(tool));
		sum -= tool->share;
		has_shed = true;
	}
	if (has_shed)
		return true;
	tool = dearest(tools, count, LOSS_WINDOWS);
	if (tool)
		lose(tool, GOVERNOR_OFF);
	return tool;
}

/*
 * Turns down as much as needed. The cost of detail is not known, so tools are turned off only after dropping detail was
 * not enough.
 */
static bool shed(const struct governor *governor, struct governor_tool *tools, size_t count)
{
	bool is_enough = sum_without_detail(tools, count) <= governor->limit;

	return (is_enough && shed_detail(governor, tools, count)) || shed_tools(governor, tools, count);
}

/* Brings back tools before detail, the cheapest first, once it was affordable for long enough. */
static bool restore(const struct governor *governor, struct governor_tool *tools, size_t count, double load,
		    double seconds)
{
	double sum = governor_sum(tools, count);
	struct governor_tool *found = NULL;
	bool is_any_shed = false;

	for (size_t i = 0; i < count; i++)
		is_any_shed |= tools[i].level < GOVERNOR_PLAIN;
	for (size_t i = 0; i < count; i++) {
		struct governor_tool *tool = &tools[i];

		if (tool->level == GOVERNOR_FULL || (is_any_shed && tool->level >= GOVERNOR_PLAIN))
			continue;
		tool->calm_s = sum + forecast(tool, load) <= governor->limit * ROOM ? tool->calm_s + seconds : 0;
		if (tool->calm_s >= tool->patience_s && (!found || forecast(tool, load) < forecast(found, load)))
			found = tool;
	}
	if (!found)
		return false;
	found->wanted = level_above(found);
	found->calm_s = 0;
	found->since_s = 0;
	return true;
}

static void pass_time(struct governor_tool *tools, size_t count, double seconds)
{
	for (size_t i = 0; i < count; i++) {
		struct governor_tool *tool = &tools[i];

		if (tool->since_s < 0)
			continue;
		tool->since_s += seconds;
		if (tool->since_s < TRIAL_S)
			continue;
		/* It has stayed. */
		tool->since_s = -1;
		tool->patience_s = PATIENCE_S;
	}
}

bool governor_step(struct governor *governor, struct governor_tool *tools, size_t count, double load, double seconds)
{
	double above = governor_sum(tools, count) / governor->limit - 1;
	bool has_changed;

	pass_time(tools, count, seconds);
	if (governor->settle_s > 0) {
		governor->settle_s -= seconds;
		return false;
	}
	remember(tools, count, load);
	governor->over_s = above > 0 ? governor->over_s + seconds : 0;
	governor->over = above > 0 ? governor->over + above * seconds : 0;
	if (governor->over_s >= OVER_S || governor->over >= MOST_OVER)
		has_changed = shed(governor, tools, count);
	else
		has_changed = governor->over_s <= 0 && restore(governor, tools, count, load, seconds);
	if (has_changed) {
		governor->settle_s = SETTLE_S;
		governor->over_s = governor->over = 0;
	}
	return has_changed;
}
