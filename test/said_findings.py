"""Findings in the JSON of a command."""


def codes(result):
    return [finding['code'] for finding in result['findings']]


def said(result, code):
    """The message of the first finding of a code."""
    return next(one['message'] for one in result['findings'] if one['code'] == code)
