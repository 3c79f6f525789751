// SPDX-License-Identifier: BSD-2-Clause
/*
 * One loop, no threads: HTTP requests, signals, targets that come and go. A tool at work (run/work.h) counts in the
 * kernel; a scrape reads what was counted since the last one, by way of a sink that adds it to the metrics.
 */
#include "serve/agent.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "probe/catalogue.h"
#include "run/work.h"
#include "serve/http.h"
#include "serve/metrics.h"
#include "serve/native.h"
#include "serve/notify.h"
#include "serve/overhead.h"
#include "serve/page.h"
#include "serve/pod.h"
#include "serve/privileges.h"
#include "serve/prometheus.h"
#include "version.h"

#define FRESH_NS (3 * NS_PER_S)	/* what was read so lately is not read again for another scrape */
#define WATCHED_NS (150 * NS_PER_S)	/* after a scrape, the next is waited for: twice what is usual at most */
#define UNWATCHED_NS (10 * NS_PER_S)	/* how often is read if nobody scrapes */
#define KEEP_NS (3600 * NS_PER_S)	/* what is not heard of for so long is forgotten */
#define RING_BYTES (64 << 10)	/* a tool that counts has few records; its pages are memory of ours */
#define SCAN_S 1
#define MOST_PODS 512
#define ASK_AGAIN_NS (2 * NS_PER_S)	/* for names that the kubelet has not written yet */
#define MOST_ASKED 24

enum happening { ON_SIGNAL, ON_HTTP, ON_TIME, ON_END };

/* A tool at work, and where its results go. The run is first: its sink leads back here. */
struct job {
	struct run run;
	struct options options;
	struct agent *agent;
	struct metric_family *family;	/* NULL: it has no histogram */
	struct erl_count *told;		/* hits by probe that are in the metrics already */
	bool is_on;
	int code;			/* enum exit_code of the last search for targets */
};

/* A process whose labels are known. */
struct labelled {
	pid_t pid;
	uint64_t start_time;
	struct pod pod;
	uint64_t asked_ns;
	unsigned int asked;
};

enum format { TEXT, OPENMETRICS, NATIVE, FORMATS };

/* What was answered last; as long as nothing else was read, it is the answer to others too. */
struct answer {
	struct http_body *body;
	uint64_t version;
};

struct agent {
	const struct agent_options *options;
	struct metrics *metrics;
	struct http *http;
	struct job *jobs;
	struct kernel kernel;
	struct overhead *overhead;
	struct labelled pods[MOST_PODS];
	size_t pod_count;
	struct answer answers[FORMATS];
	uint64_t version;		/* of the metrics: each reading makes another */
	uint64_t read_ns, started_ns, scrapes, scraped_ns;
	double read_s;			/* what the last reading took */
	int epoll;
	bool is_turned;			/* what was counted before is to be read */
	bool is_in_turns;		/* it is being read, and requests are answered between tools */
	struct notify notify;
	bool is_stopping;
	bool is_ready;
};

/* Labels. */

static void ask_for_pod(const struct agent *agent, struct labelled *labelled)
{
	labelled->asked_ns = duration_now();
	labelled->asked++;
	pod_find(labelled->pid, "", agent->options->pod_logs, &labelled->pod);
}

static struct labelled *label_new(struct agent *agent, const struct target *target)
{
	struct labelled *labelled;

	if (agent->pod_count == MOST_PODS)
		agent->pod_count = 0;
	labelled = &agent->pods[agent->pod_count++];
	*labelled = (struct labelled){ .pid = target->pid, .start_time = target->start_time };
	ask_for_pod(agent, labelled);
	return labelled;
}

static const struct pod *pod_of(struct agent *agent, const struct target *target)
{
	struct labelled *found = NULL;

	for (size_t i = 0; !found && i < agent->pod_count; i++) {
		if (agent->pods[i].pid == target->pid && agent->pods[i].start_time == target->start_time)
			found = &agent->pods[i];
	}
	if (!found)
		return &label_new(agent, target)->pod;
	/* Of one that has ended, what was known stays. */
	if (pod_is_partial(&found->pod) && found->asked < MOST_ASKED &&
	    duration_now() - found->asked_ns > ASK_AGAIN_NS && target_is_alive(target))
		ask_for_pod(agent, found);
	return &found->pod;
}

