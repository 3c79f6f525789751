// SPDX-License-Identifier: BSD-2-Clause
#include "serve/agent/overhead.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "budget/run_time.h"
#include "target/reader/proc_stat.h"
#include "target/reader/procfs.h"
#include "target/target.h"

#define MOST_NODES 512
#define SMOOTH 0.5	    /* weight of the last second */
#define SMOOTH_WINDOWS 0.05 /* the same for tools in windows, which may pay for one window over four seconds */
#define LEAST_S 0.2	    /* between two measurements */

/* A node is kept while it lives, even if no tool traces it at the moment. */
struct traced_node {
	pid_t pid;
	uint64_t start_time;
	uint64_t ticks; /* of processor time */
	double load;	/* CPUs used in the last second */
};

struct measured {
	struct cost last;
	double run_s, hit_s;		   /* in all */
	uint64_t changes[GOVERNOR_LEVELS]; /* to each */
	bool is_fresh;			   /* has an earlier measurement */
};

struct overhead {
	struct governor governor;
	struct governor_tool *tools;
	struct measured *measured;
	size_t count;
	struct traced_node nodes[MOST_NODES];
	size_t node_count;
	double load, part; /* of the node with the highest overhead: CPUs used; its share of all nodes */
	uint64_t ticked_ns;
	int stats; /* the kernel measures while this fd is open */
	bool is_measured;
};

struct overhead *overhead_new(size_t count, double limit)
{
	struct overhead *overhead = calloc(1, sizeof(*overhead));

	if (!overhead)
		return NULL;
	overhead->tools = calloc(count + 1, sizeof(*overhead->tools));
	overhead->measured = calloc(count + 1, sizeof(*overhead->measured));
	overhead->count = count;
	overhead->governor.limit = limit;
	overhead->part = 1;
	overhead->stats = run_time_measure();
	overhead->is_measured = run_time_is_measured(overhead->stats);
	if (!overhead->tools || !overhead->measured) {
		overhead_free(overhead);
		return NULL;
	}
	if (limit > 0 && !overhead->is_measured)
		pr_info("The cost of BPF programs is estimated from their hits. The kernel only measures it for "
			"CAP_SYS_ADMIN, or if the sysctl kernel.bpf_stats_enabled is 1.");
	return overhead;
}

void overhead_free(struct overhead *overhead)
{
	if (!overhead)
		return;
	if (overhead->stats >= 0)
		close(overhead->stats);
	free(overhead->tools);
	free(overhead->measured);
	free(overhead);
}

void overhead_tool_start(struct overhead *overhead, size_t tool, bool has_detail, bool has_windows)
{
	governor_tool_start(&overhead->tools[tool], has_detail, has_windows);
	overhead->measured[tool] = (struct measured){};
}

enum governor_level overhead_level(const struct overhead *overhead, size_t tool)
{
	return overhead->tools[tool].level;
}

enum governor_level overhead_wanted(const struct overhead *overhead, size_t tool)
{
	return overhead->tools[tool].wanted;
}

void overhead_set_level(struct overhead *overhead, size_t tool, enum governor_level level)
{
	overhead->tools[tool].level = overhead->tools[tool].wanted = level;
	overhead->tools[tool].share = 0;
	overhead->measured[tool].changes[level]++;
	overhead->measured[tool].last = (struct cost){};
	/* The cost of the first window counts at once: its first second cannot be compared. */
	overhead->measured[tool].is_fresh = level == GOVERNOR_WINDOWS;
}

double overhead_window_share(const struct overhead *overhead)
{
	return governor_window_share(&overhead->governor, overhead->tools, overhead->count);
}

double overhead_sum(const struct overhead *overhead)
{
	return governor_sum(overhead->tools, overhead->count);
}

/* Nodes. */

static void learn_node(void *to, const struct target *target)
{
	struct overhead *overhead = to;
	struct traced_node *node;

	for (size_t i = 0; i < overhead->node_count; i++) {
		if (overhead->nodes[i].pid == target->pid && overhead->nodes[i].start_time == target->start_time)
			return;
	}
	if (overhead->node_count == MOST_NODES || !target_is_alive(target))
		return;
	node = &overhead->nodes[overhead->node_count++];
	*node = (struct traced_node){ .pid = target->pid, .start_time = target->start_time };
	procfs_cpu_ticks(node->pid, &node->ticks);
}

/* False if it has ended. */
static bool measure_node(struct traced_node *node, double seconds)
{
	uint64_t start_time, ticks;

	if (proc_stat_start(node->pid, &start_time) || start_time != node->start_time ||
	    procfs_cpu_ticks(node->pid, &ticks))
		return false;
	node->load = (double)(ticks - node->ticks) / (double)sysconf(_SC_CLK_TCK) / seconds;
	node->ticks = ticks;
	return true;
}

static double smooth(double before, double now, double weight)
{
	return before + weight * (now - before);
}

/* Costs are compared with the CPU time of nodes, so both start again when a node is added. */
static void measure_nodes(struct overhead *overhead, double seconds, bool is_anew)
{
	double all = 0, most = 0;

	for (size_t i = 0; i < overhead->node_count;) {
		if (!measure_node(&overhead->nodes[i], seconds)) {
			overhead->nodes[i] = overhead->nodes[--overhead->node_count];
			continue;
		}
		all += overhead->nodes[i].load;
		most = overhead->nodes[i].load > most ? overhead->nodes[i].load : most;
		i++;
	}
	overhead->load = is_anew ? most : smooth(overhead->load, most, SMOOTH);
	overhead->part = all > 0 ? most / all : 1;
}

