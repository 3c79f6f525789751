// SPDX-License-Identifier: BSD-2-Clause
/* The governor, second by second, with tools that cost a share of what the node works. */
#include "serve/agent/governor.h"

#include "check.h"

#define TOOLS 3
#define LIMIT 0.02

/* What a tool costs per processor of load, in full and without names. */
struct nature {
	double full, plain;
	bool has_detail, has_windows;
};

struct world {
	struct governor governor;
	struct governor_tool tools[TOOLS];
	struct nature natures[TOOLS];
	double load;
	unsigned int changes;
};

static struct world world_new(const struct nature natures[TOOLS])
{
	struct world world = { .governor = { .limit = LIMIT }, .load = 1 };

	for (size_t i = 0; i < TOOLS; i++) {
		world.natures[i] = natures[i];
		governor_tool_start(&world.tools[i], natures[i].has_detail, natures[i].has_windows);
	}
	return world;
}

static double cost(const struct world *world, size_t i)
{
	double bound = governor_window_share(&world->governor, world->tools, TOOLS);
	double full = world->natures[i].full * world->load;

	switch (world->tools[i].level) {
	case GOVERNOR_WINDOWS: return full < bound ? full : bound;
	case GOVERNOR_FULL: return world->natures[i].full * world->load;
	case GOVERNOR_PLAIN: return world->natures[i].plain * world->load;
	case GOVERNOR_OFF:
	case GOVERNOR_LEVELS: break;
	}
	return 0;
}

static void pass(struct world *world, unsigned int seconds)
{
	for (unsigned int s = 0; s < seconds; s++) {
		for (size_t i = 0; i < TOOLS; i++)
			world->tools[i].share = cost(world, i);
		if (!governor_step(&world->governor, world->tools, TOOLS, world->load, 1))
			continue;
		for (size_t i = 0; i < TOOLS; i++) {
			world->changes += world->tools[i].level != world->tools[i].wanted;
			world->tools[i].level = world->tools[i].wanted;
		}
	}
}

static void expect_levels(const struct world *world, enum governor_level a, enum governor_level b,
			  enum governor_level c, const char *when)
{
	cr_expect(eq(int, (int)world->tools[0].level, (int)a), "%s", when);
	cr_expect(eq(int, (int)world->tools[1].level, (int)b), "%s", when);
	cr_expect(eq(int, (int)world->tools[2].level, (int)c), "%s", when);
}

static const struct nature cheap[TOOLS] = { { 0.005, 0.003, true }, { 0.004, 0.002, true }, { 0.003, 0.003, false } };

Test(serve_governor, below_the_limit_nothing_changes)
{
	struct world world = world_new(cheap);

	pass(&world, 1000);
	cr_expect(eq(uint, world.changes, 0));
	expect_levels(&world, GOVERNOR_FULL, GOVERNOR_FULL, GOVERNOR_FULL, "below");
}

Test(serve_governor, a_short_burst_is_borne)
{
	struct world world = world_new(cheap);

	for (int i = 0; i < 20; i++) {
		world.load = 4;
		pass(&world, 1);
		world.load = 1;
		pass(&world, 5);
	}
	cr_expect(eq(uint, world.changes, 0));
}

Test(serve_governor, what_costs_many_times_the_limit_is_not)
{
	struct world world = world_new(cheap);

	world.load = 50;
	pass(&world, 1);
	expect_levels(&world, GOVERNOR_OFF, GOVERNOR_OFF, GOVERNOR_OFF, "after a second");
}

Test(serve_governor, detail_goes_first_and_only_as_much_as_it_takes)
{
	/* 0.022 in all, of which the names of the dearest are enough. */
	static const struct nature natures[TOOLS] = { { 0.012, 0.005, true },
						      { 0.007, 0.005, true },
						      { 0.003, 0.003, false } };
	struct world world = world_new(natures);

	pass(&world, 10);
	expect_levels(&world, GOVERNOR_PLAIN, GOVERNOR_FULL, GOVERNOR_FULL, "at first");
	pass(&world, 100);
	expect_levels(&world, GOVERNOR_PLAIN, GOVERNOR_FULL, GOVERNOR_FULL, "later");
}

Test(serve_governor, tools_go_when_detail_is_not_enough_the_dearest_first)
{
	static const struct nature natures[TOOLS] = { { 0.05, 0.04, true },
						      { 0.012, 0.011, true },
						      { 0.004, 0.004, false } };
	struct world world = world_new(natures);

	pass(&world, 10);
	expect_levels(&world, GOVERNOR_OFF, GOVERNOR_FULL, GOVERNOR_FULL, "without the dearest");
	pass(&world, 1);
	cr_expect(lt(dbl, governor_sum(world.tools, TOOLS), LIMIT));
}

Test(serve_governor, within_ten_seconds_whatever_it_costs_it_is_below_the_limit)
{
	static const struct nature natures[TOOLS] = { { 9, 8, true }, { 7, 6, true }, { 5, 5, false } };
	struct world world = world_new(natures);

	pass(&world, 10);
	expect_levels(&world, GOVERNOR_OFF, GOVERNOR_OFF, GOVERNOR_OFF, "all off");
}