static const struct target *target_of(const struct job *job, int os_pid)
{
	for (size_t i = follow_count(job->run.follow); i-- > 0;) {
		const struct attachment *a = follow_get(job->run.follow, i);

		if (a->target->pid == os_pid)
			return a->target;
	}
	return NULL;
}

/* A node is found before it is distributed; series are to have its name from the first one on. */
static void settle_names(const struct job *job)
{
	for (size_t i = 0; i < follow_count(job->run.follow); i++) {
		if (!follow_is_over(job->run.follow, i))
			target_settle_node(follow_get(job->run.follow, i)->target);
	}
}

#define TARGET_LABELS 5

/* node, otp, namespace, pod, container: of a process; `otp` of 16 bytes. Returns how many. */
static size_t target_labels(struct agent *agent, const struct target *target, char *otp, struct metric_label *labels)
{
	const struct pod *pod = pod_of(agent, target);

	snprintf(otp, 16, "%d", target->vm->otp);
	labels[0] = (struct metric_label){ "node", target->node };
	labels[1] = (struct metric_label){ "otp", otp };
	labels[2] = (struct metric_label){ "namespace", pod->namespace };
	labels[3] = (struct metric_label){ "pod", pod->name };
	labels[4] = (struct metric_label){ "container", pod->container };
	return TARGET_LABELS;
}

/* The sink. */

static struct job *job_of(struct sink *sink)
{
	return (struct job *)((char *)sink - offsetof(struct run, sink));
}

static void take_hist(struct sink *sink, const struct sink_hist *hist)
{
	struct job *job = job_of(sink);
	struct metric_label labels[METRICS_LABELS];
	const struct target *target = hist->os_pid ? target_of(job, hist->os_pid) : NULL;
	size_t count = 0;
	char otp[16];

	if (!job->family || !hist->count)
		return;
	if (target)
		count = target_labels(job->agent, target, otp, labels);
	if (job->options.by == TAKES_BY_NAME)
		labels[count++] = (struct metric_label){ "name", hist->key && hist->key[0] ? hist->key : "other" };
	metrics_add_hist(job->agent->metrics, job->family, labels, count, hist->count, hist->sum, hist->slots);
}

static void metric_name(char name[METRICS_NAME], const char *what, enum metric_unit unit)
{
	static const char *const suffixes[] = { [UNIT_NONE] = "", [UNIT_SECONDS] = "_seconds", [UNIT_BYTES] = "_bytes" };

	snprintf(name, METRICS_NAME, "erlbpf_%s%s", what, suffixes[unit]);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
}

static void take_cell(struct job *job, const struct column *column, const struct value *value,
		      const struct metric_label *labels, size_t count)
{
	enum metric_unit unit = column->type == COLUMN_DURATION ? UNIT_SECONDS
			      : column->unit && !strcmp(column->unit, "bytes") ? UNIT_BYTES : UNIT_NONE;
	struct metric_family *family;
	char name[METRICS_NAME];

	metric_name(name, column->metric, unit);
	family = metrics_family(job->agent->metrics, name, job->run.tool->summary, METRIC_COUNTER, unit, 1);
	if (family && !value->is_null)
		metrics_add(job->agent->metrics, family, labels, count,
			    (double)value->number * (unit == UNIT_SECONDS ? 1e-9 : 1));
}

