"""Notes which functions of the project a process calls: those of a task of a job, or of a question.

Python imports this file when it starts, where its folder is on PYTHONPATH. Where PAGEKIN_WALK names
a folder, and the process is a task or `question.py`, it leaves a file there: which script it was,
and the functions that were called, by module.

Counting begins when the script, all of its imports done, calls its `run` or `main`. What these
import is counted, because it is part of their work. The body of a class is executed once, when its
module is imported, and is no call.
"""

import atexit
import inspect
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
OURS = {os.path.join(ROOT, "lib", "pagekin", ""): "", os.path.join(ROOT, "jobs", ""): "jobs/"}
TRACED = {"--mapper", "--reducer", "question.py"}


class Walk:
    """The functions that were called, by module."""

    def __init__(self):
        self.functions = {}

    def wait(self, frame, event, _):
        """Until the script itself calls the function that does its work."""
        is_called = event == "call" and frame.f_code.co_name in {"main", "run"}
        if is_called and frame.f_back.f_globals.get("__name__") == "__main__":
            sys.setprofile(self.note)
            self.note(frame, event, None)

    def note(self, frame, event, _):
        """A function is called."""
        code = frame.f_code
        if event == "call" and is_function(code) and (module := name_of(code.co_filename)):
            self.functions.setdefault(module, set()).add(code.co_name)

    def write(self, folder):
        """At the end of the process."""
        sys.setprofile(None)
        functions = {module: sorted(names) for module, names in sorted(self.functions.items())}
        said = {"script": os.path.basename(sys.argv[0]), "functions": functions}
        with open(os.path.join(folder, f"{os.getpid()}.json"), "w") as out:
            json.dump(said, out)


def is_function(code):
    """Or the body of a module or of a class."""
    return code.co_flags & inspect.CO_OPTIMIZED


def name_of(path):
    """`web/flat.py`, or `jobs/inventory.py`, which a task finds in its own folder; else nothing."""
    for folder, start in OURS.items():
        if path.startswith(folder):
            return start + path[len(folder) :]
    # the runner puts the script of the job into the folder of the task
    job = os.path.join("jobs", os.path.basename(path))
    is_script = os.path.basename(path) == os.path.basename(sys.argv[0])
    return job if is_script and os.path.exists(os.path.join(ROOT, job)) else ""


def begin(folder):
    """Watch this process."""
    walk = Walk()
    atexit.register(walk.write, folder)
    sys.setprofile(walk.wait)


if (folder := os.environ.get("PAGEKIN_WALK")) and TRACED & {
    os.path.basename(word) for word in sys.orig_argv
}:
    begin(folder)
