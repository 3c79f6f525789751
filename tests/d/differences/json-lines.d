/*
 * @adds: `-j`
 * @erlbpf: Each record, aggregation, fault and loss is a line of JSON.
 */
/* @options: -q -j -l */

BEGIN { exit(0); }