/* The first column is what is counted by, "peer"; the one called "node" is whose it is. */
static const struct target *row_target(const struct job *job, const struct value *cells)
{
	const struct sink_setup *setup = &job->run.sink.setup;

	for (size_t c = 1; c < setup->column_count; c++) {
		const char *node = strcmp(setup->columns[c].name, "node") ? NULL : cells[c].text;

		for (size_t i = follow_count(job->run.follow); node && i-- > 0;) {
			const struct target *target = follow_get(job->run.follow, i)->target;

			if (!strcmp(target->node, node))
				return target;
		}
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

/* Tables are for people, but for columns of which the tool says that they are metrics. */
static void take_table(struct sink *sink, const struct sink_table *table)
{
	struct job *job = job_of(sink);
	const struct sink_setup *setup = &job->run.sink.setup;

	for (size_t row = 0; has_metrics(setup) && row < table->rows; row++) {
		const struct value *cells = &table->cells[row * setup->column_count];
		const struct target *target = row_target(job, cells);
		struct metric_label labels[METRICS_LABELS];
		size_t count = 0;
		char otp[16];

		if (target)
			count = target_labels(job->agent, target, otp, labels);
		if (!target || job->options.by != TAKES_BY_NODE)
			labels[count++] = (struct metric_label){ setup->columns[0].name,
								 cells[0].text ? cells[0].text : "" };
		for (size_t c = 1; c < setup->column_count; c++) {
			if (setup->columns[c].metric)
				take_cell(job, &setup->columns[c], &cells[c], labels, count);
		}
	}
}

/* Events are for people; that they were is in the hits of probes. */

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
	.interval = take_interval, .event = take_event, .hist = take_hist, .table = take_table,
	.summary = take_summary,
};

/* Jobs. */

/* The metric's name: the tool's, or what it measures if the tool says so; and the base unit. */
static struct metric_family *family_of(struct agent *agent, const struct tool *tool)
{
	bool is_time = tool->hist_unit && !strcmp(tool->hist_unit, "ns");
	bool is_words = tool->hist_unit && !strcmp(tool->hist_unit, "words");
	char name[METRICS_NAME];

	if (!tool->hist_title)
		return NULL;
	metric_name(name, tool->metric ? tool->metric : tool->name, is_time ? UNIT_SECONDS : UNIT_BYTES);
	return metrics_family(agent->metrics, name, tool->hist_title, METRIC_HISTOGRAM,
			      is_time ? UNIT_SECONDS : UNIT_BYTES, is_time ? 1e-9 : is_words ? sizeof(void *) : 1);
}

/* Who is held up by a peer is told by peer, which are few; names are bounded in histograms only. */
static enum option_set by_of(const struct tool *tool)
{
	if (tool->takes & TAKES_BY_PEER)
		return TAKES_BY_PEER;
	if (tool->takes & TAKES_BY_NAME && tool->hist_title)
		return TAKES_BY_NAME;
	return tool->takes & TAKES_BY_NODE ? TAKES_BY_NODE : tool->takes & TAKES_BY_NAME ? TAKES_BY_NAME : 0;
}

/* Names are left out where the node can still be told. */
static bool has_detail(const struct tool *tool)
{
	return by_of(tool) == TAKES_BY_NAME && tool->takes & TAKES_BY_NODE;
}

static int job_start(struct job *job, struct agent *agent, const struct tool *tool, enum governor_level level)
{
	int err;

	job->agent = agent;
	job->options = agent->options->run;
	job->options.wait_for_name = true;
	job->options.glob = tool->glob ? tool->glob : "*";
	job->options.by = level == GOVERNOR_PLAIN ? TAKES_BY_NODE : by_of(tool);
	job->run.kernel = agent->kernel;
	job->run.sink.ops = &metric_sink;
	job->run.sink.setup = (struct sink_setup){
		.tool = tool->name, .columns = tool->columns, .column_count = tool->column_count,
	};
	job->run.ring_bytes = RING_BYTES;
	job->told = calloc(probe_count(), sizeof(*job->told));
	job->family = family_of(agent, tool);
	err = job->told ? run_open(&job->run, tool, &job->options) : -ENOMEM;
	if (!err)
		err = run_load(&job->run);
	job->is_on = !err;
	return err;
}

static void job_end(struct job *job)
{
	run_close(&job->run);
	free(job->told);
	*job = (struct job){};
}

static void tell_hits(struct job *job, uint32_t probe, struct metric_family *hits, struct metric_family *lost)
{
	const struct erl_count *now = &job->run.now[probe];
	struct erl_count *told = &job->told[probe];
	char name[PROBE_NAME_SIZE];
	struct metric_label labels[] = {
		{ "tool", job->run.tool->name }, { "probe", probe_name(probe, name) },
	};

	if (now->events == told->events && now->lost == told->lost)
		return;
	metrics_add(job->agent->metrics, hits, labels, 2, (double)(now->events - told->events));
	metrics_add(job->agent->metrics, lost, labels, 2, (double)(now->lost - told->lost));
	*told = *now;
}

static void job_read(struct job *job, struct metric_family *hits, struct metric_family *lost)
{
	if (!job->is_on)
		return;
	settle_names(job);
	if (run_take(&job->run))
		return;
	run_consume(&job->run, 0);
	for (uint32_t probe = 0; probe < probe_count(); probe++)
		tell_hits(job, probe, hits, lost);
}

/* The agent's own health. */

static void set(struct agent *agent, const char *name, const char *help, enum metric_kind kind,
		enum metric_unit unit, double value)
{
	struct metric_family *family = metrics_family(agent->metrics, name, help, kind, unit, 1);

	if (family)
		metrics_set(agent->metrics, family, NULL, 0, value);
}

static uint64_t resident_bytes(void)
{
	unsigned long pages = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file && fscanf(file, "%lu %lu", &pages, &resident) != 2)
		resident = 0;
	if (file)
		fclose(file);
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void tell_targets(struct agent *agent, const struct job *job)
{
	struct metric_family *up = metrics_family(agent->metrics, "erlbpf_target_up",
		"a node that a tool traces: 1, or 0 if it has none of the tool's probes", METRIC_GAUGE, UNIT_NONE, 1);
	struct metric_label labels[METRICS_LABELS];
	char otp[16];

	for (size_t i = 0; up && i < follow_count(job->run.follow); i++) {
		const struct attachment *a = follow_get(job->run.follow, i);
		size_t count;

		if (follow_is_over(job->run.follow, i) && !target_is_alive(a->target))
			continue;
		count = target_labels(agent, a->target, otp, labels);
		labels[count++] = (struct metric_label){ "tool", job->run.tool->name };
		labels[count++] = (struct metric_label){ "source", attachment_source(a) };
		metrics_set(agent->metrics, up, labels, count, a->site_count > 0);
	}
}

static void tell_info(struct agent *agent)
{
	struct metric_family *info = metrics_family(agent->metrics, "erlbpf_build_info", "1; the version is a label",
						    METRIC_GAUGE, UNIT_NONE, 1);
	struct metric_label label = { "version", ERLBPF_VERSION };

	if (info)
		metrics_set(agent->metrics, info, &label, 1, 1);
}

static void tell_dropped(struct agent *agent)
{
	struct metric_family *dropped = metrics_family(agent->metrics, "erlbpf_names_without_series",
		"names of processes that were counted as other at the last reading, since there were too many", METRIC_GAUGE,
		UNIT_NONE, 1);

	for (size_t i = 0; dropped && i < metrics_count(agent->metrics); i++) {
		const struct metric_family *family = metrics_get(agent->metrics, i);
		struct metric_label label = { "metric", family->name };

		if (family->kind == METRIC_HISTOGRAM)
			metrics_set(agent->metrics, dropped, &label, 1, (double)family->dropped);
	}
}

static void tell_rings(struct agent *agent)
{
	struct metric_family *family = metrics_family(agent->metrics, "erlbpf_ring_used_ratio",
		"part of the ring buffer that holds records not yet read", METRIC_GAUGE, UNIT_NONE, 1);

	for (size_t i = 0; family && i < agent->options->tool_count; i++) {
		struct metric_label label = { "tool", agent->options->tools[i]->name };

		if (agent->jobs[i].is_on && agent->jobs[i].run.ring)
			metrics_set(agent->metrics, family, &label, 1, cost_ring_use(&agent->jobs[i].run));
	}
}

/* Does an earlier tool trace this process by the same source? Then it is counted already. */
static bool is_counted(const struct agent *agent, size_t before, const struct attachment *a)
{
	for (size_t j = 0; j < before; j++) {
		const struct job *job = &agent->jobs[j];

		for (size_t i = 0; job->is_on && i < follow_count(job->run.follow); i++) {
			const struct attachment *other = follow_get(job->run.follow, i);

			if (other->target->pid == a->target->pid && !follow_is_over(job->run.follow, i) &&
			    !strcmp(attachment_source(other), attachment_source(a)))
				return true;
		}
	}
	return false;
}

static void tell_sources(struct agent *agent)
{
	static const char *const sources[] = { "usdt", "symbol", "usdt+symbol", "none" };
	struct metric_family *family = metrics_family(agent->metrics, "erlbpf_targets",
		"nodes that are traced, by where their probes come from", METRIC_GAUGE, UNIT_NONE, 1);
	unsigned int counts[4] = {};

	for (size_t j = 0; j < agent->options->tool_count; j++) {
		const struct job *job = &agent->jobs[j];

		for (size_t i = 0; job->is_on && i < follow_count(job->run.follow); i++) {
			const struct attachment *a = follow_get(job->run.follow, i);

			for (size_t s = 0; !follow_is_over(job->run.follow, i) && s < 4; s++)
				counts[s] += !strcmp(attachment_source(a), sources[s]) && !is_counted(agent, j, a);
		}
	}
	for (size_t s = 0; family && s < 4; s++) {
		struct metric_label label = { "source", sources[s] };

		metrics_set(agent->metrics, family, &label, 1, counts[s]);
	}
}

static void tell_health(struct agent *agent)
{
	struct rusage usage;

	metrics_clear_gauges(agent->metrics);
	tell_info(agent);
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (agent->jobs[i].is_on)
			tell_targets(agent, &agent->jobs[i]);
	}
	tell_rings(agent);
	tell_sources(agent);
	tell_dropped(agent);
	overhead_tell(agent->overhead, agent->metrics, agent->options->tools);
	set(agent, "erlbpf_agent_resident_memory_bytes", "memory of the agent", METRIC_GAUGE, UNIT_BYTES, (double)resident_bytes());
	getrusage(RUSAGE_SELF, &usage);
	set(agent, "erlbpf_agent_cpu_seconds", "processor time of the agent since it started", METRIC_COUNTER, UNIT_SECONDS,
	    (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6);
	set(agent, "erlbpf_agent_read_seconds", "time that the last reading of all results took", METRIC_GAUGE, UNIT_SECONDS,
	    agent->read_s);
	set(agent, "erlbpf_agent_last_read_timestamp_seconds", "when results were read last", METRIC_GAUGE, UNIT_SECONDS,
	    (double)(agent->read_ns + duration_wall_offset()) * 1e-9);
}

/*
 * Reading takes two steps: all tools turn to their other maps; when no program can be in the old ones any more, these
 * are read. Waiting for that in the kernel takes 15 ms or more, in which nobody is answered. So as long as somebody
 * scrapes, each second's tick reads what the last one turned, and who asks is given what is there: it is one to two
 * seconds old. If nobody does, only what must not overflow is read, now and then.
 */
static void turn_all(struct agent *agent)
{
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (agent->jobs[i].is_on)
			run_turn(&agent->jobs[i].run);
	}
	agent->is_turned = true;
}

