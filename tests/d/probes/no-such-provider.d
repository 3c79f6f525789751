/* A provider must exist. */

nosuchprovider:::BEGIN { trace(1); }
