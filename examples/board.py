#!/usr/bin/env python3
"""Draws a match of any variant as text: every sea, layer by layer, with what the viewer knows of it.

It knows no game: the board of the match says which seas, layers and cells there are, and the view says what is marked
and which ships are visible. A mark is drawn as the first letter of its kind, a ship as the capital of its class. A
legend explains both. It needs Python 3.9 and nothing else.

    python3 examples/board.py --match ID
    BROADSIDE_TOKEN=… python3 examples/board.py --match ID        (as a player, who sees more)
"""

import argparse
import json
import os
import sys
import urllib.error
import urllib.request


def read(url, token):
    headers = {"Authorization": "Bearer " + token} if token else {}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        return json.load(answer)


def draw(sea, known, legend):
    """The layers of one sea, as lines."""
    signs = {}
    for mark in known["marks"]:
        signs[mark["cell"]] = mark["kind"][0]
        legend[mark["kind"][0]] = mark["kind"]
    for ship in known["ships"]:
        for cell in ship["cells"] or []:
            signs[cell] = ship["class"][0].upper()
            legend[ship["class"][0].upper()] = ship["class"]
    for layer in sea["layers"]:
        cells = {(c["row"], c["column"]): c["label"] for c in sea["cells"] if c["layer"] == layer["id"]}
        yield f"{known['id']}, {layer['name']}"
        for row in range(1 + max(row for row, _ in cells)):
            columns = [column for r, column in sorted(cells) if r == row]
            if columns:
                line = " ".join(signs.get(cells[row, column], ".") for column in columns)
                yield f"{cells[row, columns[0]]:>7}  {line}"
        yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="where the service is (default: %(default)s)")
    parser.add_argument("--match", required=True, help="the match, by its id")
    options = parser.parse_args()
    token, path = os.environ.get("BROADSIDE_TOKEN"), f"{options.url}/v1/matches/{options.match}"
    try:
        view, board = read(path, token), read(path + "/board", token)
    except (urllib.error.URLError, OSError) as problem:
        sys.exit(str(problem))
    seats = ", ".join(f"{seat['name']} {seat['player']['username']} ({seat['status']})" for seat in view["seats"])
    print(f"{view['variant']}, {view['status']}: {seats}\n")
    legend = {}
    for sea, known in zip(board["seas"], view["seas"]):
        print("\n".join(draw(sea, known, legend)))
    print(", ".join(f"{sign} {meaning}" for sign, meaning in sorted(legend.items())) or "nothing is known yet")


if __name__ == "__main__":
    main()