static void take_all(struct agent *agent)
{
	struct metric_family *hits = metrics_family(agent->metrics, "erlbpf_probe_hits", "hits of probes",
						    METRIC_COUNTER, UNIT_NONE, 1);
	struct metric_family *lost = metrics_family(agent->metrics, "erlbpf_probe_lost",
						    "hits of probes that could not be counted", METRIC_COUNTER,
						    UNIT_NONE, 1);
	uint64_t start = duration_now();

	metrics_begin(agent->metrics, start);
	for (size_t i = 0; hits && lost && i < agent->options->tool_count; i++) {
		job_read(&agent->jobs[i], hits, lost);
		/* Who asks meanwhile does not wait for all. */
		if (agent->is_in_turns)
			http_run(agent->http);
	}
	agent->is_turned = false;
	agent->read_ns = duration_now();
	agent->read_s = (double)(agent->read_ns - start) * 1e-9;
	metrics_expire(agent->metrics, agent->read_ns > KEEP_NS ? agent->read_ns - KEEP_NS : 0);
	tell_health(agent);
	agent->version++;
}

/* All that was counted up to now is in the metrics. */
static void read_now(struct agent *agent)
{
	if (agent->is_turned) {
		kernel_quiesce();
		take_all(agent);
	}
	turn_all(agent);
	kernel_quiesce();
	take_all(agent);
}

