"""The questions that `play` asks of generated clients, and that no tool answers.

A generator that meets a shape which it does not know drops the operation or writes "any", says so in a warning at best,
and exits with 0. So the operations are counted here, by name, and fields without a type are looked for.
Not in here: which tools are run, and how; that is `play`.

    generated.py GENERATOR DOCUMENT FOLDER

Standard library only. It exits with 1 and a line for every fault.
"""

import pathlib
import re
import sys

from checks import load, operation_ids


def plain(name):
    """A name without case and separators: `list_matches`, `listMatches` and `list-matches` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def texts(folder, pattern):
    """The files of a folder whose names fit, without the comments of TypeScript, Go and Java."""
    for path in sorted(pathlib.Path(folder).glob(pattern)):
        yield path, re.sub(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.S)


def found(folder, pattern, expression):
    """What an expression finds in those files."""
    return [match for _, text in texts(folder, pattern) for match in re.findall(expression, text, re.M)]


def in_types(folder):
    """openapi-typescript: the keys of `interface operations`."""
    blocks = re.findall(r"^export interface operations \{\n(.*?)^\}", next(texts(folder, "broadside.ts"))[1], re.S | re.M)
    return re.findall(r'^    "?([\w-]+)"?: \{$', blocks[0], re.M) if blocks else []


# For each generator: how its operations are found, the files with its types, and what a field without a type looks
# like.
GENERATORS = {
    "openapi-typescript": (in_types, "broadside.ts", r"^.*\bany\b.*$"),
    "openapi-ts": (
        lambda folder: found(folder, "client/sdk.gen.ts", r"^export const (\w+) = <"),
        "client/*.gen.ts",
        r"^.*\bany\b.*$",
    ),
    "orval": (lambda folder: found(folder, "client/api.ts", r"^export const (\w+) = async \("), "client/**/*.ts", r"^.*\bany\b.*$"),
    # Only what is in the models: an answer without a body is `Any` for this generator.
    "openapi-python-client": (
        lambda folder: [p.stem for p in pathlib.Path(folder).glob("broadside/api/*/*.py") if p.stem != "__init__"],
        "broadside/models/*.py",
        r"^    (?!additional_properties)\w+: .*\bAny\b.*$",
    ),
    "datamodel-code-generator": (None, "models.py", r"^(?!from typing).*(?<!dict\[str, )\bAny\b.*$"),
    "go": (
        lambda folder: found(folder, "broadside/api_*.go", r"^func \(a \*\w+Service\) (\w+)\(ctx "),
        "broadside/model_*.go",
        r"^\t(?!AdditionalProperties)\w+ +\S*interface\{\}.*$",
    ),
    "java": (
        lambda folder: found(folder, "broadside/src/main/java/**/api/*Api.java", r"^  public (?!ApiResponse|File )\S+ (\w+)\("),
        "broadside/src/main/java/**/model/*.java",
        r"^  private (?:Object|.*<Object>) .*$",
    ),
}


def free_form(document):
    """The names of the properties that may be any JSON object, such as a JSON Schema: they have no better type."""
    schemas = document["components"]["schemas"]
    objects = [schema for whole in schemas.values() for schema in (whole, *whole.get("allOf", []))]
    names = set()
    for name, field in ((name, field) for one in objects for name, field in one.get("properties", {}).items()):
        parts = [field, *field.get("oneOf", []), *field.get("allOf", [])]
        parts += [schemas[part["$ref"].rsplit("/", 1)[1]] for part in parts if "$ref" in part]
        if any(part.get("type") == "object" and "properties" not in part for part in parts):
            names.add(plain(name))
    return names


def faults(generator, document, folder):
    """What is missing, and what has no type."""
    operations, types, untyped = GENERATORS[generator]
    document = load(document)
    # What the service sends by itself is no operation of a client, but some generators name it.
    received = {plain(item["post"]["operationId"]) for item in document.get("webhooks", {}).values()}
    wanted, free = {plain(name): name for name in operation_ids(document)}, free_form(document)
    lines = []
    if operations:
        there = {plain(name) for name in operations(folder)}
        lines += [f"dropped: {wanted[key]}" for key in sorted(wanted.keys() - there)]
        lines += [f"not in the document: {key}" for key in sorted(there - wanted.keys() - received)]
    files = list(texts(folder, types))
    if not wanted or not files:
        lines.append("there is nothing to check")
    for path, text in files:
        untyped_lines = [line.strip() for line in re.findall(untyped, text, re.M)]
        lines += [f"{path}: no type: {line}" for line in untyped_lines if not free & {plain(word) for word in re.findall(r"\w+", line)}]
    return lines


def main(arguments):
    """Prints the faults."""
    lines = faults(*arguments)
    for line in lines:
        sys.stdout.write(f"{line}\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
