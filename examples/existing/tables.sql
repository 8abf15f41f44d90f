-- The tables that the application had before: written by hand, with the habits of its framework.
create type membership_role as enum ('owner', 'member');

create table users (
  id bigserial primary key,
  email varchar(120) not null,
  full_name varchar(80) not null,
  api_token text not null unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index users_email_key on users (email) where deleted_at is null;

create table teams (
  id bigserial primary key,
  name varchar(60) not null unique,
  created_at timestamptz not null default now()
);

create table memberships (
  id bigserial primary key,
  team_id bigint not null references teams on delete cascade,
  user_id bigint not null references users,
  role membership_role not null default 'member',
  unique (team_id, user_id)
);

create table invoices (
  id bigserial primary key,
  team_id bigint not null references teams,
  number varchar(20) not null,
  total numeric(12, 2) not null constraint invoices_total_positive check (total > 0),
  issued_on date not null default current_date,
  paid_at timestamptz,
  lock_version integer not null default 0,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint invoices_number_key unique (team_id, number)
);

insert into users (email, full_name, api_token) values
  ('ann@example.com', 'Ann Archer', 'token-of-ann'),
  ('bob@example.com', 'Bob Baker', 'token-of-bob'),
  ('cem@example.com', 'Cem Cook', 'token-of-cem');
insert into teams (name) values ('Garden'), ('Kitchen');
insert into memberships (team_id, user_id, role) values (1, 1, 'owner'), (1, 2, 'member'), (2, 3, 'owner');
insert into invoices (team_id, number, total, issued_on) values (1, 'G-1', 120.50, '2026-01-31'), (1, 'G-2', 80, '2026-02-28'), (2, 'K-1', 42, '2026-03-31');
