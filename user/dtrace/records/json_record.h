/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -j: a record, or an aggregation, as one line of JSON. Numbers are exact, text is valid UTF-8, times are those of
 * the wall. The last line is the summary:
 *
 *   {"type":"event","tool":"d","probe":{"id":…,"provider":…,"module":…,"function":…,"name":…},"clause":1,"cpu":0,
 *    "time":…,"os_pid":…,"tid":…,"actions":[{"action":"trace","value":42},{"action":"printf","text":"…"},…]}
 *   {"type":"error","tool":"d","probe":{…},"clause":1,"time":…,"what":"divide-by-zero"}
 *   {"type":"aggregation","tool":"d","name":"@x","function":"count","normal":1,"entries":[{"key":["a",1],"value":7},…]}
 *   {"type":"summary","tool":"d","events":…,"errors":…,"lost":…,"drops":{"principal":…,…}}
 *
 * A distribution has "buckets":[{"lo":1,"hi":1,"count":5},…] instead of a value; null is no limit.
 */
#ifndef ERLBPF_DTRACE_RECORDS_JSON_RECORD_H
#define ERLBPF_DTRACE_RECORDS_JSON_RECORD_H

#include "dtrace/records/consumer.h"

/* Prints the actions of a record; nothing if none of them prints. 0 or -errno. */
int json_event(struct consumer *consumer, const struct record *record);

/* The aggregations of a printa(). 0 or -errno. */
int json_printa(struct consumer *consumer, const struct action *action);

/* A clause with a fault, or a failed action. */
void json_error(struct consumer *consumer, const struct d_record *head, const struct probe_names *probe,
		const char *what);

/* All aggregations that no printa() printed. */
int json_aggregations(struct consumer *consumer);

int json_summary(struct consumer *consumer, const struct d_drops *lost);

#endif
