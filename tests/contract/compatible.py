"""Says what in a newer contract would break a client of the older one. From 1.0 on nothing may.

A request that was good must stay good, and what an answer promised must still be there. Not in here: whether the newer
document is a good one; that is for the linters.

What is a break, and what is not:

- Of requests: a path, method, parameter, body, media type, field or value that is gone, a type or a limit that is
  narrower, a field or parameter that is newly required, a token or scope that is newly asked for.
- Of answers, and of what webhooks get: a status, header, media type or field that is gone, a field that need no longer
  be there, a type or a `null` that wasn't said before. New fields, values and members of unions are announced by the
  guide, and are none.
- Codes of problems and names of schemas (generated clients have types of these names) that are gone.

Standard library only.
"""

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
REQUEST, ANSWER = "request", "answer"

# What limits a value: a change to these in this direction refuses what was good. A limit that is new refuses as well.
LOWERED = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
RAISED = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
CHANGED = ("pattern", "format", "const", "multipleOf", "uniqueItems")


def breaks(old, new):
    """A line for every break, in the order of the older document."""
    return Comparison(old, new).all()


def listed(one_or_many):
    """A list of types, where one alone is no list."""
    return [one_or_many] if isinstance(one_or_many, str) else one_or_many


def is_null(schema):
    """Whether nothing but null fits."""
    return schema.get("type") == "null" or schema.get("enum") == [None]


