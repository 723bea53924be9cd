"""The chain of stages: jobs, runners, the workspace, and how a build goes on where it stopped."""
