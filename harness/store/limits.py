"""The most bytes that a file of each kind may have which is read whole: whoever reads a store stops there, unread.

They are far above what a run writes, and its writer keeps them, too.
"""

MOST_FORMAT = 1 << 8
MOST_LOG = 1 << 28  # a journal, a transcript, the list of runs: hundreds of thousands of lines
MOST_RECORD = 1 << 26
MOST_ENTRY = 1 << 26
MOST_DOCUMENT = 1 << 26  # a blob that is parsed: a manifest, a lock, a closure, an environment
MOST_NOTE = 1 << 24  # the file of an image or of a layer, a receipt, the secret of a view
