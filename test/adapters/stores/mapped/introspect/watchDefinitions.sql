-- Writes down each statement that changes a definition, for tests that expect none. Run once in a database by a superuser, who alone may create event triggers.
create schema restwright_watch;
grant usage on schema restwright_watch to public;
create table restwright_watch.commands (number bigint generated always as identity, schema_name text, command text, object text);
grant select on restwright_watch.commands to public;

-- The roles of the tests change definitions, but must not change what was written down.
create function restwright_watch.changed() returns event_trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
  insert into restwright_watch.commands (schema_name, command, object)
    select schema_name, command_tag, object_identity from pg_event_trigger_ddl_commands() where schema_name <> 'pg_temp';
end $$;
create function restwright_watch.dropped() returns event_trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
  insert into restwright_watch.commands (schema_name, command, object)
    select schema_name, 'DROP', object_identity from pg_event_trigger_dropped_objects() where original and not is_temporary;
end $$;
create event trigger restwright_watch_changed on ddl_command_end execute function restwright_watch.changed();
create event trigger restwright_watch_dropped on sql_drop execute function restwright_watch.dropped();
