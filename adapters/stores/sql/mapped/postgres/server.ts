import { run, type Session } from "../../engine/session.js";

/** What differs among servers. */
export interface PostgresServer {
  /** Such as 150004. */
  readonly version: number;
  /** The quoted name of a collation that folds the letters of all languages, if the server has one. */
  readonly unicode: string | undefined;
}

/** Asks the server of a session. */
export async function readServer(session: Session): Promise<PostgresServer> {
  const text = `
    select current_setting('server_version_num') as version, coalesce(
      (select 'pg_catalog."und-x-icu"' from pg_collation where collname = 'und-x-icu' and collnamespace = 'pg_catalog'::regnamespace limit 1),
      case when datctype not in ('C', 'POSIX') then 'pg_catalog."default"' end) as unicode
    from pg_database where datname = current_database()`;
  const { rows } = await run(session, { text, values: [], writes: false, returns: "one" });
  return { version: Number(rows[0]?.["version"]), unicode: rows[0]?.["unicode"] === null ? undefined : String(rows[0]?.["unicode"]) };
}