class Comparison:
    """Two documents, and what was found."""

    def __init__(self, old, new):
        self.old, self.new = old, new
        self.found = []
        self.seen = set()

    def say(self, where, what):
        """A break."""
        if (line := f"{where}: {what}") not in self.found:
            self.found.append(line)

    def all(self):
        """Everything, once."""
        for path, item in self.old.get("paths", {}).items():
            for method in (m for m in METHODS if m in item):
                where = f"{method.upper()} {path}"
                newer = self.new.get("paths", {}).get(path, {}).get(method)
                if newer is None:
                    self.say(where, "is gone")
                else:
                    self.operation(where, item[method], newer)
        for kind, webhook in self.old.get("webhooks", {}).items():
            newer = self.new.get("webhooks", {}).get(kind)
            if newer is None:
                self.say(f"webhook {kind}", "is gone")
            else:
                bodies = (x["post"].get("requestBody", {}) for x in (webhook, newer))
                self.contents(f"webhook {kind}", *bodies, ANSWER)
        for kind in ("schemas", "securitySchemes"):
            older, newer = (d.get("components", {}).get(kind, {}) for d in (self.old, self.new))
            for name in older:
                if name not in newer:
                    self.say(f"components/{kind}/{name}", "is gone")
        return self.found

    def operation(self, where, old, new):
        """One operation: who may, what it takes, what it answers."""
        if old.get("operationId") != new.get("operationId"):
            self.say(where, f"is no longer called {old.get('operationId')}")
        self.security(where, old.get("security"), new.get("security"))
        self.parameters(where, old, new)
        older, newer = (self.resolved(d, x.get("requestBody", {})) for d, x in ((self.old, old), (self.new, new)))
        if newer.get("required") and not older.get("required"):
            self.say(where, "a body is newly required")
        self.contents(f"{where} body", older, newer, REQUEST)
        for status, answer in old.get("responses", {}).items():
            if status not in new.get("responses", {}):
                self.say(where, f"the answer {status} is gone")
                continue
            answers = (self.resolved(self.old, answer), self.resolved(self.new, new["responses"][status]))
            self.contents(f"{where} {status}", *answers, ANSWER)
            for header in answers[0].get("headers", {}):
                if header not in answers[1].get("headers", {}):
                    self.say(f"{where} {status}", f"the header {header} is gone")
        for status, codes in old.get("x-problem-codes", {}).items():
            for code in codes:
                if code not in new.get("x-problem-codes", {}).get(status, []):
                    self.say(where, f"the code {code} of {status} is gone")

    def security(self, where, old, new):
        """Each way in which the older one let somebody in must still do."""

        def enough(way, asked):
            return all(name in way and set(scopes) <= set(way[name]) for name, scopes in asked.items())

        for way in old or [{}]:
            if not any(enough(way, asked) for asked in new or [{}]):
                said = ", ".join(f"{name} {sorted(scopes)}" for name, scopes in way.items()) or "no token"
                self.say(where, f"{said} is no longer enough")

    def parameters(self, where, old, new):
        """Those of the older one are still taken, and no new one is required."""
        older, newer = (
            {(p["in"], p["name"]): p for p in (self.resolved(document, x) for x in operation.get("parameters", []))}
            for document, operation in ((self.old, old), (self.new, new))
        )
        for key, parameter in older.items():
            if key not in newer:
                self.say(where, f"the parameter {key[1]} is gone")
                continue
            if newer[key].get("required") and not parameter.get("required"):
                self.say(where, f"the parameter {key[1]} is newly required")
            self.schema(f"{where} {key[1]}", parameter.get("schema", {}), newer[key].get("schema", {}), REQUEST)
        for key, parameter in newer.items():
            if key not in older and parameter.get("required"):
                self.say(where, f"the new parameter {key[1]} is required")

    def contents(self, where, old, new, way):
        """The bodies, by media type."""
        for media, content in old.get("content", {}).items():
            if media not in new.get("content", {}):
                self.say(where, f"{media} is gone")
            else:
                self.schema(where, content.get("schema", {}), new["content"][media].get("schema", {}), way)

    @staticmethod
    def resolved(document, node):
        """What a reference means."""
        while "$ref" in node:
            target = document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    def unwrapped(self, document, schema):
        """The schema that may also be null, still as a reference, and whether it may."""
        for key in ("oneOf", "anyOf"):
            members = [m for m in schema.get(key, []) if not is_null(m)]
            if len(members) == 1:
                inner, null = self.unwrapped(document, members[0])
                return inner, null or len(members) < len(schema[key])
        return schema, "null" in listed(self.resolved(document, schema).get("type", []))

    def whole(self, document, schema):
        """A schema with all that its parts say, and the members of a union by name."""
        schema = self.resolved(document, schema)
        members = {}
        for key in ("oneOf", "anyOf"):
            for member in (m for m in schema.get(key, []) if not is_null(m)):
                members[member.get("$ref", f"#{len(members)}").rsplit("/", 1)[-1]] = member
        if "allOf" in schema:
            merged = {key: value for key, value in schema.items() if key != "allOf"}
            merged["properties"] = dict(schema.get("properties", {}))
            merged["required"] = list(schema.get("required", []))
            for part in schema["allOf"]:
                inner, inside = self.whole(document, part)
                members |= inside
                merged["properties"] |= inner.get("properties", {})
                merged["required"] += inner.get("required", [])
                merged.setdefault("type", inner.get("type", "object"))
            schema = merged
        return schema, members

    def schema(self, where, old, new, way):
        """A value that is sent (`REQUEST`) or got (`ANSWER`)."""
        (old, old_null), (new, new_null) = self.unwrapped(self.old, old), self.unwrapped(self.new, new)
        if way == REQUEST and old_null and not new_null:
            self.say(where, "null is no longer taken")
        if way == ANSWER and new_null and not old_null:
            self.say(where, "may now be null")
        names = old.get("$ref"), new.get("$ref")
        if None not in names:
            if (*names, way) in self.seen:
                return
            self.seen.add((*names, way))
            where = f"{names[0].rsplit('/', 1)[-1]} ({way})"
        (old, old_members), (new, new_members) = self.whole(self.old, old), self.whole(self.new, new)
        for name, member in old_members.items():
            if name in new_members:
                self.schema(f"{where} {name}", member, new_members[name], way)
            else:
                self.say(where, f"the member {name} of the union is gone")
        if bool(old_members) != bool(new_members):
            self.say(where, "is a union, or no longer one")
        self.types(where, old, new, way)
        self.limits(where, old, new, way)
        self.fields(where, old, new, way)
        if "items" in old and "items" in new:
            self.schema(f"{where}[]", old["items"], new["items"], way)

    def types(self, where, old, new, way):
        """JSON types, and the values of a list of values."""
        older, newer = ({t for t in listed(schema.get("type", [])) if t != "null"} for schema in (old, new))
        lost = older - newer if way == REQUEST else newer - older
        if lost and not (way == REQUEST and not newer) and not (way == ANSWER and not older):
            self.say(where, f"the type is no longer {sorted(older)} but {sorted(newer)}")
        if way == ANSWER and older and not newer:
            self.say(where, f"the type is no longer said: it was {sorted(older)}")
        if "enum" in new and "enum" not in old and way == REQUEST:
            self.say(where, "only a list of values is taken now")
        for value in old.get("enum", []):
            if "enum" in new and value not in new["enum"]:
                self.say(where, f"the value {value} is gone")

    def limits(self, where, old, new, way):
        """Limits of what is sent must not become narrower; of what is got, none that programs rely on may change."""
        if way == ANSWER:
            if old.get("format") != new.get("format"):
                self.say(where, f"the format is no longer {old.get('format')} but {new.get('format')}")
            return
        for key in LOWERED:
            if key in new and new[key] < old.get(key, float("inf")):
                self.say(where, f"{key} is {new[key]} now")
        for key in RAISED:
            if key in new and new[key] > old.get(key, float("-inf")):
                self.say(where, f"{key} is {new[key]} now")
        for key in CHANGED:
            if key in new and new[key] != old.get(key):
                self.say(where, f"{key} has changed to {new[key]}")

    def fields(self, where, old, new, way):
        """The fields of an object."""
        older, newer = old.get("properties", {}), new.get("properties", {})
        for name, schema in older.items():
            if name in newer:
                self.schema(f"{where}.{name}", schema, newer[name], way)
            elif newer or way == ANSWER or new.get("additionalProperties") is False:
                self.say(where, f"the field {name} is gone")
        required = set(old.get("required", [])), set(new.get("required", []))
        if way == REQUEST:
            for name in sorted(required[1] - required[0]):
                self.say(where, f"the field {name} is newly required")
            if new.get("additionalProperties") is False and old.get("additionalProperties") is not False and old.get("type") == "object":
                self.say(where, "unknown fields are no longer taken")
        else:
            for name in sorted((required[0] - required[1]) & newer.keys()):
                self.say(where, f"the field {name} need not be there any more")
