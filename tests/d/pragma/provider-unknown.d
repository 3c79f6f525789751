/* Attributes of a provider that is not there apply to nothing. */
#pragma D attributes Private/Private/Unknown provider nothing args
BEGIN { exit(0); }
