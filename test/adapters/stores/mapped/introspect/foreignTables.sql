-- A server for tests that read tables of another one: this database. Run once in it by a superuser, who alone may add the extension, and let it connect without a password.
-- The role of the tests has the name of the database, and the same password.
create extension if not exists postgres_fdw;
select format('create server restwright_here foreign data wrapper postgres_fdw options (host %L, port %L, dbname %L)', '127.0.0.1', current_setting('port'), current_database()) \gexec
select format('create user mapping for public server restwright_here options (user %1$L, password %1$L, password_required %2$L)', current_database(), 'false') \gexec
grant usage on foreign server restwright_here to public;
