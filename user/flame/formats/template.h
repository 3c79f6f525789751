/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of this room that are within the program, as they are in the tree. */
#ifndef ERLBPF_FLAME_FORMATS_TEMPLATE_H
#define ERLBPF_FLAME_FORMATS_TEMPLATE_H

#include <stddef.h>

extern const char flame_html[]; /* flame_html_size bytes; the profile belongs where HTML_PLACE stands */
extern const size_t flame_html_size;
#define HTML_PLACE "@PROFILE@"

extern const char flame_svg_script[]; /* what zooms and searches in an SVG; it needs no escapes in XML's CDATA */
extern const size_t flame_svg_script_size;

#endif
