// SPDX-License-Identifier: BSD-2-Clause
/* A sink that adds a tool's results to the metrics. */
#include "serve/agent/agent_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "probe/catalogue.h"

#define MOST_KEYS 4096 /* per reading; few of them get a series */

const struct target *job_target(const struct job *job, int os_id)
{
	for (size_t i = follow_count(job->run.follow); i-- > 0;) {
		const struct attachment *a = follow_get(job->run.follow, i);

		if (a->target->os_id == (uint32_t)os_id)
			return a->target;
	}
	return NULL;
}

/* A node may get its name after it was found; its series have the name from the start. */
void job_settle_names(const struct job *job)
{
	for (size_t i = 0; i < follow_count(job->run.follow); i++) {
		if (!follow_is_over(job->run.follow, i))
			target_settle_node(follow_get(job->run.follow, i)->target);
	}
}

/* The sink. */

static struct job *job_of(struct sink *sink)
{
	return (struct job *)((char *)sink - offsetof(struct run, sink));
}

struct gauge {
	const char *name, *help;
	enum metric_unit unit;
};

static void raise_gauge(struct job *job, const struct gauge *gauge, const struct metric_label *labels, size_t count,
			double value)
{
	struct metric_family *family = metrics_family(job->agent->metrics, gauge->name, gauge->help, METRIC_GAUGE,
						      gauge->unit, 1);

	if (family)
		metrics_raise(job->agent->metrics, family, labels, count, value);
}

/*
 * Messages in mailboxes: the maximum per node, over all names, and values by name, the last being "other". Gauges are
 * cleared before each reading.
 */
static void take_waiting(struct job *job, const struct sink_hist *hist, struct metric_label *labels, size_t count)
{
	static const struct gauge most = { "erlbpf_mailbox_most_waiting_messages",
					   "the most messages that wait for processes of one name", UNIT_NONE };
	static const struct gauge oldest = {
		"erlbpf_mailbox_oldest_waiting_seconds",
		"how long the oldest message in a mailbox of the node has waited, at least", UNIT_SECONDS
	};
	static const struct gauge messages = {
		"erlbpf_mailbox_waiting_messages",
		"messages in mailboxes whose oldest message has waited for 100 ms or more", UNIT_NONE
	};
	static const struct gauge seconds = {
		"erlbpf_mailbox_waiting_seconds",
		"how long the oldest message that waits in a mailbox has waited, at least", UNIT_SECONDS
	};

	raise_gauge(job, &most, labels, count, (double)hist->count);
	raise_gauge(job, &oldest, labels, count, (double)hist->max / NS_PER_S);
	if (job->options.by != TAKES_BY_NAME)
		return;
	labels[count++] = (struct metric_label){ "name", hist->key ? hist->key : "other" };
	raise_gauge(job, &messages, labels, count, (double)hist->count);
	raise_gauge(job, &seconds, labels, count, (double)hist->max / NS_PER_S);
}

/* A metric has one histogram: there, these are values of 0. */
static uint64_t apart_of(const struct sink_hist *hist)
{
	return hist->apart ? hist->apart->count : 0;
}

static void take_hist(struct sink *sink, const struct sink_hist *hist)
{
	uint64_t zeros[HIST_SLOTS] = {};
	struct job *job = job_of(sink);
	struct metric_label labels[METRICS_LABELS];
	const struct target *target = hist->os_id ? job_target(job, hist->os_id) : NULL;
	size_t count = 0;

	if (!job->family || hist->count + apart_of(hist) == 0)
		return;
	if (target)
		count = node_labels_fill(job->agent->view.labels, target, labels);
	if (hist->is_waiting) {
		take_waiting(job, hist, labels, count);
		return;
	}
	if (job->options.by && (job->options.by == TAKES_BY_NAME || job->options.by == job->run.tool->export_by))
		labels[count++] = (struct metric_label){ "name", hist->key && hist->key[0] ? hist->key : "other" };
	if (hist->count)
		metrics_add_hist(job->agent->metrics, job->family, labels, count,
				 &(struct metric_hist){ hist->count, hist->sum, hist->slots });
	if (apart_of(hist)) {
		zeros[0] = apart_of(hist);
		metrics_add_hist(job->agent->metrics, job->family, labels, count,
				 &(struct metric_hist){ zeros[0], 0, zeros });
	}
}

static void metric_name(char name[METRICS_NAME], const char *what, enum metric_unit unit)
{
	static const char *const suffixes[] = {
		[UNIT_NONE] = "", [UNIT_SECONDS] = "_seconds", [UNIT_BYTES] = "_bytes"
	};

	snprintf(name, METRICS_NAME, "erlbpf_%s%s", what, suffixes[unit]);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
}

