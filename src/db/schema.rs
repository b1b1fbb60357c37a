//! The tables, as diesel sees them. `migrations/` explains the columns. A test compares the two
//! (`tests/api/migrations.rs`), and prints what must stand here.

diesel::table! {
    abuse_reports (id) {
        id -> Uuid,
        reporter_id -> Uuid,
        author_id -> Uuid,
        match_id -> Nullable<Uuid>,
        room -> Nullable<Text>,
        number -> Nullable<Integer>,
        named_rule_set -> Nullable<Text>,
        username -> Nullable<Text>,
        subject -> Nullable<Text>,
        subject_id -> Nullable<Uuid>,
        title -> Nullable<Text>,
        text -> Nullable<Text>,
        reason -> Text,
        comment -> Nullable<Text>,
        at -> Timestamptz,
        resolved_at -> Nullable<Timestamptz>,
        resolution -> Nullable<Text>,
    }
}

diesel::table! {
    access_tokens (id) {
        id -> Uuid,
        account_id -> Uuid,
        session_id -> Uuid,
        name -> Text,
        hash -> Bytea,
        scopes -> Array<Text>,
        created_at -> Timestamptz,
        last_used_at -> Nullable<Timestamptz>,
        expires_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    account_blocks (account_id, kind, other_id) {
        account_id -> Uuid,
        kind -> Text,
        other_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    account_calendars (account_id) {
        account_id -> Uuid,
        revision -> Integer,
        time_zone -> Text,
        night_from -> Nullable<SmallInt>,
        night_until -> Nullable<SmallInt>,
        days_off -> SmallInt,
        effective_from -> Nullable<Timestamptz>,
        before_time_zone -> Nullable<Text>,
        before_night_from -> Nullable<SmallInt>,
        before_night_until -> Nullable<SmallInt>,
        before_days_off -> Nullable<SmallInt>,
        before_effective_from -> Nullable<Timestamptz>,
        remind_at_percent -> Nullable<SmallInt>,
        automatic_vacation -> Bool,
        feed_token_hash -> Nullable<Bytea>,
        replanned_until -> Nullable<Timestamptz>,
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
    account_purges (account_id) {
        account_id -> Uuid,
        deleted_at -> Timestamptz,
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
    account_vacations (account_id, id) {
        account_id -> Uuid,
        id -> Uuid,
        starts_at -> Timestamptz,
        ends_at -> Timestamptz,
        automatic -> Bool,
    }
}

diesel::table! {
    accounts (id) {
        id -> Uuid,
        username -> Text,
        username_key -> Text,
        username_skeleton -> Bytea,
        username_changed_at -> Nullable<Timestamptz>,
        email -> Nullable<Text>,
        password_hash -> Text,
        bot -> Bool,
        guest -> Bool,
        guest_origin -> Nullable<Bytea>,
        bio -> Nullable<Text>,
        country -> Nullable<Text>,
        club -> Nullable<Text>,
        shows_time_zone -> Bool,
        challenges_from -> Text,
        suspended_at -> Nullable<Timestamptz>,
        suspended_until -> Nullable<Timestamptz>,
        suspension_reason -> Nullable<Text>,
        sign_in_warned_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        deleted_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    adjudications (match_id, revision) {
        match_id -> Uuid,
        revision -> SmallInt,
        ranks -> Array<SmallInt>,
        note -> Text,
        at -> Timestamptz,
    }
}

diesel::table! {
    archive_objects (id) {
        id -> Uuid,
        state -> Text,
        created_at -> Timestamptz,
        matches -> Nullable<Integer>,
        bytes -> Nullable<BigInt>,
        sha256 -> Nullable<Bytea>,
    }
}

diesel::table! {
    archived_matches (match_id) {
        match_id -> Uuid,
        object_id -> Uuid,
        byte_offset -> Integer,
        byte_length -> Integer,
        sha256 -> Bytea,
        restored_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    audit_log (id) {
        id -> Uuid,
        actor_id -> Nullable<Uuid>,
        kind -> Text,
        account_id -> Nullable<Uuid>,
        match_id -> Nullable<Uuid>,
        ladder_id -> Nullable<Uuid>,
        tournament_id -> Nullable<Uuid>,
        named_rule_set -> Nullable<Text>,
        reason -> Text,
        details -> Jsonb,
        at -> Timestamptz,
    }
}

diesel::table! {
    authorization_codes (hash) {
        hash -> Bytea,
        account_id -> Uuid,
        page_session_id -> Uuid,
        client_id -> Text,
        redirect_uri -> Text,
        scopes -> Array<Text>,
        code_challenge -> Bytea,
        expires_at -> Timestamptz,
        session_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    bot_offers (account_id) {
        account_id -> Uuid,
        level -> Nullable<Text>,
        description -> Nullable<Text>,
        variants -> Nullable<Array<Text>>,
        custom_rules -> Bool,
        rated -> Bool,
        max_seats -> SmallInt,
        min_move_s -> Integer,
        max_matches -> Integer,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    case_entries (id) {
        id -> Uuid,
        case_id -> Uuid,
        author_id -> Uuid,
        at -> Timestamptz,
        evidence -> Nullable<Text>,
        match_ids -> Array<Uuid>,
        pairing_id -> Nullable<Uuid>,
        abuse_report_id -> Nullable<Uuid>,
        details -> Nullable<Jsonb>,
        text -> Nullable<Text>,
    }
}

diesel::table! {
    cases (id) {
        id -> Uuid,
        contest_id -> Nullable<Uuid>,
        kind -> Nullable<Text>,
        subject_id -> Uuid,
        title -> Text,
        opened_by -> Uuid,
        opened_at -> Timestamptz,
        decision -> Nullable<Text>,
        reason -> Nullable<Text>,
        match_ids -> Array<Uuid>,
        ended_match -> Bool,
        until_at -> Nullable<Timestamptz>,
        decided_by -> Nullable<Uuid>,
        decided_at -> Nullable<Timestamptz>,
        closes_at -> Nullable<Timestamptz>,
        appeal -> Nullable<Text>,
        appealed_at -> Nullable<Timestamptz>,
        outcome -> Nullable<Text>,
        outcome_reason -> Nullable<Text>,
        remedy -> Nullable<Text>,
        appeal_decided_by -> Nullable<Uuid>,
        appeal_decided_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    challenge_invitations (challenge_id, account_id) {
        challenge_id -> Uuid,
        account_id -> Uuid,
    }
}

diesel::table! {
    challenge_seats (challenge_id, seat) {
        challenge_id -> Uuid,
        seat -> SmallInt,
        account_id -> Uuid,
        preferred_name -> Nullable<Text>,
        nonce -> Nullable<Text>,
    }
}

diesel::table! {
    challenges (id) {
        id -> Uuid,
        creator_id -> Uuid,
        opponent_id -> Nullable<Uuid>,
        variant -> Text,
        named_rule_set -> Nullable<Text>,
        rule_set -> Jsonb,
        clock -> Jsonb,
        rated -> Bool,
        spectators -> Bool,
        seats -> SmallInt,
        visibility -> Text,
        min_reliability_percent -> Nullable<SmallInt>,
        opponent_preferred_name -> Nullable<Text>,
        rematch_of -> Nullable<Uuid>,
        chance_seed -> Bytea,
        message -> Nullable<Text>,
        status -> Text,
        reason -> Nullable<Text>,
        match_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
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
    chat_rooms (match_id, room) {
        match_id -> Uuid,
        room -> Text,
        newest -> Integer,
    }
}

diesel::table! {
    contest_announcements (id) {
        id -> Uuid,
        contest_id -> Uuid,
        kind -> Text,
        author_id -> Uuid,
        text -> Text,
        at -> Timestamptz,
        notified_up_to -> Nullable<Uuid>,
        is_told -> Bool,
    }
}

diesel::table! {
    contest_bars (contest_id, account_id) {
        contest_id -> Uuid,
        account_id -> Uuid,
        kind -> Text,
        barred_at -> Timestamptz,
    }
}

diesel::table! {
    contest_entries (contest_id, account_id) {
        contest_id -> Uuid,
        account_id -> Uuid,
        kind -> Text,
        state -> Text,
        wanted_pairings -> SmallInt,
        invited_by -> Nullable<Uuid>,
        at -> Timestamptz,
    }
}

diesel::table! {
    contest_log (id) {
        id -> Uuid,
        contest_id -> Uuid,
        kind -> Text,
        action -> Text,
        actor_id -> Uuid,
        account_id -> Uuid,
        reason -> Nullable<Text>,
        at -> Timestamptz,
    }
}

diesel::table! {
    contest_organizers (contest_id, account_id) {
        contest_id -> Uuid,
        account_id -> Uuid,
        kind -> Text,
        leads -> Bool,
        named_at -> Timestamptz,
    }
}

diesel::table! {
    contest_pauses (id) {
        id -> Uuid,
        contest_id -> Uuid,
        kind -> Text,
        organizer_id -> Nullable<Uuid>,
        reason -> Nullable<Text>,
        from_at -> Timestamptz,
        until_at -> Timestamptz,
        is_over -> Bool,
        matches_told -> Bool,
        telling -> Nullable<Text>,
        notified_up_to -> Nullable<Uuid>,
    }
}

diesel::table! {
    contest_words (contest_id) {
        contest_id -> Uuid,
        words -> Text,
        ended_by -> Nullable<Uuid>,
    }
}

diesel::table! {
    device_codes (hash) {
        hash -> Bytea,
        user_code -> Text,
        client_id -> Text,
        scopes -> Array<Text>,
        expires_at -> Timestamptz,
        interval_s -> Integer,
        asked_at -> Nullable<Timestamptz>,
        account_id -> Nullable<Uuid>,
        page_session_id -> Nullable<Uuid>,
        allowed -> Bool,
    }
}

diesel::table! {
    down_times (number) {
        number -> BigInt,
        from_at -> Timestamptz,
        until_at -> Timestamptz,
        noted_at -> Timestamptz,
        told_up_to -> Nullable<Uuid>,
        all_told -> Bool,
    }
}

diesel::table! {
    event_counters (account_id) {
        account_id -> Uuid,
        newest -> BigInt,
        deleted_up_to -> BigInt,
    }
}

diesel::table! {
    follows (account_id, other_id) {
        account_id -> Uuid,
        other_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    former_players (match_id, account_id) {
        match_id -> Uuid,
        account_id -> Uuid,
        seat -> SmallInt,
        username -> Text,
        bot -> Bool,
        until_at -> Timestamptz,
        last_message -> Integer,
    }
}

diesel::table! {
    former_usernames (id) {
        id -> Uuid,
        account_id -> Uuid,
        username_key -> Nullable<Text>,
        skeleton -> Bytea,
        left_at -> Timestamptz,
    }
}

diesel::table! {
    idempotency_keys (id) {
        id -> Bytea,
        fingerprint -> Bytea,
        created_at -> Timestamptz,
        response -> Nullable<Bytea>,
        owner -> Nullable<Bytea>,
        match_id -> Nullable<Uuid>,
        seq -> Nullable<Integer>,
    }
}

diesel::table! {
    job_leases (job) {
        job -> Text,
        holder -> Uuid,
        until_at -> Timestamptz,
    }
}

diesel::table! {
    kept_orders (match_id, account_id) {
        match_id -> Uuid,
        account_id -> Uuid,
        opponent_id -> Uuid,
        rules -> Text,
        begins -> Bool,
        used_by -> Nullable<Uuid>,
    }
}

diesel::table! {
    ladder_announcements (id) {
        id -> Uuid,
        ladder_id -> Uuid,
        kind -> Text,
        season -> Integer,
        at -> Timestamptz,
        notified_up_to -> Nullable<Uuid>,
    }
}

diesel::table! {
    ladder_challenges (ladder_id, id) {
        ladder_id -> Uuid,
        id -> Uuid,
        challenger_id -> Uuid,
        defender_id -> Uuid,
        challenger_position -> Integer,
        defender_position -> Integer,
        status -> Text,
        outcome -> Nullable<Text>,
        created_at -> Timestamptz,
        answer_by -> Timestamptz,
        answered_at -> Nullable<Timestamptz>,
        pairing_id -> Nullable<Uuid>,
        ended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    ladder_meetings (ladder_id, low_id, high_id) {
        ladder_id -> Uuid,
        low_id -> Uuid,
        high_id -> Uuid,
        season -> Integer,
        meetings -> Integer,
        last_at -> Timestamptz,
    }
}

diesel::table! {
    ladder_members (ladder_id, account_id) {
        ladder_id -> Uuid,
        account_id -> Uuid,
        status -> Text,
        section -> Text,
        division -> Integer,
        wanted_pairings -> SmallInt,
        running_pairings -> SmallInt,
        joined_at -> Timestamptz,
        waiting_since -> Timestamptz,
        missed -> SmallInt,
        seat_balance -> Integer,
        recent_opponents -> Array<Uuid>,
        current_opponents -> Array<Uuid>,
    }
}

diesel::table! {
    ladder_position_changes (ladder_id, number) {
        ladder_id -> Uuid,
        number -> Integer,
        at -> Timestamptz,
        account_id -> Uuid,
        from_position -> Nullable<Integer>,
        to_position -> Nullable<Integer>,
        reason -> Text,
        opponent_id -> Nullable<Uuid>,
        challenge_id -> Nullable<Uuid>,
        pairing_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    ladder_positions (ladder_id, account_id) {
        ladder_id -> Uuid,
        account_id -> Uuid,
        position -> Integer,
        active_at -> Timestamptz,
        check_at -> Nullable<Timestamptz>,
        protected_until -> Nullable<Timestamptz>,
        kept_since -> Nullable<Timestamptz>,
        kept_until -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    ladder_seasons (ladder_id, season) {
        ladder_id -> Uuid,
        season -> Integer,
        started_at -> Timestamptz,
        ends_at -> Nullable<Timestamptz>,
        warn_at -> Nullable<Timestamptz>,
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
        games -> Integer,
        won -> Integer,
        drawn -> Integer,
        lost -> Integer,
        best_results -> Array<SmallInt>,
        score -> BigInt,
        tie_break -> Integer,
        since -> Timestamptz,
        rank -> Nullable<Integer>,
    }
}

diesel::table! {
    ladders (id) {
        id -> Uuid,
        creator_id -> Uuid,
        official -> Bool,
        title -> Text,
        description -> Nullable<Text>,
        format -> Text,
        format_terms -> Jsonb,
        variant -> Text,
        named_rule_set -> Nullable<Text>,
        rule_set -> Jsonb,
        clock -> Jsonb,
        rated -> Bool,
        paired_games -> Bool,
        seats -> SmallInt,
        audience -> Text,
        entry_limits -> Jsonb,
        max_pairings -> SmallInt,
        max_meetings -> Nullable<SmallInt>,
        ranking -> Text,
        ranking_results -> Nullable<SmallInt>,
        season_length_s -> Nullable<Integer>,
        division_size -> Nullable<Integer>,
        division_promotions -> Nullable<Integer>,
        created_at -> Timestamptz,
        season -> Integer,
        season_started_at -> Timestamptz,
        season_ends_at -> Nullable<Timestamptz>,
        check_at -> Nullable<Timestamptz>,
        revision -> Integer,
        below_minimum_since -> Nullable<Timestamptz>,
        closed_at -> Nullable<Timestamptz>,
        closed_reason -> Nullable<Text>,
    }
}

diesel::table! {
    leaderboard_samples (pool, position) {
        pool -> Text,
        position -> Integer,
        rating -> Double,
        account_id -> Uuid,
    }
}

diesel::table! {
    log_epoch (only_row) {
        only_row -> Bool,
        epoch -> Text,
        home -> Text,
        timeline -> Integer,
        began_at -> Timestamptz,
        restored_at -> Nullable<Timestamptz>,
        restored_to -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    mail_confirmations (account_id, hash) {
        account_id -> Uuid,
        hash -> Bytea,
        address -> Text,
        requested_at -> Timestamptz,
        used_at -> Nullable<Timestamptz>,
        sent -> Bool,
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
        confirmed_address -> Nullable<Text>,
        unsubscribe_key -> Bytea,
        handled_up_to -> BigInt,
        seen_up_to -> BigInt,
        sending_up_to -> Nullable<BigInt>,
        due_at -> Nullable<Timestamptz>,
        attempts -> Integer,
        failing_since -> Nullable<Timestamptz>,
        failed_at -> Nullable<Timestamptz>,
        failure -> Nullable<Text>,
        claim_id -> Nullable<Uuid>,
        claimed_until -> Nullable<Timestamptz>,
        reset_mails -> Integer,
        reset_mails_since -> Nullable<Timestamptz>,
        reset_mailed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    match_heads (match_id) {
        match_id -> Uuid,
        seq -> Integer,
        side_version -> Integer,
        status -> Text,
        to_act -> Integer,
        deadline -> Nullable<Timestamptz>,
        check_at -> Nullable<Timestamptz>,
        started_at -> Nullable<Timestamptz>,
        finished_at -> Nullable<Timestamptz>,
        result -> Nullable<Jsonb>,
        at_fault -> Array<Uuid>,
        annulled -> Bool,
    }
}

diesel::table! {
    match_log (match_id, seq) {
        match_id -> Uuid,
        seq -> Integer,
        entry -> Bytea,
        chain -> Bytea,
    }
}

diesel::table! {
    match_notes (account_id, match_id) {
        account_id -> Uuid,
        match_id -> Uuid,
        revision -> Integer,
        text -> Text,
        marks -> Jsonb,
        bytes -> Integer,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    match_results (match_id, seat) {
        match_id -> Uuid,
        seat -> SmallInt,
        account_id -> Uuid,
        variant -> Text,
        side -> SmallInt,
        outcome -> Text,
        place -> Nullable<SmallInt>,
        played_out -> Bool,
        shots -> Nullable<Integer>,
        hits -> Nullable<Integer>,
        finished_at -> Timestamptz,
    }
}

diesel::table! {
    match_results_due (match_id) {
        match_id -> Uuid,
    }
}

diesel::table! {
    match_seats (match_id, seat) {
        match_id -> Uuid,
        seat -> SmallInt,
        account_id -> Uuid,
        first_account_id -> Nullable<Uuid>,
        username -> Text,
        bot -> Bool,
        running -> Bool,
        preferred_name -> Nullable<Text>,
        nonce -> Nullable<Text>,
        rating -> Nullable<Integer>,
        reminded_deadline -> Nullable<Timestamptz>,
        reminded_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    matches (id) {
        id -> Uuid,
        variant -> Text,
        named_rule_set -> Nullable<Text>,
        rule_set -> Jsonb,
        clock -> Jsonb,
        rated -> Bool,
        pool -> Nullable<Text>,
        spectators -> Bool,
        challenge_id -> Nullable<Uuid>,
        pairing_id -> Nullable<Uuid>,
        chance_seed -> Bytea,
        example_seed -> Bytea,
        record_key_id -> Text,
        record_format -> SmallInt,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    named_rule_set_counts (hash) {
        hash -> Text,
        matches -> Integer,
    }
}

diesel::table! {
    named_rule_sets (hash) {
        hash -> Text,
        variant -> Text,
        family -> Text,
        rule_set -> Jsonb,
        title -> Text,
        rules_text -> Nullable<Text>,
        words -> Text,
        creator_id -> Uuid,
        forked_from -> Nullable<Text>,
        created_at -> Timestamptz,
        hidden_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    node_heartbeats (node) {
        node -> Uuid,
        beats -> BigInt,
        beat_at -> Timestamptz,
    }
}

diesel::table! {
    page_cookies (hash) {
        hash -> Bytea,
        session_id -> Uuid,
        expires_at -> Timestamptz,
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
    pairing_players (pairing_id, number) {
        pairing_id -> Uuid,
        number -> SmallInt,
        account_id -> Uuid,
    }
}

diesel::table! {
    pairings (id) {
        id -> Uuid,
        kind -> Text,
        contest_id -> Uuid,
        season -> Nullable<Integer>,
        games -> SmallInt,
        running_games -> SmallInt,
        opened_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        settled_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    passkey_challenges (hash) {
        hash -> Bytea,
        purpose -> Text,
        account_id -> Nullable<Uuid>,
        sign_in_challenge -> Nullable<Bytea>,
        state -> Jsonb,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    passkeys (id) {
        id -> Uuid,
        account_id -> Uuid,
        credential_id -> Bytea,
        credential -> Jsonb,
        name -> Text,
        created_at -> Timestamptz,
        last_used_at -> Nullable<Timestamptz>,
        cloned_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    password_reset_links (hash) {
        hash -> Bytea,
        account_id -> Uuid,
        restores -> Nullable<Text>,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    password_reset_requests (login) {
        login -> Text,
        requested_at -> Timestamptz,
    }
}

diesel::table! {
    pending_resignations (account_id) {
        account_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    push_subscriptions (id) {
        id -> Uuid,
        account_id -> Uuid,
        session_id -> Uuid,
        endpoint -> Text,
        endpoint_hash -> Bytea,
        host -> Text,
        p256dh -> Bytea,
        auth -> Bytea,
        name -> Text,
        kinds -> Array<Text>,
        language -> Text,
        told -> BigInt,
        told_ahead -> Array<BigInt>,
        seen -> BigInt,
        waits_until -> Nullable<Timestamptz>,
        failures -> Integer,
        suspect -> Bool,
        paused_until -> Nullable<Timestamptz>,
        delivered_at -> Nullable<Timestamptz>,
        claim_id -> Nullable<Uuid>,
        claimed_until -> Timestamptz,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    rating_changes (account_id, pool, number) {
        account_id -> Uuid,
        pool -> Text,
        number -> Integer,
        match_id -> Uuid,
        paired_match_id -> Nullable<Uuid>,
        seat -> SmallInt,
        reason -> Text,
        revision -> SmallInt,
        annuls -> Nullable<Integer>,
        note -> Nullable<Text>,
        algorithm -> Text,
        algorithm_version -> Integer,
        before_rating -> Double,
        before_deviation -> Double,
        before_volatility -> Nullable<Double>,
        after_rating -> Double,
        after_deviation -> Double,
        after_volatility -> Nullable<Double>,
        participants -> Jsonb,
        games -> Jsonb,
        at -> Timestamptz,
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
        account_deleted -> Bool,
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
    recovery_codes (account_id, hash) {
        account_id -> Uuid,
        hash -> Bytea,
    }
}

diesel::table! {
    refresh_tokens (hash) {
        hash -> Bytea,
        session_id -> Uuid,
        issued_at -> Timestamptz,
        used_at -> Nullable<Timestamptz>,
        successor_salt -> Nullable<Bytea>,
        given_elsewhere -> Bool,
    }
}

diesel::table! {
    registered_app_names (skeleton) {
        skeleton -> Bytea,
        app_id -> Nullable<Uuid>,
        account_id -> Nullable<Uuid>,
        free_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    registered_apps (id) {
        id -> Uuid,
        account_id -> Uuid,
        name -> Text,
        homepage -> Text,
        description -> Text,
        redirect_uris -> Array<Text>,
        scopes -> Array<Text>,
        created_at -> Timestamptz,
        suspended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    replanning_queue (account_id, changed_at) {
        account_id -> Uuid,
        revision -> Integer,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    revocations (number) {
        number -> BigInt,
        at -> Timestamptz,
        kind -> Text,
        subject -> Uuid,
        details -> Jsonb,
    }
}

diesel::table! {
    second_factors (account_id) {
        account_id -> Uuid,
        secret -> Bytea,
        begun_at -> Timestamptz,
        enabled_at -> Nullable<Timestamptz>,
        last_step -> BigInt,
        failures -> Integer,
        failures_since -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    security_events (id) {
        id -> Uuid,
        account_id -> Uuid,
        kind -> Text,
        at -> Timestamptz,
        program -> Nullable<Text>,
        system -> Nullable<Text>,
        network -> Nullable<Text>,
        session_id -> Nullable<Uuid>,
        subject -> Nullable<Text>,
    }
}

diesel::table! {
    security_notices (id) {
        id -> Uuid,
        account_id -> Uuid,
        kind -> Text,
        address -> Text,
        at -> Timestamptz,
        due_at -> Timestamptz,
        attempts -> Integer,
        program -> Nullable<Text>,
        system -> Nullable<Text>,
        network -> Nullable<Text>,
    }
}

diesel::table! {
    service_heartbeat (only_row) {
        only_row -> Bool,
        beat_at -> Timestamptz,
    }
}

diesel::table! {
    sessions (id) {
        id -> Uuid,
        account_id -> Uuid,
        device -> Text,
        program -> Nullable<Text>,
        system -> Nullable<Text>,
        network -> Nullable<Text>,
        client_id -> Nullable<Text>,
        redirect_uri -> Nullable<Text>,
        scopes -> Nullable<Array<Text>>,
        passkey_id -> Nullable<Uuid>,
        token_family -> Nullable<Bytea>,
        may_rejoin -> Bool,
        created_at -> Timestamptz,
        last_used_at -> Timestamptz,
        expires_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    sign_in_challenges (hash) {
        hash -> Bytea,
        account_id -> Uuid,
        expires_at -> Timestamptz,
        tries -> Integer,
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
    spectators_room_visits (account_id, match_id) {
        account_id -> Uuid,
        match_id -> Uuid,
        first_at -> Timestamptz,
    }
}

diesel::table! {
    standing_orders (match_id, account_id) {
        match_id -> Uuid,
        account_id -> Uuid,
        seat -> SmallInt,
        revision -> Integer,
        orders -> Jsonb,
        has_orders -> Bool,
        bytes -> Integer,
        min_delay_s -> Nullable<Integer>,
        max_delay_s -> Nullable<Integer>,
        edited_at -> Timestamptz,
        edited_revision -> Integer,
        checked_seq -> Nullable<Integer>,
        due_at -> Nullable<Timestamptz>,
        manual_since -> Nullable<Timestamptz>,
        executing_seq -> Nullable<Integer>,
        executed_at -> Nullable<Timestamptz>,
        share_owner -> Uuid,
    }
}

diesel::table! {
    stream_tickets (hash) {
        hash -> Bytea,
        account_id -> Uuid,
        session_id -> Nullable<Uuid>,
        token_hash -> Nullable<Bytea>,
        good_until -> Nullable<Timestamptz>,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    substitution_answers (substitution_id, account_id) {
        substitution_id -> Uuid,
        account_id -> Uuid,
        agrees -> Bool,
        at -> Timestamptz,
    }
}

diesel::table! {
    substitutions (id) {
        id -> Uuid,
        match_id -> Uuid,
        seat -> SmallInt,
        asked_by -> Text,
        requester_id -> Uuid,
        player_id -> Uuid,
        named_id -> Nullable<Uuid>,
        candidate_id -> Nullable<Uuid>,
        status -> Text,
        message -> Nullable<Text>,
        created_at -> Timestamptz,
        due_at -> Timestamptz,
        closed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    token_mac_key (only_row) {
        only_row -> Bool,
        key -> Bytea,
    }
}

diesel::table! {
    tournament_boards (tournament_id, round, board) {
        tournament_id -> Uuid,
        round -> SmallInt,
        board -> SmallInt,
        first_player -> SmallInt,
        second_player -> Nullable<SmallInt>,
        table_seats -> Nullable<Array<SmallInt>>,
        table_places -> Nullable<Array<SmallInt>>,
        bye -> Nullable<Text>,
        status -> Text,
        pairing_id -> Nullable<Uuid>,
        first_half_points -> Nullable<SmallInt>,
        second_half_points -> Nullable<SmallInt>,
        unplayed -> Bool,
        due_from -> Nullable<Timestamptz>,
        due_extra_s -> Integer,
        due_at -> Nullable<Timestamptz>,
        due_warn_at -> Nullable<Timestamptz>,
        due_checked -> BigInt,
        due_open -> Bool,
        ended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    tournament_bye_requests (tournament_id, account_id, round) {
        tournament_id -> Uuid,
        account_id -> Uuid,
        round -> SmallInt,
        half_points -> SmallInt,
        granted_by -> Nullable<Uuid>,
        asked_at -> Timestamptz,
    }
}

diesel::table! {
    tournament_drafts (tournament_id, round) {
        tournament_id -> Uuid,
        round -> SmallInt,
        drawn -> Jsonb,
        drawn_at -> Timestamptz,
        release_at -> Timestamptz,
        paired -> Nullable<Jsonb>,
        paired_by -> Nullable<Uuid>,
        paired_at -> Nullable<Timestamptz>,
        reason -> Nullable<Text>,
        released_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    tournament_players (tournament_id, account_id) {
        tournament_id -> Uuid,
        account_id -> Uuid,
        joined_at -> Timestamptz,
        starting_number -> Nullable<SmallInt>,
        rating -> Nullable<Integer>,
        first_round -> Nullable<SmallInt>,
        finals_seed -> Nullable<SmallInt>,
        missed -> SmallInt,
        withdrawn_at -> Nullable<Timestamptz>,
        withdrawn_round -> Nullable<SmallInt>,
        withdrawal_reason -> Nullable<Text>,
        final_standing -> Nullable<Jsonb>,
    }
}

diesel::table! {
    tournaments (id) {
        id -> Uuid,
        creator_id -> Uuid,
        title -> Text,
        description -> Nullable<Text>,
        format -> Text,
        format_terms -> Jsonb,
        variant -> Text,
        named_rule_set -> Nullable<Text>,
        rule_set -> Jsonb,
        clock -> Jsonb,
        rated -> Bool,
        paired_games -> Bool,
        rounds -> Nullable<SmallInt>,
        audience -> Text,
        entry_limits -> Jsonb,
        min_players -> SmallInt,
        max_players -> SmallInt,
        registration_ends_at -> Nullable<Timestamptz>,
        starts_at -> Nullable<Timestamptz>,
        start_due_at -> Timestamptz,
        status -> Text,
        round -> SmallInt,
        players -> SmallInt,
        boards_left -> SmallInt,
        chance_seed -> Bytea,
        reason -> Nullable<Text>,
        created_at -> Timestamptz,
        started_at -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    vapid_key (only_row) {
        only_row -> Bool,
        secret -> Bytea,
        public -> Bytea,
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
        failures -> Integer,
        attempts -> Integer,
        due_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        attempted_at -> Nullable<Timestamptz>,
        response_status -> Nullable<Integer>,
        error -> Nullable<Text>,
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
        disabled_reason -> Nullable<Text>,
        queued_up_to -> BigInt,
        due_at -> Nullable<Timestamptz>,
        failures -> Integer,
        suspect -> Bool,
        failing_since -> Nullable<Timestamptz>,
        paused_until -> Nullable<Timestamptz>,
        delivered_at -> Nullable<Timestamptz>,
        claim_id -> Nullable<Uuid>,
        claimed_until -> Timestamptz,
        manual_deliveries -> Integer,
        manual_deliveries_since -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::allow_tables_to_appear_in_same_query!(accounts, account_calendars);
diesel::allow_tables_to_appear_in_same_query!(accounts, bot_offers);
diesel::allow_tables_to_appear_in_same_query!(accounts, registered_apps);
diesel::allow_tables_to_appear_in_same_query!(match_seats, account_calendars);
diesel::allow_tables_to_appear_in_same_query!(accounts, sessions, refresh_tokens, access_tokens, page_cookies);
diesel::allow_tables_to_appear_in_same_query!(accounts, challenges, challenge_seats, challenge_invitations);
diesel::allow_tables_to_appear_in_same_query!(matches, match_heads, match_seats, match_log);
diesel::allow_tables_to_appear_in_same_query!(accounts, chat_messages, account_blocks);
diesel::allow_tables_to_appear_in_same_query!(challenges, account_blocks);
diesel::allow_tables_to_appear_in_same_query!(accounts, follows);
diesel::allow_tables_to_appear_in_same_query!(account_blocks, sessions);
diesel::allow_tables_to_appear_in_same_query!(push_subscriptions, sessions);
diesel::allow_tables_to_appear_in_same_query!(authorization_codes, sessions);
diesel::allow_tables_to_appear_in_same_query!(device_codes, sessions);
diesel::allow_tables_to_appear_in_same_query!(accounts, mail_settings, security_notices, password_reset_links);
diesel::allow_tables_to_appear_in_same_query!(accounts, account_roles, audit_log);
diesel::allow_tables_to_appear_in_same_query!(accounts, pairing_players);
diesel::allow_tables_to_appear_in_same_query!(match_heads, pairing_games);
diesel::allow_tables_to_appear_in_same_query!(pairings, pairing_players, pairing_games);
diesel::allow_tables_to_appear_in_same_query!(accounts, ratings, rating_changes);
diesel::allow_tables_to_appear_in_same_query!(accounts, ladders, ladder_members, ladder_standings);
diesel::allow_tables_to_appear_in_same_query!(accounts, tournaments, tournament_players, tournament_boards);
diesel::allow_tables_to_appear_in_same_query!(accounts, named_rule_sets, named_rule_set_counts);
diesel::allow_tables_to_appear_in_same_query!(accounts, abuse_reports);
diesel::allow_tables_to_appear_in_same_query!(accounts, contest_organizers);
diesel::allow_tables_to_appear_in_same_query!(accounts, contest_entries);
diesel::allow_tables_to_appear_in_same_query!(accounts, contest_announcements);
