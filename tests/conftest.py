"""Settings for all tests."""

from __future__ import annotations

from hypothesis import Phase, settings

# Reproducible in CI and short of minutes when something fails: the first failing example will do.
settings.register_profile(
    "pagekin",
    derandomize=True,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
settings.load_profile("pagekin")
