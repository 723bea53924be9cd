"""The traced walk: through how many modules of the project a page, a bag and a question go.

What `scripts/walk` is made of. It asks the project for as little as it can, so that it need not
change with it: it runs `pagekin build` and `pagekin.Index` in processes of their own, in which
`traced/sitecustomize.py` notes every function of ours that is called.
"""