static void read_by_tick(struct agent *agent)
{
	uint64_t now = duration_now();
	bool is_watched = agent->scrapes && now - agent->scraped_ns < WATCHED_NS;

	if (!is_watched && now - agent->read_ns < UNWATCHED_NS)
		return;
	if (agent->is_turned) {
		agent->is_in_turns = true;
		take_all(agent);
		agent->is_in_turns = false;
	}
	turn_all(agent);
}

/* Answers. */

static void answer_text(struct http_reply *reply, unsigned int status, const char *text)
{
	reply->status = status;
	reply->type = "text/plain; charset=utf-8";
	reply->body = (char *)text;
	reply->size = strlen(text);
	reply->is_constant = true;
}

/* Nobody comes for an answer that is older than the next reading. */
static void forget_answers(struct agent *agent)
{
	for (int i = 0; i < FORMATS; i++) {
		http_body_free(agent->http, agent->answers[i].body);
		agent->answers[i].body = NULL;
	}
}

static const char *const types[FORMATS] = { [TEXT] = PROMETHEUS_TEXT, [OPENMETRICS] = PROMETHEUS_OPENMETRICS,
					    [NATIVE] = NATIVE_TYPE };

static struct http_body *render(struct agent *agent, enum format format)
{
	size_t size = 0;
	char *text = format == NATIVE ? native_render(agent->metrics, &size)
				      : prometheus_render(agent->metrics, format == OPENMETRICS, &size);