/* Tools. */

static void measure_tool(struct overhead *overhead, size_t i, const struct overhead_source *source, double seconds)
{
	struct measured *measured = &overhead->measured[i];
	struct governor_tool *tool = &overhead->tools[i];
	struct cost now;
	double run_s, hit_s, share, weight = tool->level == GOVERNOR_WINDOWS ? SMOOTH_WINDOWS : SMOOTH;

	if (source->cost(source->data, overhead->is_measured, &now))
		return;
	run_s = (double)(now.run_ns - measured->last.run_ns) / NS_PER_S;
	hit_s = (double)(now.hit_ns - measured->last.hit_ns) / NS_PER_S;
	measured->run_s += run_s;
	measured->hit_s += hit_s;
	measured->last = now;
	share = (run_s + hit_s) / seconds * overhead->part;
	tool->share = measured->is_fresh ? smooth(tool->share, share, weight) : share;
	measured->is_fresh = true;
}

bool overhead_tick(struct overhead *overhead, const struct overhead_source *sources)
{
	uint64_t now = duration_now();
	double seconds = (double)(now - overhead->ticked_ns) * 1e-9;
	bool is_first = !overhead->ticked_ns, is_anew = false;

	if (!is_first && seconds < LEAST_S)
		return false;
	for (size_t i = 0; i < overhead->count; i++) {
		if (!sources[i].cost)
			continue;
		sources[i].each_target(sources[i].data, learn_node, overhead);
		is_anew |= !overhead->measured[i].is_fresh;
	}
	overhead->ticked_ns = now;
	if (is_first)
		return false;
	measure_nodes(overhead, seconds, is_anew);
	for (size_t i = 0; i < overhead->count; i++) {
		if (sources[i].cost)
			measure_tool(overhead, i, &sources[i], seconds);
	}
	return overhead->governor.limit > 0 &&
	       governor_step(&overhead->governor, overhead->tools, overhead->count, overhead->load, seconds);
}

/* Metrics. */

struct telling {
	struct metrics *metrics;
	const char *tool;
};

static void tell(const struct telling *t, const char *name, const char *help, enum metric_kind kind,
		 enum metric_unit unit, double value)
{
	struct metric_family *family = metrics_family(t->metrics, name, help, kind, unit, 1);
	struct metric_label label = { "tool", t->tool };

	if (family)
		metrics_set(t->metrics, family, &label, t->tool ? 1 : 0, value);
}

static void tell_changes(const struct telling *t, const struct measured *measured)
{
	struct metric_family *family = metrics_family(t->metrics, "erlbpf_governor_changes",
						      "How often the governor set the tool to this level.",
						      METRIC_COUNTER, UNIT_NONE, 1);

	for (size_t level = 0; family && level < GOVERNOR_LEVELS; level++) {
		struct metric_label labels[] = { { "tool", t->tool }, { "to", governor_level_name(level) } };

		if (measured->changes[level])
			metrics_set(t->metrics, family, labels, 2, (double)measured->changes[level]);
	}
}

/* The governor sets levels only because of overhead. */
static void tell_level(const struct telling *t, const struct governor_tool *tool)
{
	struct metric_family *family = metrics_family(
		t->metrics, "erlbpf_governor_level",
		"How the tool runs: 3 in full, 2 without process names, 1 in random windows, "
		"0 not at all. The label gives the reason.",
		METRIC_GAUGE, UNIT_NONE, 1);
	struct metric_label labels[] = {
		{ "tool", t->tool },
		{ "why", tool->level == GOVERNOR_FULL ? "" : "overhead" },
	};

	if (family)
		metrics_set(t->metrics, family, labels, 2, tool->level);
}

static void tell_tool(const struct overhead *overhead, size_t i, const struct telling *t)
{
	if (overhead->is_measured)
		tell(t, "erlbpf_bpf_run_seconds", "Run time of the BPF programs of the tool.", METRIC_COUNTER,
		     UNIT_SECONDS, overhead->measured[i].run_s);
	tell(t, "erlbpf_overhead_ratio",
	     "Cost of the tool for the node with the highest cost, as a share of a CPU: programs and probe hits.",
	     METRIC_GAUGE, UNIT_NONE, overhead->tools[i].share);
	if (overhead->governor.limit <= 0)
		return;
	tell_level(t, &overhead->tools[i]);
	tell_changes(t, &overhead->measured[i]);
}

void overhead_tell(const struct overhead *overhead, struct metrics *metrics, const struct overhead_source *sources)
{
	struct telling all = { .metrics = metrics };

	tell(&all, "erlbpf_overhead_is_measured",
	     "1 if the kernel measures the run time of BPF programs, 0 if it is estimated.", METRIC_GAUGE, UNIT_NONE,
	     overhead->is_measured);
	if (overhead->governor.limit > 0)
		tell(&all, "erlbpf_governor_limit_ratio",
		     "Limit for the cost of all tools together for a node, as a share of a CPU.", METRIC_GAUGE,
		     UNIT_NONE, overhead->governor.limit);
	for (size_t i = 0; i < overhead->count; i++)
		if (sources[i].name)
			tell_tool(overhead, i, &(struct telling){ .metrics = metrics, .tool = sources[i].name });
}
