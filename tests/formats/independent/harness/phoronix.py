#!/usr/bin/env python3
"""composite.xml of the Phoronix Test Suite: the runs of a test are its RawString."""
import sys
import xml.etree.ElementTree as xml

from rows import emit, number, point

root = xml.parse(sys.argv[1]).getroot()
systems = {entry.findtext("Identifier") for entry in root.iter("Entry")}
for result in root.iter("Result"):
    for entry in result.iter("Entry"):
        raw = entry.findtext("RawString") or entry.findtext("Value") or ""
        dims = {"description": result.findtext("Description"), "system": entry.findtext("Identifier") if len(systems) > 1 else None}
        emit(point(result.findtext("Title"), **dims), "value", result.findtext("Scale") or "",
             *[number(value) for value in raw.split(":") if number(value) is not None])
