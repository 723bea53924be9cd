"""The chain of stages: jobs, runners, the workspace, and how a build goes on where it stopped.

Nothing here multiplies matrices, and numpy's library for that would start a thread for each core in
every command and task: 0.05 s of CPU. One is enough, where nobody has said how many.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
