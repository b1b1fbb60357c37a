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
        suspended_at -> Nullable<Timestamptz>,
        suspended_until -> Nullable<Timestamptz>,
        suspension_reason -> Nullable<Text>,
    }
}

diesel::table! {
    account_roles (account_id, role) {
        account_id -> Uuid,
        role -> Text,
        granted_at -> Timestamptz,
    }
}

diesel::table! {
    moderation_actions (id) {
        id -> Uuid,
        actor_id -> Nullable<Uuid>,
        kind -> Text,
        account_id -> Nullable<Uuid>,
        match_id -> Nullable<Uuid>,
        ladder_id -> Nullable<Uuid>,
        tournament_id -> Nullable<Uuid>,
        reason -> Text,
        details -> Jsonb,
        at -> Timestamptz,
    }
}

diesel::table! {
    forfeits (account_id) {
        account_id -> Uuid,
        since -> Timestamptz,
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
        least_reliability_percent -> Nullable<SmallInt>,
        rematch_of -> Nullable<Uuid>,
        counter_wish -> Nullable<Text>,
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
        pairing_id -> Nullable<Uuid>,
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
        warned_deadline -> Nullable<Timestamptz>,
        warned_at -> Nullable<Timestamptz>,
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
    standing_orders (match_id, seat) {
        match_id -> Uuid,
        seat -> SmallInt,
        account_id -> Uuid,
        revision -> Integer,
        orders -> Jsonb,
        armed -> Bool,
        least_s -> Nullable<Integer>,
        most_s -> Nullable<Integer>,
        edited_at -> Timestamptz,
        looked_seq -> Nullable<Integer>,
        due_at -> Nullable<Timestamptz>,
        open_since -> Nullable<Timestamptz>,
        firing_seq -> Nullable<Integer>,
        edited_revision -> Nullable<Integer>,
    }
}

diesel::table! {
    webhooks (account_id, id) {
        account_id -> Uuid,
        id -> Uuid,
        url -> Text,
        host -> Text,
        kinds -> Array<Text>,
        secret -> Bytea,
        old_secret -> Nullable<Bytea>,
        old_secret_until -> Nullable<Timestamptz>,
        active -> Bool,
        off_reason -> Nullable<Text>,
        told -> BigInt,
        due_at -> Nullable<Timestamptz>,
        failures -> Integer,
        suspect -> Bool,
        failing_since -> Nullable<Timestamptz>,
        rest_until -> Nullable<Timestamptz>,
        delivered_at -> Nullable<Timestamptz>,
        holder -> Nullable<Uuid>,
        held_until -> Timestamptz,
        asked -> Integer,
        asked_since -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    chat_rooms (match_id, room) {
        match_id -> Uuid,
        room -> Text,
        newest -> Integer,
    }
}

diesel::table! {
    chat_messages (match_id, room, number) {
        match_id -> Uuid,
        room -> Text,
        number -> Integer,
        author_id -> Uuid,
        text -> Nullable<Text>,
        at -> Timestamptz,
    }
}

diesel::table! {
    chat_reports (match_id, room, number, reporter_id) {
        match_id -> Uuid,
        room -> Text,
        number -> Integer,
        reporter_id -> Uuid,
        author_id -> Uuid,
        text -> Text,
        reason -> Text,
        comment -> Nullable<Text>,
        at -> Timestamptz,
        id -> Uuid,
        resolved_at -> Nullable<Timestamptz>,
        resolution -> Nullable<Text>,
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
        revision -> SmallInt,
        paired_match_id -> Nullable<Uuid>,
        games -> Jsonb,
    }
}

diesel::table! {
    adjudications (match_id, revision) {
        match_id -> Uuid,
        revision -> SmallInt,
        places -> Array<SmallInt>,
        note -> Text,
        at -> Timestamptz,
    }
}

diesel::table! {
    shuns (account_id, kind, other_id) {
        account_id -> Uuid,
        kind -> Text,
        other_id -> Uuid,
        since -> Timestamptz,
    }
}

diesel::table! {
    match_notes (account_id, match_id) {
        account_id -> Uuid,
        match_id -> Uuid,
        revision -> Integer,
        text -> Text,
        marks -> Jsonb,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    webhook_deliveries (account_id, webhook_id, id) {
        account_id -> Uuid,
        webhook_id -> Uuid,
        id -> Uuid,
        number -> Nullable<BigInt>,
        kind -> Text,
        status -> Text,
        step -> Integer,
        attempts -> Integer,
        due_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        attempted_at -> Nullable<Timestamptz>,
        answer -> Nullable<Integer>,
        diagnosis -> Nullable<Text>,
    }
}

diesel::table! {
    mail_settings (account_id) {
        account_id -> Uuid,
        kinds -> Array<Text>,
        digest -> Text,
        daily_hour -> SmallInt,
        quiet_from -> Nullable<SmallInt>,
        quiet_until -> Nullable<SmallInt>,
        time_zone -> Text,
        language -> Text,
        confirmed -> Nullable<Text>,
        unsubscribe_key -> Bytea,
        dealt_with -> BigInt,
        seen -> BigInt,
        upto -> Nullable<BigInt>,
        due_at -> Nullable<Timestamptz>,
        attempts -> Integer,
        failing_since -> Nullable<Timestamptz>,
        lease -> Nullable<Uuid>,
        leased_until -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    mail_confirmations (account_id, hash) {
        account_id -> Uuid,
        hash -> Bytea,
        address -> Text,
        asked_at -> Timestamptz,
        used_at -> Nullable<Timestamptz>,
        sent -> Bool,
    }
}

diesel::table! {
    account_calendars (account_id) {
        account_id -> Uuid,
        edition -> Integer,
        time_zone -> Text,
        night_from -> Nullable<SmallInt>,
        night_until -> Nullable<SmallInt>,
        days_off -> SmallInt,
        warn_at_percent -> Nullable<SmallInt>,
        automatic_vacation -> Bool,
        feed -> Nullable<Bytea>,
        counts_from -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    account_vacations (account_id, id) {
        account_id -> Uuid,
        id -> Uuid,
        starts_at -> Timestamptz,
        ends_at -> Timestamptz,
        automatic -> Bool,
    }
}

diesel::table! {
    calendar_changes (account_id) {
        account_id -> Uuid,
        edition -> Integer,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    farewells (account_id) {
        account_id -> Uuid,
        since -> Timestamptz,
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

diesel::table! {
    pairings (id) {
        id -> Uuid,
        kind -> Text,
        contest_id -> Uuid,
        games -> SmallInt,
        running -> SmallInt,
        opened_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        settled_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    pairing_players (pairing_id, number) {
        pairing_id -> Uuid,
        number -> SmallInt,
        account_id -> Uuid,
    }
}

diesel::table! {
    pairing_games (pairing_id, game) {
        pairing_id -> Uuid,
        game -> SmallInt,
        match_id -> Uuid,
        seats -> Array<SmallInt>,
    }
}

diesel::table! {
    ladders (id) {
        id -> Uuid,
        maker_id -> Uuid,
        official -> Bool,
        title -> Text,
        description -> Nullable<Text>,
        form -> Text,
        form_terms -> Nullable<Jsonb>,
        variant -> Text,
        rule_set -> Jsonb,
        clock -> Jsonb,
        rated -> Bool,
        paired -> Bool,
        seats -> SmallInt,
        who -> Text,
        least_reliability_percent -> Nullable<SmallInt>,
        simultaneous -> SmallInt,
        season_s -> Nullable<Integer>,
        division_size -> Nullable<Integer>,
        division_movers -> Nullable<Integer>,
        created_at -> Timestamptz,
        season -> Integer,
        season_started_at -> Timestamptz,
        season_ends_at -> Nullable<Timestamptz>,
        look_at -> Nullable<Timestamptz>,
        edition -> Integer,
        lonely_since -> Nullable<Timestamptz>,
        closed_at -> Nullable<Timestamptz>,
        closed_reason -> Nullable<Text>,
    }
}

diesel::table! {
    ladder_members (ladder_id, account_id) {
        ladder_id -> Uuid,
        account_id -> Uuid,
        status -> Text,
        section -> Text,
        division -> Integer,
        simultaneous -> SmallInt,
        running -> SmallInt,
        joined_at -> Timestamptz,
        waiting_since -> Timestamptz,
        missed -> SmallInt,
        balance -> Integer,
        recent -> Array<Uuid>,
        opponents -> Array<Uuid>,
    }
}

diesel::table! {
    ladder_seasons (ladder_id, season) {
        ladder_id -> Uuid,
        season -> Integer,
        started_at -> Timestamptz,
        ends_at -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    ladder_standings (ladder_id, season, account_id) {
        ladder_id -> Uuid,
        season -> Integer,
        account_id -> Uuid,
        section -> Text,
        division -> Integer,
        half_points -> Integer,
        pairings -> Integer,
        won -> Integer,
        drawn -> Integer,
        lost -> Integer,
        since -> Timestamptz,
        rank -> Nullable<Integer>,
    }
}

diesel::table! {
    ladder_news (id) {
        id -> Uuid,
        ladder_id -> Uuid,
        kind -> Text,
        season -> Integer,
        at -> Timestamptz,
        told_up_to -> Nullable<Uuid>,
    }
}

diesel::table! {
    ladder_places (ladder_id, account_id) {
        ladder_id -> Uuid,
        account_id -> Uuid,
        place -> Integer,
        active_at -> Timestamptz,
        look_at -> Nullable<Timestamptz>,
        protected_until -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    ladder_moves (ladder_id, number) {
        ladder_id -> Uuid,
        number -> Integer,
    }
}

diesel::table! {
    ladder_challenges (ladder_id, id) {
        ladder_id -> Uuid,
        id -> Uuid,
        challenger_id -> Uuid,
        defender_id -> Uuid,
        challenger_place -> Integer,
        defender_place -> Integer,
        status -> Text,
        outcome -> Nullable<Text>,
        made_at -> Timestamptz,
        answer_by -> Timestamptz,
        answered_at -> Nullable<Timestamptz>,
        pairing_id -> Nullable<Uuid>,
        ended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    tournaments (id) {
        id -> Uuid,
        maker_id -> Uuid,
        title -> Text,
        description -> Nullable<Text>,
        form -> Text,
        variant -> Text,
        rule_set -> Jsonb,
        clock -> Jsonb,
        rated -> Bool,
        paired -> Bool,
        twice -> Bool,
        simultaneous -> Bool,
        rounds -> Nullable<SmallInt>,
        who -> Text,
        least_reliability_percent -> Nullable<SmallInt>,
        least_rating -> Nullable<Integer>,
        most_rating -> Nullable<Integer>,
        fewest_players -> SmallInt,
        most_players -> SmallInt,
        registration_ends_at -> Nullable<Timestamptz>,
        starts_at -> Nullable<Timestamptz>,
        begins_at -> Timestamptz,
        status -> Text,
        round -> SmallInt,
        players -> SmallInt,
        games_left -> SmallInt,
        chance -> Bytea,
        reason -> Nullable<Text>,
        created_at -> Timestamptz,
        started_at -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    tournament_players (tournament_id, account_id) {
        tournament_id -> Uuid,
        account_id -> Uuid,
        joined_at -> Timestamptz,
        number -> Nullable<SmallInt>,
        rating -> Nullable<Integer>,
        missed -> SmallInt,
        withdrawn_at -> Nullable<Timestamptz>,
        withdrawn_round -> Nullable<SmallInt>,
        withdrawn_why -> Nullable<Text>,
        #[sql_name = "final"]
        at_the_end -> Nullable<Jsonb>,
    }
}

diesel::table! {
    tournament_boards (tournament_id, round, board) {
        tournament_id -> Uuid,
        round -> SmallInt,
        board -> SmallInt,
        first -> SmallInt,
        second -> Nullable<SmallInt>,
        state -> Text,
        pairing_id -> Nullable<Uuid>,
        first_halves -> Nullable<SmallInt>,
        second_halves -> Nullable<SmallInt>,
        unplayed -> Bool,
        over_at -> Nullable<Timestamptz>,
    }
}

diesel::allow_tables_to_appear_in_same_query!(accounts, account_calendars);
diesel::allow_tables_to_appear_in_same_query!(match_seats, account_calendars);
diesel::allow_tables_to_appear_in_same_query!(accounts, sessions, refresh_tokens, access_tokens);
diesel::allow_tables_to_appear_in_same_query!(accounts, challenges, challenge_seats);
diesel::allow_tables_to_appear_in_same_query!(matches, match_heads, match_seats, match_entries);
diesel::allow_tables_to_appear_in_same_query!(accounts, chat_messages, chat_reports, shuns);
diesel::allow_tables_to_appear_in_same_query!(challenges, shuns);
diesel::allow_tables_to_appear_in_same_query!(match_seats, chat_messages);
diesel::allow_tables_to_appear_in_same_query!(accounts, mail_settings);
diesel::allow_tables_to_appear_in_same_query!(accounts, account_roles, moderation_actions);
diesel::allow_tables_to_appear_in_same_query!(accounts, pairing_players);
diesel::allow_tables_to_appear_in_same_query!(match_heads, pairing_games);
diesel::allow_tables_to_appear_in_same_query!(pairings, pairing_players, pairing_games);
diesel::allow_tables_to_appear_in_same_query!(accounts, ratings, rating_changes);
diesel::allow_tables_to_appear_in_same_query!(accounts, ladders, ladder_members, ladder_standings);
diesel::allow_tables_to_appear_in_same_query!(accounts, tournaments, tournament_players, tournament_boards);
