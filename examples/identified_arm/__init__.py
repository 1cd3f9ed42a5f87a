"""An arm without a drawing: a motion is played on it and recorded, and it is identified.

docs/identification.md leads through the commands.
"""
