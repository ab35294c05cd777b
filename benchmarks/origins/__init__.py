"""Names of twelve origins in sixteen contexts: how often each name is wholly masked."""
