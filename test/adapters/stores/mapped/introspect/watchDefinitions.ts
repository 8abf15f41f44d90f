import { expect } from "vitest";
import type { Database } from "../database.js";

/**
 * Watches for statements that change definitions, in a database where `watchDefinitions.sql` was run, as `.ci/postgres.sh` does.
 *
 * @returns reads what was changed in the schema of the developer since then; `undefined` in another database
 */
export async function watchDefinitions({ sql, schema }: Database): Promise<(() => Promise<unknown>) | undefined> {
  const [found] = await sql("select to_regclass('restwright_watch.commands') is not null as yes");
  if (found?.["yes"] !== true) return undefined;
  await sql("create table watched (id integer); alter table watched add column more integer; drop table watched");
  expect(await sql(`select command from restwright_watch.commands where schema_name = '${schema}' order by number desc limit 3`)).toEqual([
    { command: "DROP" },
    { command: "ALTER TABLE" },
    { command: "CREATE TABLE" },
  ]);
  const [last] = await sql("select max(number) as number from restwright_watch.commands");
  return () => sql(`select command, object from restwright_watch.commands where schema_name = '${schema}' and number > ${String(last?.["number"])}`);
}
