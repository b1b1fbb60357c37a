//! Statements in SQL text, for what diesel can't build.
//!
//! The SQL types of values and columns follow from their Rust types.

use diesel::pg::Pg;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::serialize::ToSql;
use diesel::sql_types::{self as types, HasSqlType, Nullable, SingleValue, SqlType, is_nullable};
use serde_json::Value;
use uuid::Uuid;

use super::At;

/// A Rust type with one SQL type.
pub(crate) trait Column {
    type Sql: SqlType;
}

macro_rules! columns {
    ($($rust:ty => $sql:ty),+ $(,)?) => {$(
        impl Column for $rust {
            type Sql = $sql;
        }
    )+};
}

columns! {
    bool => types::Bool, i16 => types::SmallInt, i32 => types::Integer, i64 => types::BigInt, f64 => types::Double,
    &str => types::Text, String => types::Text, Uuid => types::Uuid, At => types::Timestamptz, Value => types::Jsonb,
    Vec<u8> => types::Binary, Vec<Vec<u8>> => types::Array<types::Binary>,
    Vec<bool> => types::Array<types::Bool>, Vec<i16> => types::Array<types::SmallInt>,
    Vec<i64> => types::Array<types::BigInt>, Vec<i32> => types::Array<types::Integer>,
    Vec<Option<i32>> => types::Array<Nullable<types::Integer>>,
    Vec<&str> => types::Array<types::Text>, Vec<String> => types::Array<types::Text>,
    Vec<Option<String>> => types::Array<Nullable<types::Text>>,
    Vec<At> => types::Array<types::Timestamptz>,
    Vec<Uuid> => types::Array<types::Uuid>, &Vec<Uuid> => types::Array<types::Uuid>,
}

impl<T: Column<Sql: SingleValue + SqlType<IsNull = is_nullable::NotNull>>> Column for Option<T> {
    type Sql = Nullable<T::Sql>;
}

/// A statement in SQL text, with its bound values.
type Statement<'a> = BoxedSqlQuery<'a, Pg, SqlQuery>;

/// Binds the next value.
pub(crate) fn bind<'a, T>(statement: Statement<'a>, value: T) -> Statement<'a>
where
    T: Column<Sql: Send + 'a> + ToSql<T::Sql, Pg> + Send + 'a,
    Pg: HasSqlType<T::Sql>,
{
    statement.bind::<T::Sql, T>(value)
}

/// `sql!(text, a, b)`: the statement with its values, `$1` first.
macro_rules! sql {
    ($text:expr, $($value:expr),+ $(,)?) => {{
        let statement = diesel::sql_query($text).into_boxed();
        $(let statement = $crate::db::bind(statement, $value);)+
        statement
    }};
}

/// Declares the rows of statements in SQL text, with columns found by name.
macro_rules! rows {
    ($($(#[$meta:meta])* struct $name:ident { $($field:ident: $type:ty,)+ })+) => {$(
        $(#[$meta])*
        #[derive(diesel::QueryableByName)]
        struct $name {
            $(#[diesel(sql_type = <$type as $crate::db::Column>::Sql)]
            $field: $type,)+
        }
    )+};
}

/// Columns that are found by their order.
pub(crate) trait Selected {
    type Sql;
}

/// Declares rows with columns found by order.
macro_rules! selected {
    ($($(#[$meta:meta])* struct $name:ident { $($field:ident: $type:ty,)+ })+) => {$(
        $(#[$meta])*
        #[derive(diesel::Queryable)]
        struct $name {
            $($field: $type,)+
        }

        impl $crate::db::Selected for $name {
            type Sql = ($(<$type as $crate::db::Column>::Sql,)+);
        }
    )+};
}

/// Statements prepared once per connection. (Text that diesel doesn't know is sent, parsed and described anew each
/// time.)
macro_rules! prepared_once {
    ($($statement:ident -> $columns:ty),+) => {$(
        impl diesel::query_builder::QueryId for $statement {
            type QueryId = $statement;
            const HAS_STATIC_QUERY_ID: bool = true;
        }

        impl diesel::query_builder::Query for $statement {
            type SqlType = $columns;
        }
    )+};
}

/// Binds the values of a walked statement, separated by commas.
macro_rules! bind_all {
    ($out:ident: $first:ty = $one:expr $(, $type:ty = $other:expr)* $(,)?) => {
        $out.push_bind_param::<$first, _>($one)?;
        $($out.push_sql(", "); $out.push_bind_param::<$type, _>($other)?;)*
    };
}

pub(crate) use {bind_all, prepared_once, rows, selected, sql};
