drop table device_codes, authorization_codes, registered_app_names, registered_apps, security_notices,
    security_events, password_reset_requests, password_reset_links, passkey_challenges, passkeys, sign_in_challenges,
    recovery_codes, second_factors;