static void take_cell(struct job *job, const struct column *column, const struct value *value,
		      const struct metric_label *labels, size_t count)
{
	enum metric_unit unit = column->type == COLUMN_DURATION			 ? UNIT_SECONDS
				: column->unit && !strcmp(column->unit, "bytes") ? UNIT_BYTES
										 : UNIT_NONE;
	struct metric_family *family;
	char name[METRICS_NAME];

	metric_name(name, column->metric, unit);
	family = metrics_family(job->agent->metrics, name, job->run.tool->summary, METRIC_COUNTER, unit, 1);
	if (family && !value->is_null)
		metrics_add(job->agent->metrics, family, labels, count,
			    (double)value->number / (unit == UNIT_SECONDS ? 1e9 : 1));
}

/* The first column is the key ("peer"). The column "node" identifies the node by pid, because names are not unique. */
static const struct target *row_target(const struct job *job, const struct value *cells)
{
	const struct sink_setup *setup = &job->run.sink.setup;

	for (size_t c = 1; c < setup->column_count; c++) {
		if (!strcmp(setup->columns[c].name, "node"))
			return cells[c].os_id ? job_target(job, cells[c].os_id) : NULL;
	}
	return NULL;
}

static bool has_metrics(const struct sink_setup *setup)
{
	for (size_t c = 1; c < setup->column_count; c++) {
		if (setup->columns[c].metric)
			return setup->columns[0].type == COLUMN_TEXT;
	}
	return false;
}

/* Only columns with a metric name become metrics. */
static void take_table(struct sink *sink, const struct sink_table *table)
{
	struct job *job = job_of(sink);
	const struct sink_setup *setup = &job->run.sink.setup;

	for (size_t row = 0; has_metrics(setup) && row < table->rows; row++) {
		const struct value *cells = &table->cells[row * setup->column_count];
		const struct target *target = row_target(job, cells);
		struct metric_label labels[METRICS_LABELS];
		size_t count = 0;

		if (target)
			count = node_labels_fill(job->agent->view.labels, target, labels);
		if (!target || job->options.by != TAKES_BY_NODE)
			labels[count++] = (struct metric_label){ setup->columns[0].name,
								 cells[0].text ? cells[0].text : "" };
		for (size_t c = 1; c < setup->column_count; c++) {
			if (setup->columns[c].metric)
				take_cell(job, &setup->columns[c], &cells[c], labels, count);
		}
	}
}

/* Events do not become metrics; probe hits count them. */

static void take_event(struct sink *sink, const struct sink_event *event)
{
	(void)sink;
	(void)event;
}

static void take_summary(struct sink *sink, const struct sink_summary *summary)
{
	(void)sink;
	(void)summary;
}

static void take_interval(struct sink *sink, uint64_t time_ns)
{
	(void)sink;
	(void)time_ns;
}

static const struct sink_ops metric_sink = {
	.interval = take_interval,
	.event = take_event,
	.hist = take_hist,
	.table = take_table,
	.summary = take_summary,
};

/* Jobs. */

static bool any_is_metric(const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (columns[i].metric)
			return true;
	}
	return false;
}

bool agent_exports(const struct tool *tool)
{
	bool is_any = tool->hist || any_is_metric(tool->columns.list, tool->columns.count);

	for (const struct tool_other_columns *other = tool->other_columns; other && other->of; other++)
		is_any |= any_is_metric(other->list, other->count);
	/* Tools with events export probe hits, if the probes are few. */
	is_any |= (tool->event || tool->columns.fields) && !(tool->takes & TAKES_GLOB);
	return is_any && !tool->view && !(tool->takes & TAKES_VM_FUNCTIONS);
}

/* The metric is named after the tool, or after what it measures, plus the base unit. */
static struct metric_family *family_of(struct agent *agent, const struct tool *tool)
{
	const struct tool_histogram *hist = tool->hist;
	bool is_time = hist && !strcmp(hist->unit, "ns");
	bool is_words = hist && !strcmp(hist->unit, "words");
	char name[METRICS_NAME];

	if (!hist)
		return NULL;
	metric_name(name, hist->metric ? hist->metric : tool->name, is_time ? UNIT_SECONDS : UNIT_BYTES);
	return metrics_family(agent->metrics, name, hist->title, METRIC_HISTOGRAM, is_time ? UNIT_SECONDS : UNIT_BYTES,
			      is_time	 ? 1e-9
			      : is_words ? sizeof(void *)
					 : 1);
}

