"""Files of a workspace: what they hold, whether they were read, how they are changed, how they were before."""
