/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of this folder that are embedded in the program. */
#ifndef ERLBPF_FLAME_FORMATS_TEMPLATE_H
#define ERLBPF_FLAME_FORMATS_TEMPLATE_H

#include <stddef.h>

extern const char flame_html[]; /* flame_html_size bytes; the profile replaces HTML_PLACE */
extern const size_t flame_html_size;
#define HTML_PLACE "@PROFILE@"

extern const char flame_svg_script[]; /* zoom and search in an SVG; it needs no escapes in CDATA */
extern const size_t flame_svg_script_size;

#endif
