import { quoteIdentifier } from "./identifier.js";

/** Where the tables of this library are in a database. */
export interface PlaceOptions {
  /** The schema of PostgreSQL. Defaults to the first one of the connection's search path. */
  readonly schema?: string | undefined;
  /** The beginning of the name of each table and index. Defaults to none. */
  readonly prefix?: string | undefined;
}

/** The names of the tables beside those of collections. */
const ownNames = {
  values: "_restwright",
  idempotency: "_restwright_idempotency",
  jobs: "_restwright_jobs",
  jobInputs: "_restwright_job_inputs",
  jobEntries: "_restwright_job_entries",
  rateLimits: "_restwright_rate_limits",
  webhooks: "_restwright_webhooks",
  /** A random id of the last change of each tenant's webhooks. */
  generations: "_restwright_webhook_tenants",
  events: "_restwright_events",
  deliveries: "_restwright_deliveries",
  /** Events whose deliveries have not been made yet. */
  waiting: "_restwright_waiting_events",
  attempts: "_restwright_attempts",
  subscribers: "_restwright_subscribers",
  subscriberEvents: "_restwright_subscriber_events",
  tasks: "_restwright_subscriber_tasks",
  uploads: "_restwright_uploads",
  /** The sums of the upload records of each account; accounts without records have no row. */
  accounts: "_restwright_upload_accounts",
  operations: "_restwright_operations",
  changes: "_restwright_changes",
  /** The last change of each collection that was dropped. */
  droppedChanges: "_restwright_dropped_changes",
} as const;

export type OwnTableName = keyof typeof ownNames;

/** The names of all tables of a storage. Every statement takes the names of its tables from here. */
export interface Place {
  readonly schema: string | undefined;
  readonly prefix: string;
  /** The quoted names of the tables beside those of collections, with their schema. */
  readonly own: Readonly<Record<OwnTableName, string>>;
  /** The name of one of these tables, without the schema. */
  ownName(table: OwnTableName): string;
  /** The name of the table of a collection, or of an index, without the schema. */
  nameOf(name: string): string;
  /** The quoted name of the table of a collection, with the schema. */
  quote(name: string): string;
}

/** Of checked options. */
export function placeOf({ schema, prefix = "" }: PlaceOptions = {}): Place {
  const nameOf = (name: string) => prefix + name;
  const quote = (name: string) => `${schema === undefined ? "" : `${quoteIdentifier(schema)}.`}${quoteIdentifier(nameOf(name))}`;
  const own = Object.fromEntries(Object.entries(ownNames).map(([table, name]) => [table, quote(name)])) as Place["own"];
  return { schema, prefix, own, nameOf, quote, ownName: (table) => nameOf(ownNames[table]) };
}

/** Leaves room for the longest name of a table in the 63 bytes of PostgreSQL. */
const maxPrefixLength = 30;

/** Whether a prefix is the same name in every engine, quoted or not, and cannot be confused with the names after it. */
export function isPrefix(prefix: unknown): boolean {
  if (typeof prefix !== "string") return false;
  return /^[a-z][a-z0-9_]*$/.test(prefix) && prefix.length <= maxPrefixLength && !prefix.startsWith("sqlite_") && !prefix.includes("_restwright");
}

export const prefixRule = `a letter and then letters, digits and "_", all lower-case, at most ${maxPrefixLength}, without "sqlite_" at the beginning and "_restwright"`;

/** Whether PostgreSQL has such a schema, or can create it. */
export function isSchema(schema: unknown): boolean {
  if (typeof schema !== "string") return false;
  const isReserved = /^pg_/i.test(schema) || schema.toLowerCase() === "information_schema";
  return schema !== "" && !schema.includes("\0") && Buffer.byteLength(schema) <= 63 && !isReserved;
}

export const schemaRule = `the name of a schema, at most 63 bytes, without "pg_" at the beginning, and not "information_schema"`;
