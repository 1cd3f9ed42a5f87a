"""Findings in the JSON of a command."""


def codes(result):
    return [finding['code'] for finding in result['findings']]


def said(result, code):
    """What the first finding of a code says."""
    found = next(one for one in result['findings'] if one['code'] == code)
    return f'{found["message"]} {found.get("more", "")}'
