/** The tables and views with the names in a JSON array of `{ schema, name }`; without a schema those that the search path finds. */
export const findTables = `
  select p.position::text as position, c.oid::text as oid, c.relkind::text as kind, c.relhassubclass::text as spread,
    (c.relkind <> 'm' and pg_relation_is_updatable(c.oid, true) & 28 = 28)::text as updatable, ${triggerFacts()},
    exists (select from pg_constraint k where k.condeferred and c.oid in (k.conrelid, k.confrelid))::text as deferred
  from jsonb_array_elements($1::text::jsonb) with ordinality as p(item, position)
  join pg_class c on c.relname = p.item->>'name' and c.relkind in ('r', 'p', 'v', 'm', 'f')
  join pg_namespace n on n.oid = c.relnamespace
  left join lateral (
    select bool_or(tgtype & 66 <> 2) as after, bool_or(tgtype & 1 = 1 and tgtype & 4 = 4 and tgtype & 66 <> 0) as fills_inserts,
      bool_or(tgtype & 4 = 4) as on_insert, bool_or(tgtype & 16 = 16) as on_update
    from pg_trigger where tgrelid = c.oid and not tgisinternal and tgenabled <> 'D'
  ) t on true
  where case when p.item->>'schema' is null then pg_table_is_visible(c.oid) else n.nspname = p.item->>'schema' end`;

/** Types of triggers are bits: 1 is ROW, 2 BEFORE, 4 INSERT, 16 UPDATE, 64 INSTEAD OF; internal ones belong to constraints. */
function triggerFacts(): string {
  return ["after", "fills_inserts", "on_insert", "on_update"].map((name) => `coalesce(t.${name}, false)::text as ${name}`).join(", ");
}

/** The oids in a JSON array. */
const oids = "any(array(select jsonb_array_elements_text($1::text::jsonb)::oid))";

/** Follows domains to their base types, at most eight deep, those of the elements of an array too. A column of a view that is an expression cannot be written. */
export const readColumns = `
  with recursive resolved as (
    select a.attrelid, a.attnum, a.attname, a.atttypid as declared, a.atttypid as type, a.atttypmod as modifier, a.attnotnull as required, 0 as depth
    from pg_attribute a where a.attrelid = ${oids} and a.attnum > 0 and not a.attisdropped
    union all
    select r.attrelid, r.attnum, r.attname, r.declared, t.typbasetype, case when t.typtypmod >= 0 then t.typtypmod else r.modifier end,
      r.required or t.typnotnull, r.depth + 1
    from resolved r join pg_type t on t.oid = r.type where t.typtype = 'd' and r.depth < 8
  )
  select r.attrelid::text as table, r.attnum::text as position, r.attname::text as name, t.typname::text as type, format_type(r.type, -1) as cast,
    coalesce(i.modifier, r.modifier)::text as modifier, r.required::text as required,
    (e.oid is not null)::text as is_array, e.typname::text as element, format_type(e.oid, -1) as element_cast,
    (a.atthasdef or d.typdefault is not null)::text as has_default, coalesce(pg_get_expr(x.adbin, x.adrelid), d.typdefault) as default_value,
    a.attidentity::text as identity, a.attgenerated::text as generated,
    (c.relkind <> 'v' or not pg_relation_is_updatable(c.oid, true) & 4 = 4 or pg_column_is_updatable(c.oid, a.attnum, true))::text as updatable,
    (select jsonb_agg(l.enumlabel::text order by l.enumsortorder)::text from pg_enum l where l.enumtypid = coalesce(e.oid, t.oid)) as labels,
    coalesce(o.collisdeterministic, true)::text as deterministic,
    coalesce(case when o.collprovider = 'd' then (select d.datctype from pg_database d where d.datname = current_database()) else o.collctype end in ('C', 'POSIX'), false)::text as folds_ascii
  from (select distinct on (attrelid, attnum) * from resolved order by attrelid, attnum, depth desc) r
  join pg_attribute a on a.attrelid = r.attrelid and a.attnum = r.attnum
  join pg_class c on c.oid = r.attrelid
  join pg_type t on t.oid = r.type
  join pg_type d on d.oid = r.declared
  left join pg_attrdef x on x.adrelid = a.attrelid and x.adnum = a.attnum
  left join lateral (
    with recursive item as (
      select t.typelem as type, r.modifier, 0 as depth where t.typcategory = 'A'
      union all
      select b.typbasetype, case when b.typtypmod >= 0 then b.typtypmod else item.modifier end, item.depth + 1
      from item join pg_type b on b.oid = item.type where b.typtype = 'd' and item.depth < 8
    )
    select type, modifier from item order by depth desc limit 1
  ) i on true
  left join pg_type e on e.oid = i.type
  left join pg_collation o on o.oid = a.attcollation
  order by r.attrelid, r.attnum`;

export const readIndexes = `
  select x.indrelid::text as table, i.relname::text as name, x.indisunique::text as is_unique, x.indisprimary::text as is_primary,
    pg_get_expr(x.indpred, x.indrelid) as predicate, coalesce(k.condeferrable, false)::text as deferrable,
    (select jsonb_agg(a.attname::text order by m.position)::text
      from unnest(x.indkey::int2[]) with ordinality as m(number, position)
      left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = m.number
      where m.position <= x.indnkeyatts) as columns
  from pg_index x join pg_class i on i.oid = x.indexrelid left join pg_constraint k on k.conindid = x.indexrelid and k.contype in ('p', 'u', 'x')
  where x.indrelid = ${oids} and x.indisvalid
  order by x.indrelid, x.indisprimary desc, i.relname`;

/** Constraints of the tables, and of the domains of their columns. */
export const readConstraints = `
  select k.conrelid::text as table, k.conname::text as name, k.contype::text as type, k.confrelid::text as references, k.confdeltype::text as on_delete,
    ${columnNames("k.conrelid", "k.conkey")} as columns, ${columnNames("k.confrelid", "k.confkey")} as referenced
  from pg_constraint k where k.conrelid = ${oids} and k.contype in ('c', 'f', 'p', 'u', 'x')
  union all
  select a.attrelid::text, k.conname::text, k.contype::text, null, null, null, null
  from pg_attribute a join pg_constraint k on k.contypid = a.atttypid where a.attrelid = ${oids} and a.attnum > 0 and not a.attisdropped
  order by 1, 2`;

function columnNames(table: string, numbers: string): string {
  return `(select jsonb_agg(a.attname::text order by m.position)::text
      from unnest(${numbers}) with ordinality as m(number, position) join pg_attribute a on a.attrelid = ${table} and a.attnum = m.number)`;
}
