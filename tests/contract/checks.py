"""The questions that `run` asks of documents, and that no tool answers.

Not in here: which tools are run, and how; that is `run`. What was generated from a document: `generated.py`.

Standard library only. Each command exits with 1 and a line for every fault.
"""

import json
import pathlib
import re
import sys
import urllib.error
import urllib.request

from compatible import breaks as compatible_breaks

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


def load(path):
    """One JSON document."""
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def operations(document):
    """`[(method, path, operation)]` of a document, in its order."""
    return [
        (method, path, operation)
        for path, item in document.get("paths", {}).items()
        for method, operation in item.items()
        if method in METHODS
    ]


def operation_ids(document):
    """The operation ids of a document, sorted; an operation without one stands for itself."""
    return sorted(op.get("operationId", f"{method} {path}") for method, path, op in operations(document))


def same_operations(left_path, right_path):
    """Two versions of the contract must offer the same operations, with the same status codes."""
    left, right = ({(m, p): sorted(op["responses"]) for m, p, op in operations(load(x))} for x in (left_path, right_path))
    return [f"{m.upper()} {p} differs" for m, p in sorted(left.keys() | right.keys()) if left.get((m, p)) != right.get((m, p))]


def shapes(document_path):
    """House rules about shapes that no linter knows, each learnt from a generator that broke.

    - a union has a `discriminator` (without it Go tries all members, and several fit);
    - a member of a tagged union is a `$ref` to an object that requires a tag: a string `enum` of one value
      (see `told_apart`);
    - a request body refuses unknown fields (`additionalProperties: false`);
    - `security` names schemes that are there, and in 3.0, where theirs can have none, no scopes;
    - in 3.0 an example of an answer is a `$ref` (openapi-generator warns of others).
    """
    document = load(document_path)
    schemas = document["components"]["schemas"]
    old = document["openapi"].startswith("3.0")
    faults = []

    def resolve(schema):
        while "$ref" in schema:
            schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def is_null(schema):
        return schema.get("type") == "null" or schema.get("enum") == [None]

    def walk(node, where):
        if isinstance(node, list):
            for index, item in enumerate(node):
                walk(item, f"{where}/{index}")
        if not isinstance(node, dict):
            return
        members = [m for m in node.get("oneOf", []) if isinstance(m, dict) and not is_null(m)]
        if len(members) > 1:
            if not all("$ref" in m for m in members):
                faults.append(f"{where}: a member of a union without a name; make it a schema of its own")
            elif not told_apart([resolve(m) for m in members], resolve):
                faults.append(f"{where}: a union whose members have no required tag (a string enum of one value) that tells them apart")
            elif "discriminator" not in node:
                faults.append(f"{where}: a union without a discriminator")
        for key, value in node.items():
            if key not in ("example", "examples"):
                walk(value, f"{where}/{key}")

    walk(document, "")
    schemes = document["components"]["securitySchemes"]
    for method, path, operation in operations(document):
        for name, scopes in (pair for way in operation["security"] for pair in way.items()):
            if name not in schemes or (scopes and old):
                faults.append(f"{method.upper()} {path}: security names {name} {scopes}")
        for media, content in (pair for answer in operation["responses"].values() for pair in answer.get("content", {}).items()):
            if old and not all("$ref" in example for example in content.get("examples", {}).values()):
                faults.append(f"{method.upper()} {path} {media}: an example of an answer that is no component")
        for media, content in operation.get("requestBody", {}).get("content", {}).items():
            for schema in reachable(content.get("schema", {}), schemas):
                if "properties" in schema and schema.get("additionalProperties") is not False:
                    faults.append(f"{method.upper()} {path} {media}: a request schema with {sorted(schema['properties'])} takes unknown fields")
    return faults


def told_apart(members, resolve):
    """Whether one required tag, a string enum of a single value, is in every member, and tells them apart.

    Two members may share a value when both are closed and each requires a field that the other has not, or when they are so inside of a
    list that both require.
    """
    for tag in members[0].get("required", []):
        values = [m.get("properties", {}).get(tag, {}).get("enum", []) for m in members]
        if not all(len(v) == 1 for v in values) or not all(tag in m.get("required", []) for m in members):
            continue
        if all(
            left_value != right_value or closed_apart(left, right) or apart_inside(left, right, resolve)
            for index, (left, left_value) in enumerate(zip(members, values))
            for right, right_value in zip(members[:index], values)
        ):
            return True
    return False


def closed_apart(left, right):
    """Whether no object can be both, because each requires what the other refuses."""
    return all(
        other.get("additionalProperties") is False and set(one["required"]) - set(other["properties"])
        for one, other in ((left, right), (right, left))
    )


def apart_inside(left, right, resolve):
    """Whether both are closed and require a list whose items are closed apart."""
    def items(member, field):
        return resolve(resolve(member["properties"][field]).get("items", {}))

    if not all(member.get("additionalProperties") is False for member in (left, right)):
        return False
    shared = set(left["required"]) & set(right["required"])
    lists = [(items(left, field), items(right, field)) for field in shared]
    return any("required" in one and "required" in other and closed_apart(one, other) for one, other in lists)


def reachable(schema, schemas):
    """The object schemas that a schema consists of, itself included, each once."""
    seen, todo, out = set(), [schema], []
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo.extend(node)
        elif isinstance(node, dict):
            target = node.get("$ref")
            if target and target not in seen:
                seen.add(target)
                todo.append(schemas[target.rsplit("/", 1)[1]])
            if node.get("type") == "object":
                out.append(node)
            todo.extend(value for key, value in node.items() if key not in ("example", "examples", "default", "enum"))
    return out


