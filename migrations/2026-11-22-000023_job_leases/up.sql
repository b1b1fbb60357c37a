-- Which node does which job at present. A node that doesn't renew its lease in time loses it to another.
create table job_leases (
    job      text primary key,
    holder   uuid not null,                      -- drawn by a node when it starts
    until_at timestamptz not null                -- by the database's clock
);