	return text ? http_body_new(agent->http, types[format], text, size) : NULL;
}

/* Who asks for native histograms at all wants them most, and says what else would do behind that. */
static enum format format_of(const char *accept)
{
	if (strstr(accept, "application/vnd.google.protobuf") && strstr(accept, "io.prometheus.client.MetricFamily") &&
	    strstr(accept, "delimited"))
		return NATIVE;
	return strstr(accept, "application/openmetrics-text") ? OPENMETRICS : TEXT;
}

static void answer_metrics(struct agent *agent, const struct http_request *request, struct http_reply *reply)
{
	enum format format = format_of(request->accept);
	struct answer *last = &agent->answers[format];
	struct http_body *body;

	if (duration_now() - agent->read_ns > FRESH_NS && !agent->is_in_turns)
		read_now(agent);
	agent->scrapes++;
	agent->scraped_ns = duration_now();
	/* While others have not fetched theirs, an old answer is better than none. */
	body = !last->body || (last->version != agent->version && http_has_room(agent->http)) ? render(agent, format)
											      : NULL;
	if (body) {
		http_body_free(agent->http, last->body);
		*last = (struct answer){ .body = body, .version = agent->version };
	}
	reply->shared = last->body;
	if (!reply->shared)
		answer_text(reply, 503, "no memory\n");
}

static json_object *target_json(struct agent *agent, const struct job *job, const struct attachment *a, bool is_over)
{
	const struct pod *pod = pod_of(agent, a->target);
	json_object *object = json_object_new_object(), *missing = json_object_new_array();
	char name[2 * PROBE_NAME_SIZE];

	json_object_object_add(object, "tool", json_object_new_string(job->run.tool->name));
	json_object_object_add(object, "os_pid", json_object_new_int(a->target->pid));
	json_object_object_add(object, "node", json_object_new_string(a->target->node));
	json_object_object_add(object, "otp", json_object_new_int(a->target->vm->otp));
	json_object_object_add(object, "source", json_object_new_string(attachment_source(a)));
	json_object_object_add(object, "sites", json_object_new_uint64(a->site_count));
	json_object_object_add(object, "alive", json_object_new_boolean(!is_over));
	json_object_object_add(object, "namespace", json_object_new_string(pod->namespace));
	json_object_object_add(object, "pod", json_object_new_string(pod->name));
	json_object_object_add(object, "container", json_object_new_string(pod->container));
	if (pod->is_denied)
		json_object_object_add(object, "problem", json_object_new_string(
			"its environment may not be read, so its pod's name is not known: the capability "
			"DAC_READ_SEARCH is missing"));
	for (size_t i = 0; i < a->missing_count; i++) {
		json_object *one = json_object_new_object();

		json_object_object_add(one, "probe", json_object_new_string(
			probe_range_name(a->missing[i].probe, a->missing[i].last, name)));
		json_object_object_add(one, "why", json_object_new_string(a->missing[i].why));
		json_object_array_add(missing, one);
	}
	json_object_object_add(object, "missing", missing);
	return object;
}

static void answer_targets(struct agent *agent, struct http_reply *reply)
{
	json_object *targets = json_object_new_array();
	const char *text;

	for (size_t j = 0; j < agent->options->tool_count; j++) {
		const struct job *job = &agent->jobs[j];

		for (size_t i = 0; job->is_on && i < follow_count(job->run.follow); i++)
			json_object_array_add(targets, target_json(agent, job, follow_get(job->run.follow, i),
								   follow_is_over(job->run.follow, i)));
	}
	text = json_object_to_json_string_length(targets, JSON_C_TO_STRING_PLAIN, &reply->size);
	reply->body = text ? strdup(text) : NULL;
	reply->type = "application/json";
	reply->status = reply->body ? 200 : 500;
	json_object_put(targets);
}

