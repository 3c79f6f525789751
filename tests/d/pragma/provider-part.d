/* Of a provider, attributes are those of provider, module, function, name and args. */
#pragma D attributes Private/Private/Unknown provider dtrace nothing
BEGIN { exit(0); }
