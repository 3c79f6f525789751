/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the agent share: its tools (agent_jobs.c) and their windows (agent_windows.c), scripts
 * (agent_scripts.c), metrics about itself (agent_health.c), reading (agent_read.c), answers (agent_answers.c), and the
 * loop (agent.c).
 */
#ifndef ERLBPF_SERVE_AGENT_AGENT_PARTS_H
#define ERLBPF_SERVE_AGENT_AGENT_PARTS_H

#include "run/run.h"
#include "serve/agent/agent.h"
#include "serve/agent/agent_profile.h"
#include "serve/agent/overhead.h"
#include "serve/http/http.h"
#include "serve/http/notify.h"
#include "serve/metrics/metrics.h"
#include "serve/metrics/push.h"
#include "serve/node_view/findings.h"
#include "serve/node_view/history.h"
#include "serve/node_view/node_labels.h"
#include "serve/node_view/node_metrics.h"
#include "serve/node_view/node_view.h"
#include "serve/node_view/process_table.h"
#include "serve/profiles/push_profiles.h"
#include "serve/scripts/scripts.h"
#include "serve/scripts/users.h"

#define AGENT_FRESH_NS (3 * NS_PER_S) /* a scrape does not read newer results again */

/* A running tool. The run comes first: its sink leads back to the job. */
struct job {
	struct run run;
	struct options options;
	struct agent *agent;
	struct metric_family *family; /* NULL: it has no histogram */
	struct erl_count *reported;   /* hits by probe that are already in the metrics */
	bool is_on;
	bool is_in_windows;
	int code; /* enum exit_code of the last search for targets */
};

enum answer_format { TEXT, OPENMETRICS, NATIVE, FORMATS };

/* The last rendered answers, which also answer later requests until the next reading; see agent_answers.c. */
struct answers {
	struct answer {
		struct http_body *body;
		uint64_t version; /* of the reading */
	} last[FORMATS];
	uint64_t scrapes, scraped_ns;
};

/* When results are read; see agent_read.c. */
struct reading {
	uint64_t version; /* incremented by each reading */
	uint64_t read_ns;
	double read_s;	  /* duration of the last reading */
	bool is_turned;	  /* programs use the other maps; the ones before are still to be read */
	bool is_in_turns; /* results are being read, and requests are answered between tools */
};

/* Tools that measure in windows; see agent_windows.c. */
struct job_windows {
	struct event_loop *waiting; /* part of the agent's loop; NULL: no tool measures in windows */
	size_t last;		    /* the job that had the last window */
};

/* D scripts; see agent_scripts.c. */
struct agent_scripts {
	struct script_setup setup;
	struct scripts *list; /* NULL: not enabled */
	uint64_t looked_ns;
};

struct agent {
	const struct agent_options *options;
	struct metrics *metrics;
	struct history *history;
	struct http *http;
	struct job *jobs;
	struct kernel kernel;
	struct overhead *overhead;
	struct push *push;		     /* NULL: not enabled */
	struct push_profiles *push_profiles; /* NULL: not enabled */
	struct agent_scripts scripts;
	struct node_view view;
	struct findings *findings; /* NULL: not enabled */
	struct node_metrics *node_metrics;
	struct process_table *process_table;
	struct agent_profiles *profiles;
	struct users *users; /* NULL: not enabled */
	struct answers answers;
	struct reading reading;
	struct job_windows windows;
	size_t traced; /* targets of all jobs when memory was last returned to the system */
	uint64_t started_ns;
	struct event_loop *waiting; /* the loop; stopped when the agent is to end */
	bool is_yielding;	    /* other work is in progress: only requests that need no reading are answered */
	struct notify notify;
	bool is_ready;
	bool has_lost_probes; /* the guardian was killed */
};

/* The target with this number, also if it has ended; NULL: none. */
const struct target *job_target(const struct job *job, int os_id);

/* A node gets its name after it was found: uses the name from now on. */
void job_settle_names(const struct job *job);

/* True if the tool can leave out names to reduce its cost. */
bool job_has_detail(const struct tool *tool);

/* 0 or -errno. A job that has ended, or could not be started, can be started again. */
int job_start(struct job *job, struct agent *agent, const struct tool *tool, enum governor_level level);
void job_end(struct job *job);

/* After follow_pause(): the job measures in windows that cost at most `share` of a processor. */
void job_run_in_windows(struct job *job, double share);

/* Adds to the metrics what the job has counted since the last call. */
void job_read(struct job *job, struct metric_family *hits, struct metric_family *lost);

/* Sources of overhead, by number: the tools, then the scripts. */
size_t agent_source_count(const struct agent *agent);
struct overhead_source agent_source(const struct agent *agent, size_t i);
void agent_sources(const struct agent *agent, struct overhead_source sources[AGENT_MOST_TOOLS + SCRIPTS_MOST]);
struct script *agent_script(const struct agent *agent, size_t source);

/* After the share per tool, or the tools in windows, have changed. */
void agent_windows_update(struct agent *agent);
void agent_windows_stop(struct agent *agent);

/* 0 or -errno; the error is printed. */
int agent_scripts_start(struct agent *agent);

/* Each second: reads scripts that have changed. */
void agent_scripts_tick(struct agent *agent);

/* Adds metrics about the agent itself, and gauges of its parts. */
void agent_report_health(struct agent *agent);

/* Answers an HTTP request; `data` is the agent. */
void agent_answer(void *data, const struct http_request *request, struct http_reply *reply);
void agent_forget_answers(struct agent *agent);

/* Reads everything that was counted up to now into the metrics. Waits for the kernel. */
void agent_read_now(struct agent *agent);

/* Each second: reads what will be requested soon. Does not wait. */
void agent_read_by_tick(struct agent *agent);

#endif