static void answer_page(struct http_reply *reply)
{
	reply->type = "text/html; charset=utf-8";
	reply->policy = PAGE_POLICY;
	reply->body = (char *)page;
	reply->size = page_size;
	reply->is_constant = true;
}

static void on_get(void *data, const struct http_request *request, struct http_reply *reply)
{
	struct agent *agent = data;

	if (!strcmp(request->path, "/"))
		answer_page(reply);
	else if (!strcmp(request->path, "/metrics"))
		answer_metrics(agent, request, reply);
	else if (!strcmp(request->path, "/targets"))
		answer_targets(agent, reply);
	else if (!strcmp(request->path, "/-/healthy"))
		answer_text(reply, 200, "healthy\n");
	else if (!strcmp(request->path, "/-/ready"))
		answer_text(reply, agent->is_ready ? 200 : 503, agent->is_ready ? "ready\n" : "not ready\n");
	else
		answer_text(reply, 404, "there is /, /metrics, /targets, /-/healthy and /-/ready\n");
}

/* The loop. */

static int add_fd(const struct agent *agent, int fd, enum happening what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = (uint64_t)fd << 32 | (uint32_t)what };

	return fd < 0 || epoll_ctl(agent->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int add_signals(const struct agent *agent)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return add_fd(agent, signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), ON_SIGNAL);
}

static int add_timer(const struct agent *agent)
{
	struct itimerspec every = { .it_value = { SCAN_S, 0 }, .it_interval = { SCAN_S, 0 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &every, NULL))
		return -errno;
	return add_fd(agent, fd, ON_TIME);
}

/* Jobs that come and go. */

static int start_one(struct agent *agent, size_t i, enum governor_level level)
{
	int err = job_start(&agent->jobs[i], agent, agent->options->tools[i], level);

	if (!err)
		err = add_fd(agent, follow_fd(agent->jobs[i].run.follow), ON_END);
	if (err)
		pr_err("cannot start %s: %s", agent->options->tools[i]->name, strerror(-err));
	return err;
}

static int start_jobs(struct agent *agent)
{
	int err = 0;

	for (size_t i = 0; !err && i < agent->options->tool_count; i++) {
		overhead_tool_start(agent->overhead, i, has_detail(agent->options->tools[i]));
		err = start_one(agent, i, GOVERNOR_FULL);
	}
	return err;
}

static void scan_job(struct job *job)
{
	/* What numbers its targets keeps them all. */
	if (!job->run.tool->sort)
		follow_forget(job->run.follow);
	job->code = follow_scan(job->run.follow);
	settle_names(job);
}

/* What it has counted is in the metrics; what it was measuring is forgotten, since its ends would be missed. */
static void change_job(struct agent *agent, size_t i, enum governor_level level)
{
	struct job *job = &agent->jobs[i];

	job_end(job);
	if (level != GOVERNOR_OFF && start_one(agent, i, level)) {
		job_end(job);
		level = GOVERNOR_OFF;
	}
	if (job->is_on)
		scan_job(job);
	overhead_set_level(agent->overhead, i, level);
}

static void tell_change(const struct agent *agent, size_t i)
{
	static const char *const words[] = { "is off", "runs without names", "runs in full" };
	enum governor_level level = overhead_level(agent->overhead, i), wanted = overhead_wanted(agent->overhead, i);
	const char *name = agent->options->tools[i]->name;

	if (wanted < level)
		pr_warn("%s %s: tools cost a node %.1f%% of a processor, and the limit is %.1f%%", name, words[wanted],
			overhead_sum(agent->overhead) * 100, agent->options->max_overhead * 100);
	else
		pr_info("%s %s again: there is room below the limit of %.1f%%", name, words[wanted],
			agent->options->max_overhead * 100);
}

static bool wants_change(const struct agent *agent, size_t i)
{
	return overhead_wanted(agent->overhead, i) != overhead_level(agent->overhead, i);
}

