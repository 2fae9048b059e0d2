# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip play`: one game between a person and the engine, and its faces."""
