"""Plants one break after the other into a small contract, and additions that are none."""

import copy
import unittest

from compatible import breaks

CONTRACT = {
    "openapi": "3.1.0",
    "paths": {
        "/v1/boats/{id}": {
            "put": {
                "operationId": "replace_boat",
                "security": [{"bearer": ["boats:write"]}],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "wait_s", "in": "query", "schema": {"type": "integer", "maximum": 60}},
                ],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/BoatRequest"}}}},
                "responses": {
                    "200": {
                        "headers": {"ETag": {"schema": {"type": "string"}}},
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Boat"}}},
                    },
                },
                "x-problem-codes": {"404": ["not-found"], "422": ["too-long"]},
            }
        },
    },
    "webhooks": {
        "sunk": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Boat"}}}}}}
    },
    "components": {
        "schemas": {
            "BoatRequest": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 40, "pattern": "^[a-z]+$"},
                    "kind": {"type": "string", "enum": ["sail", "motor"]},
                    "crew": {"type": ["array", "null"], "maxItems": 8, "items": {"type": "string"}},
                    "engine": {"$ref": "#/components/schemas/Engine"},
                },
            },
            "Boat": {
                "type": "object",
                "required": ["name", "length_m", "engine", "parent"],
                "properties": {
                    "name": {"type": "string"},
                    "length_m": {"type": "integer", "format": "int32"},
                    "engine": {"oneOf": [{"$ref": "#/components/schemas/Engine"}, {"type": "null"}]},
                    "parent": {"oneOf": [{"$ref": "#/components/schemas/Boat"}, {"type": "null"}]},
                    "mood": {"type": "string", "enum": ["calm"]},
                },
            },
            "Engine": {"oneOf": [{"$ref": "#/components/schemas/Diesel"}, {"$ref": "#/components/schemas/Steam"}]},
            "Diesel": {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "enum": ["diesel"]}}},
            "Steam": {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "enum": ["steam"]}}},
        }
    },
}

BOAT, REQUEST = ("components", "schemas", "Boat"), ("components", "schemas", "BoatRequest")
PUT = ("paths", "/v1/boats/{id}", "put")


def changed(*steps):
    """A copy of the contract, in which `steps` (place, last key, value; `None` deletes) were made."""
    document = copy.deepcopy(CONTRACT)
    for place, key, value in steps:
        node = document
        for part in place:
            node = node[part]
        if value is None:
            del node[key]
        else:
            node[key] = value
    return document


class Compatible(unittest.TestCase):
    """What is found, and what is not."""

    def found(self, *steps):
        """What the changed contract breaks."""
        return breaks(CONTRACT, changed(*steps))

    def test_a_contract_is_compatible_with_itself(self):
        self.assertEqual(self.found(), [])

    def test_planted_breaks_are_found(self):
        name = (*REQUEST, "properties", "name")
        for step, said in [
            ((PUT[:2], "put", None), "PUT /v1/boats/{id}: is gone"),
            ((PUT, "operationId", "set_boat"), "is no longer called replace_boat"),
            ((PUT, "security", [{"bearer": ["boats:write", "boats:read"]}]), "is no longer enough"),
            ((PUT, "security", [{"session": []}]), "is no longer enough"),
            (((*PUT, "parameters"), 1, {"name": "id2", "in": "query", "schema": {}}), "the parameter wait_s is gone"),
            (((*PUT, "parameters", 1), "required", True), "the parameter wait_s is newly required"),
            (((*PUT, "parameters", 1, "schema"), "maximum", 30), "maximum is 30 now"),
            (((*PUT, "requestBody"), "required", True), "a body is newly required"),
            (((*PUT, "requestBody"), "content", {}), "application/json is gone"),
            (((*PUT, "responses"), "200", None), "the answer 200 is gone"),
            (((*PUT, "responses", "200"), "headers", {}), "the header ETag is gone"),
            (((*PUT, "x-problem-codes"), "422", []), "the code too-long of 422 is gone"),
            ((REQUEST, "required", ["name", "kind"]), "BoatRequest (request): the field kind is newly required"),
            (((*REQUEST, "properties"), "crew", None), "the field crew is gone"),
            ((name, "maxLength", 39), "maxLength is 39 now"),
            ((name, "minLength", 2), "minLength is 2 now"),
            ((name, "pattern", "^[a-y]+$"), "pattern has changed"),
            ((name, "type", "integer"), "the type is no longer"),
            (((*REQUEST, "properties", "kind"), "enum", ["sail"]), "the value motor is gone"),
            (((*REQUEST, "properties", "crew"), "type", "array"), "null is no longer taken"),
            (((*REQUEST, "properties", "crew"), "maxItems", 7), "maxItems is 7 now"),
            (((*REQUEST, "properties", "crew", "items"), "enum", ["anna"]), "only a list of values is taken now"),
            (((*BOAT, "properties"), "name", None), "the field name is gone"),
            ((BOAT, "required", ["name", "engine", "parent"]), "the field length_m need not be there any more"),
            (((*BOAT, "properties", "length_m"), "type", "number"), "the type is no longer"),
            (((*BOAT, "properties", "length_m"), "type", ["integer", "null"]), "may now be null"),
            (((*BOAT, "properties", "length_m"), "format", "int64"), "the format is no longer"),
            (((*BOAT, "properties", "mood"), "enum", ["wild"]), "the value calm is gone"),
            ((("components", "schemas", "Engine"), "oneOf", [{"$ref": "#/components/schemas/Steam"}]), "is gone"),
            ((("webhooks",), "sunk", None), "webhook sunk: is gone"),
        ]:
            with self.subTest(said):
                found = self.found(step)
                self.assertTrue(any(said in line for line in found), found)

    def test_a_schema_that_generated_clients_have_a_type_of_stays(self):
        document = changed((("components", "schemas"), "Other", {"type": "object"}))
        self.assertEqual(breaks(document, CONTRACT), ["components/schemas/Other: is gone"])

    def test_what_only_webhooks_are_sent_is_looked_at_as_well(self):
        place = ("webhooks", "sunk", "post", "requestBody", "content", "application/json")
        apart = changed((place, "schema", {"type": "object", "required": ["at"], "properties": {"at": {"type": "string"}}}))
        newer = copy.deepcopy(apart)
        newer["webhooks"]["sunk"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]["at"]["type"] = "integer"
        self.assertEqual(len(breaks(apart, newer)), 1)

    def test_additions_are_none(self):
        name = (*REQUEST, "properties", "name")
        for step in [
            (("paths",), "/v1/docks", {"get": {"responses": {}}}),
            (((*REQUEST, "properties"), "flag", {"type": "string"})),
            ((*BOAT, "properties"), "flag", {"type": "string"}),
            (BOAT, "required", ["name", "length_m", "engine", "parent", "mood"]),
            ((*REQUEST, "properties", "kind"), "enum", ["sail", "motor", "oar"]),
            ((*BOAT, "properties", "mood"), "enum", ["calm", "wild"]),
            (name, "maxLength", 80),
            (name, "pattern", None),
            (REQUEST, "required", []),
            (PUT, "security", [{}, {"bearer": []}]),
            ((*PUT, "x-problem-codes"), "409", ["taken"]),
            ((*PUT, "responses"), "204", {}),
            (("webhooks",), "raised", {"post": {}}),
            ((*BOAT, "properties", "name"), "description", "What it is called."),
        ]:
            with self.subTest(step[1]):
                self.assertEqual(self.found(step), [])


if __name__ == "__main__":
    unittest.main()