static void govern(struct agent *agent)
{
	struct run *runs[AGENT_MOST_TOOLS];

	for (size_t i = 0; i < agent->options->tool_count; i++)
		runs[i] = agent->jobs[i].is_on ? &agent->jobs[i].run : NULL;
	if (!overhead_tick(agent->overhead, runs))
		return;
	read_now(agent);
	/* All of them are told before the first change: each changes the sum. */
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (wants_change(agent, i))
			tell_change(agent, i);
	}
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (wants_change(agent, i))
			change_job(agent, i, overhead_wanted(agent->overhead, i));
	}
	tell_health(agent);
	agent->version++;
}

static void scan(struct agent *agent)
{
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (agent->jobs[i].is_on)
			scan_job(&agent->jobs[i]);
	}
}

/* Results of a node that has ended are read before it is let go, with its labels. */
static void reap(struct agent *agent)
{
	read_now(agent);
	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (agent->jobs[i].is_on)
			follow_reap(agent->jobs[i].run.follow);
	}
}

static void handle(struct agent *agent, enum happening what, int fd)
{
	uint64_t times;

	switch (what) {
	case ON_SIGNAL:
		agent->is_stopping = true;
		break;
	case ON_HTTP:
		http_run(agent->http);
		break;
	case ON_TIME:
		(void)!read(fd, &times, sizeof(times));
		scan(agent);
		govern(agent);
		read_by_tick(agent);
		if (duration_now() - agent->scraped_ns > FRESH_NS)
			forget_answers(agent);
		http_run(agent->http);
		notify_watchdog(&agent->notify);
		break;
	case ON_END:
		reap(agent);
		break;
	}
}

static void loop(struct agent *agent)
{
	while (!agent->is_stopping) {
		struct epoll_event events[16];
		int n = epoll_wait(agent->epoll, events, 16, -1);

		for (int i = 0; i < n && !agent->is_stopping; i++)
			handle(agent, (enum happening)(events[i].data.u64 & 0xffffffff), (int)(events[i].data.u64 >> 32));
	}
}

static int prepare(struct agent *agent)
{
	const char *refusal;

	kernel_detect(&agent->kernel);
	refusal = kernel_refusal(&agent->kernel);
	if (refusal) {
		pr_err("%s", refusal);
		privileges_check(&agent->kernel);
		return EXIT_NO_PRIVILEGE;
	}
	privileges_check(&agent->kernel);
	/* Who asks before we can answer waits, and is not refused. */
	agent->http = http_new(agent->options->listen, on_get, agent);
	agent->overhead = overhead_new(agent->options->tool_count, agent->options->max_overhead);
	if (!agent->http || !agent->overhead || start_jobs(agent) || add_signals(agent) || add_timer(agent) ||
	    add_fd(agent, http_fd(agent->http), ON_HTTP))
		return EXIT_FAILED;
	scan(agent);
	if (privileges_drop(&agent->kernel, !agent->options->without_filter))
		return EXIT_FAILED;
	agent->read_ns = 0;
	agent->is_ready = true;
	notify_tell(&agent->notify, "READY=1\nSTATUS=Tracing, and serving what is found");
	pr_info("Serving http://%s/metrics (port %u). Ctrl-C ends it.", agent->options->listen,
		http_port(agent->http));
	return EXIT_OK;
}

int agent_run(const struct agent_options *options)
{
	struct agent agent = {
		.options = options, .epoll = epoll_create1(EPOLL_CLOEXEC), .metrics = metrics_new(options->names),
		.jobs = calloc(options->tool_count + 1, sizeof(struct job)), .started_ns = duration_now(),
		.notify = notify_open(),
	};
	int code = agent.jobs && agent.metrics && agent.epoll >= 0 ? prepare(&agent) : EXIT_FAILED;

	if (code == EXIT_OK)
		loop(&agent);
	forget_answers(&agent);
	notify_tell(&agent.notify, "STOPPING=1");
	http_free(agent.http);
	for (size_t i = 0; agent.jobs && i < options->tool_count; i++)
		job_end(&agent.jobs[i]);
	free(agent.jobs);
	overhead_free(agent.overhead);
	metrics_free(agent.metrics);
	if (agent.epoll >= 0)
		close(agent.epoll);
	notify_close(&agent.notify);
	return code;
}
