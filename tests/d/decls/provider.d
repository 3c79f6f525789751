/* @options: -q */
/* Providers that are declared are those of programs of one's own: nothing happens here. */
provider my_app {
	probe request__start(int id, char *url);
	probe request__done(int code, uint32_t) : (int code);
	probe idle();
};

#pragma D attributes Evolving/Evolving/Common provider my_app provider

BEGIN
{
	printf("compiled\n");
	exit(0);
}