/* Groups by peer, which are few; the number of names is bounded in histograms only. */
static enum option_set by_of(const struct tool *tool)
{
	if (tool->export_by)
		return tool->export_by;
	if (tool->takes & TAKES_BY_PEER)
		return TAKES_BY_PEER;
	if (tool->takes & TAKES_BY_NAME && tool->hist)
		return TAKES_BY_NAME;
	return tool->takes & TAKES_BY_NODE ? TAKES_BY_NODE : tool->takes & TAKES_BY_NAME ? TAKES_BY_NAME : 0;
}

/* Names can be dropped if results can be grouped by node. */
bool job_has_detail(const struct tool *tool)
{
	return by_of(tool) == TAKES_BY_NAME && tool->takes & TAKES_BY_NODE;
}

static bool any_is_on(const struct agent *agent)
{
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (agent->jobs[i].is_on)
			return true;
	}
	return false;
}

int job_start(struct job *job, struct agent *agent, const struct tool *tool, enum governor_level level)
{
	int err;

	job->agent = agent;
	job->options = agent->options->run;
	job->options.wait_for_name = true;
	job->options.is_beside = any_is_on(agent);
	job->options.glob = "*";
	job->options.by = level == GOVERNOR_PLAIN ? TAKES_BY_NODE : by_of(tool);
	job->run.kernel = agent->kernel;
	job->run.sink.ops = &metric_sink;
	job->run.sink.setup = (struct sink_setup){
		.tool = tool->name,
		.columns = tool->columns.list,
		.column_count = tool->columns.count,
	};
	job->run.ring_bytes = RUN_FEW_RECORDS;
	job->run.most_keys = MOST_KEYS;
	job->reported = calloc(probe_count(), sizeof(*job->reported));
	job->family = family_of(agent, tool);
	err = job->reported ? run_open(&job->run, tool, &job->options) : -ENOMEM;
	if (!err)
		err = run_load(&job->run);
	job->is_on = !err;
	return err;
}

void job_run_in_windows(struct job *job, double share)
{
	const struct pace_setup setup = {
		.mode = PACE_SAMPLE,
		.budget = share,
		.starts_away = true,
		.lets_end = run_has_lengths(&job->run),
		.world = pace_world_of(job->run.loader, job->run.follow),
	};

	job->is_in_windows = true;
	job->run.live_ns = duration_now();
	pace_begin(&job->run.pace, &setup);
}

void job_end(struct job *job)
{
	run_close(&job->run);
	free(job->reported);
	*job = (struct job){};
}

static void add_hits(struct job *job, uint32_t probe, struct metric_family *hits, struct metric_family *lost)
{
	const struct erl_count *now = &job->run.now[probe];
	struct erl_count *reported = &job->reported[probe];
	char name[PROBE_NAME_SIZE];
	struct metric_label labels[] = {
		{ "tool", job->run.tool->name },
		{ "probe", probe_name(probe, name) },
	};

	if (now->events == reported->events && now->lost == reported->lost)
		return;
	metrics_add(job->agent->metrics, hits, labels, 2, (double)(now->events - reported->events));
	metrics_add(job->agent->metrics, lost, labels, 2, (double)(now->lost - reported->lost));
	*reported = *now;
}

/* For how long the tool watched a node in what was read now: rate(seen) / rate(watched) is the true rate. */
static double watched_s(const struct job *job, const struct attachment *a)
{
	const struct run *run = &job->run;
	uint64_t from_ns = run->turn_from_ns > a->attached_ns ? run->turn_from_ns : a->attached_ns;

	if (job->is_in_windows)
		return run->window.watched_s;
	return run->turn_to_ns > from_ns ? (double)(run->turn_to_ns - from_ns) / NS_PER_S : 0;
}

static void add_watched(struct job *job)
{
	struct agent *agent = job->agent;
	struct metric_family *family = metrics_family(agent->metrics, "erlbpf_watched_seconds",
						      "For how long the tool counted what the node does.",
						      METRIC_COUNTER, UNIT_SECONDS, 1);
	struct metric_label labels[METRICS_LABELS];

	for (size_t i = 0; family && i < follow_count(job->run.follow); i++) {
		const struct attachment *a = follow_get(job->run.follow, i);
		size_t count;

		if (follow_is_over(job->run.follow, i) || !a->site_count)
			continue;
		count = node_labels_fill(agent->view.labels, a->target, labels);
		labels[count++] = (struct metric_label){ "tool", job->run.tool->name };
		metrics_add(agent->metrics, family, labels, count, watched_s(job, a));
	}
}

void job_read(struct job *job, struct metric_family *hits, struct metric_family *lost)
{
	if (!job->is_on)
		return;
	job_settle_names(job);
	if (run_take(&job->run))
		return;
	add_watched(job);
	run_consume(&job->run, 0);
	for (uint32_t probe = 0; probe < probe_count(); probe++)
		add_hits(job, probe, hits, lost);
}
