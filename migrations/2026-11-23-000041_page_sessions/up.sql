-- The service's own page signs in by OAuth as well. What it gets is a session, and the cookie of the browser belongs to
-- the same session from then on: ending one ends both.

-- The session outlives the cookie, so the cookie has its own end.
alter table page_cookies add column expires_at timestamptz;
update page_cookies set expires_at = sessions.expires_at from sessions where sessions.id = page_cookies.session_id;
alter table page_cookies alter column expires_at set not null;

-- A code for the service's own page is good only while the session lives in which its owner was on the pages.
alter table authorization_codes add column page_session_id uuid; -- null: a code for an app
