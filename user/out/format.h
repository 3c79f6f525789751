/* SPDX-License-Identifier: BSD-2-Clause */
/* The forms in which results are printed: each is a sink of its own (sink.h). */
#ifndef ERLBPF_OUT_FORMAT_H
#define ERLBPF_OUT_FORMAT_H

enum sink_format { SINK_TEXT, SINK_JSON, SINK_CSV };

#endif
