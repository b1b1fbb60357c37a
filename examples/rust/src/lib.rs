//! The client, made from the OpenAPI document: a function for each operation, a type for each schema. Bots are programs
//! of their own beside it, so a change of a bot doesn't make it again.

progenitor::generate_api!(spec = "broadside.json", interface = Builder);
