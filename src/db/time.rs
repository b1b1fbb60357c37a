//! [`Time`] in a `timestamptz` column: PostgreSQL counts microseconds from 2000, the service milliseconds from 1970.

use broadside_rules::Time;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{BigInt, Timestamptz};

/// Milliseconds from 1970-01-01 to 2000-01-01, both UTC.
const MILLENNIUM_MS: i64 = 946_684_800_000;

/// A time as stored in a column.
#[derive(Clone, Copy, Debug, AsExpression, FromSqlRow)]
#[diesel(sql_type = Timestamptz)]
pub(crate) struct At(pub(crate) Time);

impl ToSql<Timestamptz, Pg> for At {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        let micros = self.0.0.saturating_sub(MILLENNIUM_MS).saturating_mul(1000);
        ToSql::<BigInt, Pg>::to_sql(&micros, &mut out.reborrow())
    }
}

impl FromSql<Timestamptz, Pg> for At {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let micros = <i64 as FromSql<BigInt, Pg>>::from_sql(value)?;
        Ok(At(Time(micros.div_euclid(1000) + MILLENNIUM_MS)))
    }
}

impl From<At> for Time {
    fn from(at: At) -> Self {
        at.0
    }
}
