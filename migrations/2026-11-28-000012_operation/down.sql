drop trigger note_revocation on account_roles;
drop trigger note_revocation on passkeys;
drop trigger note_revocation on access_tokens;
drop trigger note_revocation on sessions;
drop trigger note_revocation on accounts;
drop function note_role_revocation, note_revocation, note_account_revocation;
drop table idempotency_keys, revocations, log_epoch, down_times, node_heartbeats, service_heartbeat, job_leases;