Test(serve_governor, all_comes_back_when_the_load_falls_the_cheapest_first_and_tools_before_names)
{
	static const struct nature natures[TOOLS] = { { 0.05, 0.04, true },
						      { 0.03, 0.025, true },
						      { 0.0205, 0.0205, false } };
	struct world world = world_new(natures);

	pass(&world, 20);
	expect_levels(&world, GOVERNOR_OFF, GOVERNOR_OFF, GOVERNOR_OFF, "busy");
	world.load = 0.1;
	pass(&world, 9);
	expect_levels(&world, GOVERNOR_OFF, GOVERNOR_OFF, GOVERNOR_OFF, "it waits to see");
	pass(&world, 3);
	expect_levels(&world, GOVERNOR_OFF, GOVERNOR_OFF, GOVERNOR_FULL, "the cheapest first");
	pass(&world, 8);
	expect_levels(&world, GOVERNOR_PLAIN, GOVERNOR_PLAIN, GOVERNOR_FULL, "then the other tools");
	pass(&world, 40);
	expect_levels(&world, GOVERNOR_FULL, GOVERNOR_FULL, GOVERNOR_FULL, "then names");
}

Test(serve_governor, at_a_load_just_below_the_limit_nothing_swings)
{
	static const struct nature natures[TOOLS] = { { 0.03, 0.025, true },
						      { 0.002, 0.001, true },
						      { 0.001, 0.001, false } };
	struct world world = world_new(natures);

	pass(&world, 20);
	world.changes = 0;
	/* It would cost 0.018: below the limit, with too little room. */
	world.load = 0.72;
	pass(&world, 3600);
	cr_expect(le(uint, world.changes, 1));
	cr_expect(eq(int, (int)world.tools[0].level, (int)GOVERNOR_OFF));
}

Test(serve_governor, what_comes_back_too_early_waits_longer_each_time)
{
	static const struct nature natures[TOOLS] = { { 0.05, 0.05, false }, { 0, 0, true }, { 0, 0, false } };
	struct world world = world_new(natures);

	/* The load falls whenever the tool is off and rises when it is on: the forecast is always wrong. */
	for (int second = 0; second < 3600; second++) {
		world.load = world.tools[0].level == GOVERNOR_OFF ? 0.01 : 2;
		pass(&world, 1);
	}
	/* Once in 10 s would be 500 changes. */
	cr_expect(le(uint, world.changes, 40), "%u changes", world.changes);
	cr_expect(ge(uint, world.changes, 6));
}

Test(serve_governor, a_tool_that_costs_nothing_is_not_blamed)
{
	static const struct nature natures[TOOLS] = { { 0.05, 0.05, false }, { 0, 0, true }, { 0, 0, false } };
	struct world world = world_new(natures);

	pass(&world, 20);
	expect_levels(&world, GOVERNOR_OFF, GOVERNOR_FULL, GOVERNOR_FULL, "only the dear one");
}

static const struct nature with_windows[TOOLS] = { { 0.09, 0.08, true, true },
						   { 0.05, 0.04, false, true },
						   { 0.004, 0.004, false, true } };

Test(serve_governor, who_can_measure_part_of_the_time_does_so_and_the_others_stay)
{
	struct world world = world_new(with_windows);

	pass(&world, 10);
	expect_levels(&world, GOVERNOR_WINDOWS, GOVERNOR_WINDOWS, GOVERNOR_FULL, "busy");
	cr_expect(le(dbl, governor_sum(world.tools, TOOLS), LIMIT));
	world.changes = 0;
	pass(&world, 3600);
	cr_expect(eq(uint, world.changes, 0));
}

Test(serve_governor, those_that_run_in_windows_share_what_the_others_leave)
{
	struct world world = world_new(with_windows);

	pass(&world, 10);
	cr_expect(epsilon_eq(dbl, 2 * governor_window_share(&world.governor, world.tools, TOOLS) + 0.004, 0.9 * LIMIT,
			     1e-9));
}

Test(serve_governor, what_leaves_too_little_room_for_windows_gets_some_too)
{
	/* The dear one would be enough, but then there is no room for its windows. */
	static const struct nature natures[TOOLS] = { { 0.05, 0.05, false, true },
						      { 0.015, 0.015, false, true },
						      { 0.001, 0.001, false, true } };
	struct world world = world_new(natures);

	pass(&world, 100);
	expect_levels(&world, GOVERNOR_WINDOWS, GOVERNOR_WINDOWS, GOVERNOR_FULL, "in the end");
}

Test(serve_governor, what_has_run_in_windows_comes_back_without_names_first)
{
	struct world world = world_new(with_windows);

	pass(&world, 20);
	world.load = 0.02;
	pass(&world, 15);
	expect_levels(&world, GOVERNOR_PLAIN, GOVERNOR_FULL, GOVERNOR_FULL, "tools");
	pass(&world, 30);
	expect_levels(&world, GOVERNOR_FULL, GOVERNOR_FULL, GOVERNOR_FULL, "names");
}

Test(serve_governor, windows_that_cost_more_than_they_may_are_given_up)
{
	struct world world = world_new(with_windows);

	pass(&world, 20);
	world.tools[0].share = 5 * LIMIT;
	cr_expect(governor_step(&world.governor, world.tools, TOOLS, world.load, 1));
	cr_expect(eq(int, (int)world.tools[0].wanted, (int)GOVERNOR_OFF));
	cr_expect(eq(int, (int)world.tools[1].wanted, (int)GOVERNOR_WINDOWS));
}
