import { type MadeMember, objectMaker } from "../../../../../src/ground/storage/values/objectMaker.js";
import type { SqlRow, SqlStatement } from "../executor.js";
import { conversionOf, type PostgresClient, type PostgresQuery, type PostgresResult } from "./postgresPool.js";

/** What a statement needs from the connection of a client of `pg`, as its own queries and `pg-cursor` use it. */
interface Connection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: { readonly statement: string; readonly values: readonly unknown[]; readonly valueMapper: (value: unknown) => unknown }): void;
  describe(message: { readonly type: "P"; readonly name: string }): void;
  execute(message: { readonly portal: string; readonly rows: number }): void;
  sync(): void;
}

/** Makes a row of its values, which are texts. */
type RowMaker = (values: readonly (string | null)[]) => SqlRow;

/** A message of the server, as `pg` reads it. */
interface Messages {
  readonly columns: { readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[] };
  readonly row: { readonly fields: readonly (string | null)[]; readonly length: number };
  readonly complete: { readonly text: string };
}

type Callback = (error: unknown, result?: PostgresResult) => void;

const methods = ["parse", "bind", "describe", "execute", "sync"] as const;

/** The connection of a client of `pg`; `undefined` for other clients, and where `pg` is told to do what this query does not. */
const connections = new WeakMap<object, Connection | "other">();

/** How the rows of named statements are made. The server refuses such a statement if its columns have changed since its connection was told. */
const described = new WeakMap<Connection, Map<string, RowMaker>>();

/** The makers of rows by their columns: one that has made many rows makes the next ones faster. */
const makers = new Map<string, RowMaker>();
const maxMakers = 256;

function makerOf(fields: Messages["columns"]["fields"]): RowMaker {
  let key = "";
  for (const { name, dataTypeID } of fields) key += `${dataTypeID} ${name}\0`;
  let make = makers.get(key);
  if (make === undefined) {
    const members = fields.map(({ name, dataTypeID }, index) => ({ name, key: index, convert: conversionOf(dataTypeID) }) as MadeMember);
    make = objectMaker(members);
    if (makers.size >= maxMakers) makers.clear();
    makers.set(key, make);
  }
  return make;
}

/**
 * Sends a statement in the extended protocol, in half the time that `pg` itself needs: without the objects and events of its queries, and without a description of the columns of a
 * statement that the connection has described before.
 *
 * @param name of a statement that the server keeps for the connection
 * @returns `undefined` if the client is none of `pg`, or the statement must be sent by it
 */
export function askLean(
  client: Pick<PostgresClient, "query">,
  { text, values, isByDeveloper }: SqlStatement,
  name?: string,
): Promise<PostgresResult> | undefined {
  const connection = connectionIn(client);
  // Without values and a name, `pg` uses the simple protocol, in which a text may hold several statements.
  if (connection === undefined || isByDeveloper || (values.length === 0 && name === undefined) || !values.every(isPlain)) return undefined;
  return new Promise((resolve, reject) => {
    const query = new LeanQuery({ name, text, values }, (error, result) => (result === undefined ? reject(error) : resolve(result)));
    // Typed as a query of `pg` in the pools that callers pass, which also take what can be submitted.
    void client.query(query as unknown as PostgresQuery);
  });
}

function connectionIn(client: Pick<PostgresClient, "query">): Connection | undefined {
  let found = connections.get(client);
  if (found === undefined) {
    found = probe(client) ?? "other";
    connections.set(client, found);
  }
  return found === "other" ? undefined : found;
}

function probe(client: Pick<PostgresClient, "query">): Connection | undefined {
  const { connection, pipeline, binary } = client as { readonly connection?: Connection; readonly pipeline?: unknown; readonly binary?: unknown };
  if (connection === undefined || pipeline === true || binary === true) return undefined;
  const { parsedStatements, stream } = connection;
  // A developer who wraps the method of a client waits for its promise, and a query that is submitted has none.
  if (client.query !== (Object.getPrototypeOf(client) as typeof client).query) return undefined;
  const canCork = typeof stream?.cork === "function" && typeof stream.uncork === "function";
  return canCork && typeof parsedStatements === "object" && methods.every((method) => typeof connection[method] === "function")
    ? connection
    : undefined;
}

/** Whether a value is sent as its text or its bytes. */
function isPlain(value: unknown): boolean {
  return value === null || value === undefined || typeof value !== "object" || Buffer.isBuffer(value);
}

function toText(value: unknown): unknown {
  return value === null || value === undefined || typeof value === "object" ? value : String(value);
}

const noColumns: RowMaker = () => ({});

/**
 * A query that a client of `pg` submits.
 *
 * @see PostgreSQL, "Message Flow", Extended Query
 */
class LeanQuery {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly #rows: SqlRow[] = [];
  #make: RowMaker = noColumns;
  #command = "";
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;
  /** `pg` replaces it where it limits the time of queries. */
  callback: Callback;

  constructor({ name, text, values }: Pick<SqlStatement, "text" | "values"> & { readonly name: string | undefined }, callback: Callback) {
    this.name = name;
    this.text = text;
    this.values = values;
    this.callback = callback;
  }

  submit(connection: Connection): null {
    const { name = "", text, values } = this;
    const isKnown = name !== "" && connection.parsedStatements[name] !== undefined;
    const make = isKnown ? described.get(connection)?.get(name) : undefined;
    connection.stream.cork();
    try {
      if (!isKnown) connection.parse({ name, text });
      connection.bind({ statement: name, values, valueMapper: toText });
      if (make === undefined) connection.describe({ type: "P", name: "" });
      else this.#make = make;
      connection.execute({ portal: "", rows: 0 });
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  handleRowDescription({ fields }: Messages["columns"]): void {
    this.#make = makerOf(fields);
  }

  handleDataRow({ fields, length }: Messages["row"]): void {
    if (this.#failure !== undefined) return;
    this.#bytes += length;
    try {
      this.#rows.push(this.#make(fields));
    } catch (error) {
      // The connection is in order only when the server has sent everything.
      this.#failure = { error };
    }
  }

  handleCommandComplete({ text }: Messages["complete"]): void {
    this.#command = text;
  }

  handleReadyForQuery(connection: Connection): void {
    if (this.#failure !== undefined) {
      this.callback(this.#failure.error);
      return;
    }
    if (this.name !== undefined) remember(connection, this.name, this.#make);
    const command = this.#command;
    // Such as "INSERT 0 1".
    const count = Number(command.slice(command.lastIndexOf(" ")));
    this.callback(null, { rows: this.#rows, rowCount: Number.isNaN(count) ? null : count, command, bytes: this.#bytes });
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}
}

function remember(connection: Connection, name: string, make: RowMaker): void {
  let known = described.get(connection);
  if (known === undefined) {
    known = new Map();
    described.set(connection, known);
  }
  known.set(name, make);
}
