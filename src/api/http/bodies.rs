//! Request bodies that several operations share.

use serde::{Serialize, Serializer};

use crate::api::http::fields::{nested, request, text_fields};
use crate::audit_log::AuditReason;
use crate::calendar::TimeOfDay;

text_fields!(AuditReason, TimeOfDay);

request! {
    /// An empty object.
    pub struct EmptyRequest {}
}

request! {
    /// Why something is done.
    pub struct ReasonRequest {
        /// Why: 1 to 500 characters. Whoever is concerned can read it.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
    }
}

request! {
    /// Hours of each day, in local time. They end on the next day where the end is earlier than the start.
    #[derive(Clone, Copy, Serialize)]
    pub struct LocalTimeSpan {
        /// When they begin, such as `22:30`.
        #[schema(value_type = String, min_length = 5, max_length = 5, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", example = "22:30")]
        #[serde(serialize_with = "of_day")]
        pub start: TimeOfDay,
        /// When they end, such as `07:00`; must differ from `start`.
        #[schema(value_type = String, min_length = 5, max_length = 5, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", example = "07:00")]
        #[serde(serialize_with = "of_day")]
        pub end: TimeOfDay,
    }
}

nested!(LocalTimeSpan);

fn of_day<S: Serializer>(time: &TimeOfDay, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}