def close(document_path, closed_path):
    """Writes a copy in which no object may have a field that the document does not name.

    Answers are open in the contract, so that fields may be added within `/v1`. A test wants to know of
    every field: with this copy schemathesis finds those that were sent and never written down.
    Objects inside `allOf` are left alone, since each part sees the fields of the others.
    The copy also waits for news no longer than a second, or a run would be long polls for the most part.
    """
    document = load(document_path)
    for _, _, operation in operations(document):
        for parameter in operation.get("parameters", []):
            if parameter.get("name") == "wait_s":
                parameter["schema"]["maximum"] = 1

    def walk(node, inside_all_of=False):
        if isinstance(node, list):
            for item in node:
                walk(item, inside_all_of)
        elif isinstance(node, dict):
            if node.get("type") == "object" and "properties" in node and not inside_all_of and "allOf" not in node:
                node.setdefault("additionalProperties", False)
            for key, value in node.items():
                if key not in ("example", "examples", "default"):
                    walk(value, key == "allOf")

    combined = {
        part["$ref"].rsplit("/", 1)[1]
        for schema in reachable(document["components"]["schemas"], document["components"]["schemas"]) + [document]
        for part in find_all_of(schema)
        if "$ref" in part
    }
    for name, schema in document["components"]["schemas"].items():
        walk(schema, name in combined)
    walk(document["paths"])
    for kind in ("responses", "parameters", "requestBodies", "headers"):
        walk(document["components"].get(kind, {}))
    pathlib.Path(closed_path).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return []


def find_all_of(node):
    """Every member of every `allOf` below a node."""
    if isinstance(node, list):
        return [member for item in node for member in find_all_of(item)]
    if isinstance(node, dict):
        return node.get("allOf", []) + [member for value in node.values() for member in find_all_of(value)]
    return []


def offer(document_path, url, token):
    """Writes ids that exist into a document: half of all requests below `/list/{id}` then find something.

    Made-up ids only ever meet 404, and the handlers behind it stay untried. Ids are taken from the lists
    that the service gives this token: those of `GET /list` for each path that starts with `/list/{…}`.
    """
    document = load(document_path)
    paths = document["paths"]
    for path, item in paths.items():
        match = re.match(r"^(/[^{}]+)/\{(\w+)\}", path)
        if not match or "get" not in paths.get(match.group(1), {}):
            continue
        if any(parameter.get("required") for parameter in paths[match.group(1)]["get"].get("parameters", [])):
            continue  # It is no list but a search.
        ids = listed(url + match.group(1), token)
        for method, operation in item.items():
            if method not in METHODS or not ids:
                continue
            inlined = []
            for parameter in operation.get("parameters", []):
                if "$ref" in parameter:
                    parameter = document["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
                if parameter["in"] == "path" and parameter["name"] == match.group(2):
                    known = {"type": "string", "enum": ids}
                    parameter = {**parameter, "example": ids[0], "schema": {"anyOf": [parameter["schema"], known]}}
                    parameter.pop("examples", None)
                inlined.append(parameter)
            operation["parameters"] = inlined
    pathlib.Path(document_path).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return []


def listed(url, token):
    """Up to five ids of the first page of a list; none when it is not a list of things with ids."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}", "Accept": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            page = json.load(answer)
    except urllib.error.HTTPError as refusal:
        if refusal.code != 403:
            raise
        return []  # A personal token may not see sessions, say.
    return [item["id"] for item in page.get("items", []) if "id" in item][:5]


def redocly(report_path):
    """Faults in a JSON report of Redocly, warnings and ignored ones too."""
    text = pathlib.Path(report_path).read_text(encoding="utf-8")
    report, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
    faults = [f"{p['severity']} {p['ruleId']}: {p['message']} at {p['location'][0].get('pointer', '?')}" for p in report["problems"]]
    if not faults and any(report["totals"].values()):
        faults.append(f"totals are not zero: {report['totals']}")
    return faults


def same(left_path, right_path):
    """Two JSON files must hold the same document."""
    return [] if load(left_path) == load(right_path) else [f"{left_path} and {right_path} are not the same document"]


def compatible(old_path, new_path):
    """What in the newer document would break a client of the older one; see `compatible.py`."""
    return compatible_breaks(load(old_path), load(new_path))


COMMANDS = {
    "compatible": compatible,
    "same-operations": same_operations,
    "shapes": shapes,
    "close": close,
    "offer": offer,
    "redocly": redocly,
    "same": same,
}


def main(arguments):
    """`checks.py COMMAND ARGUMENTS…`, `checks.py ids DOCUMENT`, or `checks.py operations DOCUMENT [REGEX]` for the number of them.

    The regular expression is for names of the form `GET /v1/matches`; none at all is a failure.
    """
    if arguments[:1] == ["ids"]:
        sys.stdout.write("".join(f"{name}\n" for name in operation_ids(load(arguments[1]))))
        return 0
    if arguments[:1] == ["operations"]:
        pattern = re.compile(arguments[2] if len(arguments) > 2 else "")
        number = sum(1 for method, path, _ in operations(load(arguments[1])) if pattern.search(f"{method.upper()} {path}"))
        sys.stdout.write(f"{number}\n")
        return 0 if number else 1
    faults = COMMANDS[arguments[0]](*arguments[1:])
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
