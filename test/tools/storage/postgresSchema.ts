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

/** A database of its own, for what processes of other tests on the same one would disturb: locks, messages, statistics. The role must be allowed to create it. */
export function ownDatabase() {
  const name = `restwright_${randomUUID().replaceAll("-", "")}`;
  return {
    name,
    async create(): Promise<string> {
      await administer(`create database ${name}`);
      const address = new URL(postgresUrl ?? "");
      address.pathname = `/${name}`;
      return address.href;
    },
    drop: () => administer(`drop database if exists ${name} with (force)`),
  };
}

async function administer(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(text);
  await client.end();
}
