//! The migrations: they produce `src/db/schema.rs`, and are reversible.

use broadside::db::Db;
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncConnection, AsyncMigrationHarness, AsyncPgConnection, RunQueryDsl};
use diesel_migrations::{FileBasedMigrations, MigrationHarness};

use crate::support::database;

/// Prints the database's tables in the form of `diesel::table!`: tables by name, columns in order.
const TABLES: &str = r"
    SELECT string_agg(format(E'diesel::table! {\n    %s (%s) {\n%s\n    }\n}\n', t.relname, keys.list, columns.list),
        E'\n' ORDER BY t.relname) AS text
    FROM pg_class AS t
    CROSS JOIN LATERAL (
        SELECT string_agg(a.attname, ', ' ORDER BY k.n) AS list
        FROM pg_constraint AS c, unnest(c.conkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute AS a USING (attnum)
        WHERE c.conrelid = t.oid AND c.contype = 'p' AND a.attrelid = t.oid) AS keys
    CROSS JOIN LATERAL (
        SELECT string_agg(format('        %s -> %s,', a.attname, format(
            CASE WHEN a.attnotnull THEN '%s' ELSE 'Nullable<%s>' END, format(
            CASE WHEN y.typcategory = 'A' THEN 'Array<%s>' ELSE '%s' END,
            CASE ltrim(y.typname, '_')
                WHEN 'int2' THEN 'SmallInt' WHEN 'int4' THEN 'Integer' WHEN 'int8' THEN 'BigInt'
                WHEN 'float8' THEN 'Double' ELSE initcap(ltrim(y.typname, '_')) END))), E'\n' ORDER BY a.attnum) AS list
        FROM pg_attribute AS a JOIN pg_type AS y ON y.oid = a.atttypid
        WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
    WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r' AND t.relname <> '__diesel_schema_migrations'";

/// Lists everything that the migrations created, one object per line.
const OBJECTS: &str = r"
    SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') AS text FROM (
        SELECT concat_ws(' ', relkind, relname, array_to_string(reloptions, ','))
        FROM pg_class WHERE relnamespace = 'public'::regnamespace
        UNION ALL SELECT tablename || ' ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
        UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
        UNION ALL SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default)
        FROM information_schema.columns WHERE table_schema = 'public'
    ) AS lines (line) WHERE line NOT LIKE '%\_\_diesel\_schema\_migrations%' AND line NOT LIKE '%citus\_%'";

#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = Text)]
    text: String,
}

async fn read(database: &str, sql: &str) -> String {
    let mut connection = AsyncPgConnection::establish(database).await.unwrap();
    diesel::sql_query(sql).get_result::<Answer>(&mut connection).await.unwrap().text
}

#[actix_web::test]
async fn the_schema_of_the_code_is_the_schema_of_the_database() {
    let database = read(&database::fresh().await, TABLES).await;
    let code = include_str!("../../src/db/schema.rs");
    let code = &code[code.find("diesel::table!").unwrap()..code.find("diesel::allow_tables").unwrap()];
    let wrong: Vec<&str> = database.split("\n\n").filter(|table| !code.contains(table.trim_end())).collect();
    assert!(wrong.is_empty(), "src/db/schema.rs must say:\n{}", wrong.join("\n\n"));
    assert_eq!(code.trim_end(), database.trim_end(), "src/db/schema.rs lists its tables by name, and no others");
}

#[actix_web::test]
async fn migrations_go_both_ways() {
    // Distribution over workers can't be reverted: Citus passes on one command at a time.
    let address = database::empty().await;
    Db::new(&address, 1, None).unwrap().migrate().await.unwrap();
    let up = read(&address, OBJECTS).await;
    assert!(up.contains("match_log"));
    let connection = AsyncPgConnection::establish(&address).await.unwrap();
    let undo = move || {
        let migrations = FileBasedMigrations::from_path(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")).unwrap();
        AsyncMigrationHarness::new(connection).revert_all_migrations(migrations).unwrap().len()
    };
    let undone = tokio::task::spawn_blocking(undo).await.unwrap();
    assert_eq!(read(&address, OBJECTS).await, "");
    assert_eq!(Db::new(&address, 1, None).unwrap().migrate().await.unwrap().len(), undone);
    assert_eq!(read(&address, OBJECTS).await, up);
}
