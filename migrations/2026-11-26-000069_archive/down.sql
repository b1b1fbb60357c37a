-- What is in the archive alone would be lost.
do $$ begin
    if exists (select 1 from archived_matches where restored_at is null) then
        raise exception 'there are archived matches: restore them first (broadside archive restore)';
    end if;
end $$;
drop table archived_matches, archive_objects;
