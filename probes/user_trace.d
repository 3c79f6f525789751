/*
 * The probes that Erlang code fires itself, through the module dyntrace of runtime_tools.
 * Written as probes/erlang.d is, with one more line: `RANGE first..last` makes one probe per number,
 * appended to the name. The integers arrive as signed 64-bit numbers; an absent string is NULL. A VM without
 * notes has no NIF library for dyntrace, so its functions do nothing there; those of the package erlbpf
 * (probes/app) fire the same probes on every VM.
 */
provider erlang {
	/* dyntrace:user_trace_s1/1 and erlbpf:user_trace_s1/1: one string. */
	probe user_trace__s1(char *message : text);

	/* dyntrace:p/0 to p/8, and those of erlbpf: the calling process, its tag, up to four integers, up to four strings. */
	probe user_trace__i4s4(char *proc : pid, char *user_tag : text,
			       int64_t i1 : number, int64_t i2 : number, int64_t i3 : number,
			       int64_t i4 : number, char *s1 : text, char *s2 : text, char *s3 : text,
			       char *s4 : text);

	/* dyntrace:pn/1 to pn/9: the same arguments as user_trace-i4s4; the first argument of pn selects one
	 * of 951 probes.
	 * RANGE 0..950 */
	probe user_trace__n(char *proc : pid, char *user_tag : text,
			    int64_t i1 : number, int64_t i2 : number, int64_t i3 : number,
			    int64_t i4 : number, char *s1 : text, char *s2 : text, char *s3 : text,
			    char *s4 : text);
};
