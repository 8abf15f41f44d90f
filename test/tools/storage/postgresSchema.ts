import { randomUUID } from "node:crypto";
import pg from "pg";
import { postgresUrl } from "../engines.js";

/** A schema that no other test sees. */
export function ownSchema() {
  const name = `restwright_${randomUUID().replaceAll("-", "")}`;
  return {
    name,
    /** Creates it. @returns a connection string whose search path it is */
    async create(): Promise<string> {
      await administer(`create schema ${name}`);
      const address = new URL(postgresUrl ?? "");
      address.searchParams.set("options", `-c search_path=${name}`);
      return address.href;
    },
    drop: () => administer(`drop schema if exists ${name} cascade`),
  };
}

async function administer(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(text);
  await client.end();
}
