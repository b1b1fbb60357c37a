//! The client, made from the OpenAPI document: a function for each operation, a type for each schema. Bots are separate
//! binaries, so changing one doesn't rebuild the client.

progenitor::generate_api!(spec = "broadside.json", interface = Builder);
