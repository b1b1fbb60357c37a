//! The tables, as diesel sees them; `migrations/` says what each column means.

diesel::table! {
    accounts (id) {
        id -> Uuid,
        username -> Text,
        username_key -> Text,
        email -> Nullable<Text>,
        password_hash -> Text,
        bot -> Bool,
        created_at -> Timestamptz,
        deleted_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    sessions (id) {
        id -> Uuid,
        account_id -> Uuid,
        device -> Text,
        created_at -> Timestamptz,
        last_used_at -> Timestamptz,
        expires_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    refresh_tokens (hash) {
        hash -> Bytea,
        session_id -> Uuid,
        issued_at -> Timestamptz,
        used_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    access_tokens (id) {
        id -> Uuid,
        account_id -> Uuid,
        name -> Text,
        hash -> Bytea,
        scopes -> Array<Text>,
        created_at -> Timestamptz,
        last_used_at -> Nullable<Timestamptz>,
        expires_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    signing_keys (kid) {
        kid -> Text,
        seed -> Bytea,
        created_at -> Timestamptz,
        retired_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    record_keys (kid) {
        kid -> Text,
        seed -> Bytea,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    challenges (id) {
        id -> Uuid,
        creator_id -> Uuid,
        opponent_id -> Nullable<Uuid>,
        variant -> Text,
        rule_set -> Jsonb,
        clock -> Jsonb,
        rated -> Bool,
        spectators -> Bool,
        seats -> SmallInt,
        visibility -> Text,
        message -> Nullable<Text>,
        status -> Text,
        reason -> Nullable<Text>,
        match_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        chance -> Bytea,
    }
}

diesel::table! {
    challenge_seats (challenge_id, seat) {
        challenge_id -> Uuid,
        seat -> SmallInt,
        account_id -> Uuid,
        wish -> Nullable<Text>,
        nonce -> Nullable<Text>,
    }
}

diesel::table! {
    matches (id) {
        id -> Uuid,
        variant -> Text,
        rule_set -> Jsonb,
        clock -> Jsonb,
        rated -> Bool,
        spectators -> Bool,
        seed -> Bytea,
        challenge_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
        chance -> Nullable<Bytea>,
        record_key -> Nullable<Text>,
        pool -> Nullable<Text>,
    }
}

diesel::table! {
    match_heads (match_id) {
        match_id -> Uuid,
        seq -> Integer,
        edition -> Integer,
        status -> Text,
        to_act -> Integer,
        deadline -> Nullable<Timestamptz>,
        wake_at -> Nullable<Timestamptz>,
        started_at -> Nullable<Timestamptz>,
        finished_at -> Nullable<Timestamptz>,
        result -> Nullable<Jsonb>,
        timed_out -> Integer,
    }
}

diesel::table! {
    match_entries (match_id, seq) {
        match_id -> Uuid,
        seq -> Integer,
        entry -> Bytea,
    }
}

diesel::table! {
    match_seats (match_id, seat) {
        match_id -> Uuid,
        seat -> SmallInt,
        account_id -> Uuid,
        username -> Text,
        bot -> Bool,
        running -> Bool,
        wish -> Nullable<Text>,
        nonce -> Nullable<Text>,
        rating -> Nullable<Integer>,
    }
}

diesel::table! {
    idempotency_keys (id) {
        id -> Bytea,
        fingerprint -> Bytea,
        created_at -> Timestamptz,
        answer -> Nullable<Bytea>,
        match_id -> Nullable<Uuid>,
        seq -> Nullable<Integer>,
    }
}

diesel::table! {
    event_counters (account_id) {
        account_id -> Uuid,
        newest -> BigInt,
        forgotten -> BigInt,
    }
}

diesel::table! {
    account_events (account_id, number) {
        account_id -> Uuid,
        number -> BigInt,
        count -> Integer,
        at -> Timestamptz,
        lines -> Text,
    }
}

diesel::table! {
    ratings (account_id, pool) {
        account_id -> Uuid,
        pool -> Text,
        number -> Integer,
        rating -> Double,
        deviation -> Double,
        volatility -> Nullable<Double>,
        matches -> Integer,
        rated_at -> Nullable<Timestamptz>,
        listed_until -> Nullable<Timestamptz>,
        gone -> Bool,
    }
}

diesel::table! {
    rating_changes (account_id, pool, number) {
        account_id -> Uuid,
        pool -> Text,
        number -> Integer,
        match_id -> Uuid,
        seat -> SmallInt,
        reason -> Text,
        algorithm -> Text,
        version -> Integer,
        at -> Timestamptz,
        before_rating -> Double,
        before_deviation -> Double,
        before_volatility -> Nullable<Double>,
        after_rating -> Double,
        after_deviation -> Double,
        after_volatility -> Nullable<Double>,
        field -> Jsonb,
        annuls -> Nullable<Integer>,
        note -> Nullable<Text>,
    }
}

diesel::table! {
    leaderboard_marks (pool, position) {
        pool -> Text,
        position -> Integer,
        rating -> Double,
        account_id -> Uuid,
    }
}

diesel::allow_tables_to_appear_in_same_query!(accounts, sessions, refresh_tokens, access_tokens);
diesel::allow_tables_to_appear_in_same_query!(accounts, challenges, challenge_seats);
diesel::allow_tables_to_appear_in_same_query!(matches, match_heads, match_seats, match_entries);
